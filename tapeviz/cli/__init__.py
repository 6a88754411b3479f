"""The command `tapeviz`: its verbs (`main`), a script run as by `python` (`script`), what takes long (`progress`)."""
