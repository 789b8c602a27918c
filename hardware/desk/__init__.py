"""The desk process: subscribes to its desk's event stream and drives the devices."""
