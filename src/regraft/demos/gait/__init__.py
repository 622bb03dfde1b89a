"""A walk from published joint angles, and what its ground and joints do."""
