"""The desk: lights, buzzer and printer, each real or virtual; a client of the HTTP contract."""
