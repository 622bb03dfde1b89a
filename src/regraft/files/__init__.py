"""Files of mechanisms, states and trajectories."""
