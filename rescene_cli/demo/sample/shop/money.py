"""Amounts of money, in cents."""


def percent_of(cents, percent):
    """That many percent of an amount, rounded to the nearest cent."""
    return cents * percent // 100


def written(cents):
    """An amount as customers read it."""
    return f"{cents // 100}.{cents % 100:02d}"
