"""A few thousand random calls of everything public; see fuzz_calls.py for many more."""

import fuzz_calls


def test_random_calls_end_well():
    failures = fuzz_calls.fuzz(3000, "7")
    assert not failures, "\n".join(f"python python/tests/fuzz_calls.py --show 7 {number}: {name}: {wrong}" for number, name, wrong in failures)
