"""What follows from a description: the layout of states, the spanning tree, the loops, and the memory that kernels run on."""
