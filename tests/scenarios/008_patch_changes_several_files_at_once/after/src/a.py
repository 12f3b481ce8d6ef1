def f():
    # ten
    return 10
