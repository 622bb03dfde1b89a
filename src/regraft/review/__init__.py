"""What is wrong or unusual with a mechanism."""
