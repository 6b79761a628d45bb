"""Files made by the structure of their format, with its rules broken one to three times."""
