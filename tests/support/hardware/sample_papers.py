"""Papers to print in tests."""

from referee.presentation.sheets import Block, Code, Cut, Gap, Heading, Paragraph, Row, Rule

LINK = "http://192.168.1.20:8000/j/KX7QF/target/Zq3-x9_TbLmWcYd2"
HOSTILE = "\x1b@\x1dV\x00<b>Éve\x10\x04\x01\u202e'\"&\x00\n</b>"

SHEET: tuple[Block, ...] = (
    Heading("Agent Hunter"),
    Paragraph("Table KX7QF · 12 mars", centred=True),
    Rule(),
    Paragraph("Ève l’emporte : « Œuvre d’été » – 3\u202f€", bold=True),
    Gap(),
    Row("Ève (la Cible)", "5", bold=True),
    Row("Planques détruites", "3"),
    Row("Bérénice-Marguerite de La Tour d’Ivoire (le Masque)", "détruite"),
    Cut(),
)
SLIPS: tuple[Block, ...] = (
    Heading("Agent Hunter"),
    Paragraph("La Cible", bold=True, centred=True),
    Code(LINK),
    Paragraph(LINK),
    Cut(),
    Heading("Agent Hunter"),
    Paragraph("Le Masque", bold=True, centred=True),
    Code(LINK + "2"),
    Cut(),
)
