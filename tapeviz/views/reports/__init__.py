"""EventLog -> words, tables and plots that need no graph."""
