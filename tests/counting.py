"""For programs of tests: what they compile themselves, and do not load."""

COUNT = """
from numba.core import event

class Count(event.Listener):
    names = []
    def on_start(self, happening):
        self.names.append(happening.data["dispatcher"].py_func.__name__)
    def on_end(self, happening):
        pass

count = Count()
event.register("numba:compile", count)
"""
"""Makes `count.names`, the functions that are compiled from then on."""
