"""How fast it is, measured beside git: `python -m tests.benchmarks`."""
