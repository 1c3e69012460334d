"""Faults and load, on the real `sightline serve`: whatever happens to it, what was acknowledged stays."""
