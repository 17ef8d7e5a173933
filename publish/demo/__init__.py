"""A story on a throwaway team, told by real commands, each held against what is claimed of it.

`job` tells the whole job of publishing and installing, with the sample receipts of `samples`;
`evaluation` tells a first evaluation, in which `model` plays the model and `acting` chooses the
agent. Both are about the skill of `changelog`, and play on the `stage`.
"""
