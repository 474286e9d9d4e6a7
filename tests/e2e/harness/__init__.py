"""What the end-to-end tests are made of: the server under test, a database, and bytes on a wire."""
