"""What goes over the wire: request bodies and their checks, errors, JSON, people's names."""
