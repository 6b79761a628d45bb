"""Where the time went: idle time, sums per lane, splits and balance, from a trace alone."""
