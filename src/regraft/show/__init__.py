"""Pictures, animations, pages and tables of any mechanism."""
