"""The contract described for machines."""

DESCRIPTION: dict[str, object] = {}
