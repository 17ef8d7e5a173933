"""This machine: its state folder, configuration, local runs, skill libraries and their verbs."""
