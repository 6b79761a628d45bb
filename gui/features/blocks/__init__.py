"""The blocks of a model, and the borders of its stages."""
