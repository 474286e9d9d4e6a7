"""Options of the model's tests."""


def pytest_addoption(parser):
    parser.addoption(
        "--large", action="store_true", help="also check the model with larger bounds: ten minutes, up to 4 GB at once"
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "large: takes minutes and gigabytes, and is only run with --large")
