def y():
