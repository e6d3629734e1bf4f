"""No test of this plugin may reach the network."""

pytest_plugins = ["turnloop_core.testing.network"]
