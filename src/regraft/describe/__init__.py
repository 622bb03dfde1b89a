"""What users describe: inertias, bodies, joints, springs, the mechanism that they make, and its states."""
