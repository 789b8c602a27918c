"""What the tests share: clients, server processes, players, readers. It holds no test."""
