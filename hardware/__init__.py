"""The desk: lights, buzzer, voice, buttons and printer, each real or virtual. A client of the JSON API."""
