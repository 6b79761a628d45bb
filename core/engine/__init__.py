"""Makes it happen: the only place that imports torch. The client side (client.py) does not."""
