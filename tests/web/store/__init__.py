"""Tests of `web/store`: the database, backups, power cuts."""
