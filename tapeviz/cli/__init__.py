"""The command `tapeviz`: its verbs (`main`), a script run as `python` runs it (`script`), a word on what takes long."""
