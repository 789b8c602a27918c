"""The units and scripts that make a Pi a table."""
