"""Questions to a mechanism in a state: poses, Jacobians, dynamics, energy, mobility."""
