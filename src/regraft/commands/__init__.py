"""The commands of ``regraft``, by what they are about."""
