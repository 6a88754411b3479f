"""What recording costs: `python -m benchmarks` times every program side by side with its peers and prints ratios."""
