"""The window: Qt draws what core has recorded. Nothing here imports torch."""
