"""The devices of a desk, each real or virtual: lights, buzzer, buttons, voice."""
