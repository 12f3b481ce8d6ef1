"""Discount codes."""

CODES = {"SPRING10": 10, "FRIENDS15": 15, "HALF": 50}


class UnknownCode(ValueError):
    """The shop has no such code."""


def percent_for(code):
    """How many percent a code takes off; no code takes off nothing."""
    if not code:
        return 0
    if code not in CODES:
        raise UnknownCode(code)
    return CODES[code]
