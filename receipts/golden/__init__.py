"""Golden sets: does the subject meet the target that was written down before it existed?

A golden set is a folder with `spec.md` (the target and how the subject is called) and
`golden.jsonl` (the cases). A run grades each answer by its case's own rule, writes one results file
and computes every number from that file. `grade` is what others build on.
"""

from receipts.golden.grading import Grade, grade

__all__ = ["Grade", "grade"]
