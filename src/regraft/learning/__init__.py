"""For learning and fitting: derivatives of steps, and dynamics as differentiable operations of PyTorch and JAX.

`regraft.learning.torch` needs `regraft[torch]`, `regraft.learning.jax` needs `regraft[jax]`; nothing else imports either.
"""
