"""Evaluation by attempts: how often one run of a skill works, and whether it was picked at all."""
