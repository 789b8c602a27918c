"""Links from steps, moves and refusals of Espion contre Espion to sections of its rules page."""

from referee.core.game import Passages

PASSAGES = Passages(
    steps={
        "building": "buildings",
        "document": "documents",
        "killer": "killer-start",
        "set_camera": "camera",
        "spy": "spy-start",
        "camera": "turn",
        "move_killer": "killer",
        "move_spy": "spy",
    },
    moves={
        "place_building": "buildings",
        "place_document": "documents",
        "place_killer": "killer-start",
        "place_camera": "camera",
        "move_camera": "camera",
        "place_spy": "spy-start",
        "move_killer": "killer",
        "move_spy": "spy",
        "guess": "guess",
    },
    usual={"camera": ("place_camera", "move_camera", "guess")},
    refusals={
        **dict.fromkeys(
            ("order.building", "order.document", "order.killer", "order.set_camera", "order.spy"), "setup"
        ),
        **dict.fromkeys(("order.camera", "order.move_killer", "order.move_spy"), "turn"),
        "square": "board",
        "path.wall": "sight",
    },
)
