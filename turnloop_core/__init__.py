"""The core of turnloop: the loop, its record, its ports. Plugins import `turnloop_core.api`."""

__version__ = "0.2.0"
