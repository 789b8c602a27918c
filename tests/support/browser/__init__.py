"""For tests in browsers: windows, players with a phone, page checks, a proxy that can be cut."""
