"""Services that all parts of the window share: session, settings, background work, dialogs."""
