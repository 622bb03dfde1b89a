"""Contact with friction: small dense problems, matrices in and forces out."""
