"""The verbs of this package, one module each: parse, call one function, print."""
