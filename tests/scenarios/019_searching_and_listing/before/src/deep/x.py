def x():
