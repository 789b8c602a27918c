"""For tests of secrecy: games with marked secrets, clients that record, twin worlds."""
