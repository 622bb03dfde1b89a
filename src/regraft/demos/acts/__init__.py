"""The high bar and the swing: hands take hold, and let go (S2)."""
