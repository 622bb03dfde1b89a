"""Any function over many parameters: on one core, on all of them, or on a cluster."""
