"""rescene: a coding agent for the terminal that shows what was checked instead of what it claims."""

__version__ = "0.1.0"
