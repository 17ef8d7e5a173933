"""Specs: what an evaluation by attempts runs, as its author wrote it down in one YAML file."""
