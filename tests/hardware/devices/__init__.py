"""Tests of `hardware/devices`: buttons, lights, buzzer, voice."""
