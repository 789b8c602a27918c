"""The desk as the server sees it: its stream, its papers, and the screens that show it."""
