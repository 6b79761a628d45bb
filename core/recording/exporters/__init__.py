"""Writers of recordings and of other programs' formats, one module for each format."""
