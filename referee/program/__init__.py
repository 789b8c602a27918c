"""The program around the rules engine: command line, settings, systemd notification, simulation."""
