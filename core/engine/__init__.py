"""Runs plans. Only this package and the recorder import torch; client.py does not."""
