"""Settings that all tests share."""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

# Each process of a test compiles what it needs and no more; `test_assistants` asks for help.
os.environ["REGRAFT_ASSISTANTS"] = "0"

# Kernels compile inside the first examples, so time says nothing about an example; derandomised so that CI repeats itself.
settings.register_profile(
    "regraft",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "regraft"))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):  # noqa: ARG001 - the name is pytest's
    """Ten thousand tests and their modules stay to the end: the garbage collector need not look at them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
