"""Proxies that the environment asks for."""

from __future__ import annotations

import os

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def proxy_for(scheme: str, host: str) -> str:
    """Address of the proxy for `host`, "" when there is none. This machine is never asked by one.

    Args:
        scheme: `http` or `https`.
        host: in ASCII, without brackets.
    """
    if host in LOOPBACK or host.endswith(".localhost"):
        return ""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return ""
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all") or ""
    if not proxy or proxy_bypass(host):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"
