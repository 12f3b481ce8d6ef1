"""Where processes are started."""
