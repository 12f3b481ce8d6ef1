import os

def totals(items):
    return sum(item for item in items)
