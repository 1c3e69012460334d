"""The protocol's own conformance suite, run against a gateway that wants a key."""
