"""The HTTP library, without its command line. Imported when the first request is made.

Where click and rich are installed, httpx imports both, and pygments, for a command line of its own:
two thirds of the time that its import takes (280 ms against 100). It does without where that module
is missing, so for the duration of the import it is.
"""

from __future__ import annotations

import ssl
import sys
from typing import Any, cast

_COMMAND_LINE = "httpx._main"
_hidden = "httpx" not in sys.modules and _COMMAND_LINE not in sys.modules
if _hidden:
    sys.modules[_COMMAND_LINE] = cast("Any", None)
try:
    import httpx
finally:
    if _hidden:
        del sys.modules[_COMMAND_LINE]

__all__ = ["httpx", "make_client"]

LOOPBACK = ("all://localhost", "all://*.localhost", "all://127.0.0.1", "all://[::1]")


def make_client(
    *, secure: bool, connect_s: float, write_s: float, keepalive_s: float
) -> httpx.AsyncClient:
    """A client without limits of its own: limits are kept per provider.

    Args:
        secure: for https. The certificates of the authorities are read only then.
        connect_s: longest time for making a connection.
        write_s: longest time for handing a piece to the network.
        keepalive_s: how long an idle connection is kept.
    """
    return httpx.AsyncClient(
        verify=True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        timeout=httpx.Timeout(connect=connect_s, read=None, write=write_s, pool=None),
        limits=httpx.Limits(keepalive_expiry=keepalive_s),
        follow_redirects=False,
        mounts=dict.fromkeys(LOOPBACK),  # a proxy of the environment is not for this machine
    )
