"""rescene: a coding agent for the terminal whose work can be taken back."""

__version__ = "0.1.0"
