"""Writers of recordings and of other programs' formats, one format a file."""
