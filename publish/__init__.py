"""The team repository: transport, safe write, versions, publish, sync, install, guard rules."""
