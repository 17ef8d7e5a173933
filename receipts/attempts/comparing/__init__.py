"""Two saved runs side by side: what moved, and what else than the skill could have moved it."""
