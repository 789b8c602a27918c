"""For tests of the desk: mock pins, a strict ESC/POS receiver, a stub server."""
