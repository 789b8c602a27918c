"""Papers to print in tests."""

from referee.sheets import Block, Code, Cut, Gap, Heading, Row, Rule, Text

LINK = "http://192.168.1.20:8000/j/KX7QF/target/Zq3-x9_TbLmWcYd2"
HOSTILE = "\x1b@\x1dV\x00<b>Éve\x10\x04\x01\u202e'\"&\x00\n</b>"

SHEET: tuple[Block, ...] = (
    Heading("Agent Hunter"),
    Text("Table KX7QF · 12 mars", centred=True),
    Rule(),
    Text("Ève l’emporte : « Œuvre d’été » – 3\u202f€", bold=True),
    Gap(),
    Row("Ève (la Cible)", "5", bold=True),
    Row("Planques détruites", "3"),
    Row("Bérénice-Marguerite de La Tour d’Ivoire (le Masque)", "détruite"),
    Cut(),
)
SLIPS: tuple[Block, ...] = (
    Heading("Agent Hunter"),
    Text("La Cible", bold=True, centred=True),
    Code(LINK),
    Text(LINK),
    Cut(),
    Heading("Agent Hunter"),
    Text("Le Masque", bold=True, centred=True),
    Code(LINK + "2"),
    Cut(),
)
