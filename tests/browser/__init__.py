"""The browser tests: real windows of a real Chromium on a real server, driven in the words of the table."""
