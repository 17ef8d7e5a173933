"""Evaluation by arms: the same tasks with a skill, without it, and with the team's version."""
