"""The web half of the referee: API, pages, streams, the store and the tables in play."""
