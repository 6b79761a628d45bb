"""The version of Bubblescope, which the package's build reads from here too."""

VERSION = "0.1.0"
