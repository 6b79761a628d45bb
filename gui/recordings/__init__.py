"""Opening, saving and exporting recordings while the window goes on."""
