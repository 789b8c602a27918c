"""The pages of a host: all tables, clean-up, damage, sticks and presets."""
