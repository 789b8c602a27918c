"""The JSON API: its endpoints, request bodies, errors and OpenAPI description."""
