"""What the end-to-end tests are made of: the server under test, its database and registry, bytes on a wire, faults."""
