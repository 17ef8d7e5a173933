"""The verbs of this package, one module each, and what the shell offers for them (`completing`)."""
