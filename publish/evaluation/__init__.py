"""`receipts eval`: what is measured, the run, its receipt, and who gets that.

`preparing` checks everything that can refuse a run and makes its folder, with the arms of
`opponents`, the files of `surroundings` and what `generated` fills in; `running` runs it and shares
its receipt; `resuming` takes one up again. `one` does this for one skill and a person who watches,
`several` for many.
"""
