"""The server: HTTP API, pages, live streams, the store, and the tables in play."""
