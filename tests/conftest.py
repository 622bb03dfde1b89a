"""Settings that all tests share."""

import os

from hypothesis import HealthCheck, settings

# Kernels compile inside the first examples, so time says nothing about an example; derandomised so that CI repeats itself.
settings.register_profile(
    "regraft",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "regraft"))
