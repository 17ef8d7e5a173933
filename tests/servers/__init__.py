"""Git servers of every kind, real ones, on this machine's loopback."""
