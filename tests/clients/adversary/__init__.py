"""Attacks on the real `sightline serve`, each from where an attacker stands: without a key, as another user, on a port that was taken over."""
