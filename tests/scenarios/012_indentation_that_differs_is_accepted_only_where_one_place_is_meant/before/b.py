def f(x):
    if x:
        return 1
def g(x):
    if x:
        return 1
