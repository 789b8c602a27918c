"""Tests of `hardware/printing`: printers on the network, on USB and on a serial line."""
