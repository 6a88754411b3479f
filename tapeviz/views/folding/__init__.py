"""Ops in order -> groups to fold and unfold, and what is seen with some of them unfolded."""
