"""The avatars: the drawings that players may have beside their names.

Each has a word in the catalogues (`page.avatar.NAME`) and a drawing in `web/static/avatars.svg`.
"""

AVATARS = (
    *("fedora", "bowler", "beret", "topper", "shades", "moustache", "mask", "monocle"),
    *("fox", "cat", "owl", "bear", "rabbit", "frog", "penguin", "octopus"),
)
ROBOT = "robot"  # the avatar of bots; people cannot choose it
