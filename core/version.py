"""Version of Bubblescope; the package build also reads it from here."""

VERSION = "0.1.0"
