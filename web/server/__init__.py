"""The HTTP server: the ASGI application, Flask behind it, limits on requests, start and stop, logs."""
