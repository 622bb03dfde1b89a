"""The passive walker: it re-roots at every step (S1)."""
