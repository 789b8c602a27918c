"""Server-sent event streams: subscribers with bounded queues, and limits on their number."""
