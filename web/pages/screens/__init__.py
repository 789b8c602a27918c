"""The pages of a room: the table screen, the desk and its own screen."""
