"""For tests of the server: its process, clients, streams, random players."""
