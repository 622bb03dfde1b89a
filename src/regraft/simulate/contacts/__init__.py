"""Contacts in a run: their modes, and what happens to them."""
