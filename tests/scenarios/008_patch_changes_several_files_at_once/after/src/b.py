def g():
    return 20
