"""The thermal printer: job queue, ESC/POS commands, code pages and connections."""
