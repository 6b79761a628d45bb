"""The Python interface: `import bubblescope as bs`, in scripts and notebooks.

Its functions take the options of the command line, and run through the same code.
"""
