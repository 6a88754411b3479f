"""Tests in a real browser, which is up for as long as they run one after the other: see conftest."""
