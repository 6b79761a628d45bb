"""Training jobs: receives their ranks' streams live as one run, and starts jobs under torchrun."""
