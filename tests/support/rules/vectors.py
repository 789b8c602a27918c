"""The vectors that Python and the browser compute alike."""

from pathlib import Path

VECTORS = Path(__file__).with_name("vectors.json").read_text(encoding="utf-8")
