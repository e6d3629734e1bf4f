"""The test kit: for core, for the plugins that come with it, and for everybody's.

    provider_suite.py   ProviderConformance: subclass it in ten lines
    http_suite.py       HttpProviderConformance: the same, and what the server sees
    tool_suite.py       ToolConformance
    scenarios.py        the replies that a provider's test server must be able to give
    fakes.py            scripted provider, approver, observer, clock
    contexts.py         what factories and running calls get; the entries of a plugin
    loopback.py         a scripted HTTP server
    project.py          a real project folder with a HOME of its own
    network.py          refuses real connections; a pytest plugin
    cli.py              runs `tl` as a process

Nothing here loads by itself. A plugin's `conftest.py` turns the network guard on with

    pytest_plugins = ["turnloop_core.testing.network"]

and a test module imports what it needs by name.
"""
