"""Models as torch divides them between ranks, with a module for each strategy."""
