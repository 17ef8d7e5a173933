"""What wakes receipts from outside: nothing yet.

The file watcher, the git hooks, the Claude Code hooks and the local page will live here, on top of
`publish`.
"""
