"""Proxies of the environment: they look names up, and nothing is looked up here."""

from __future__ import annotations

from base64 import b64encode

import pytest

from turnloop_core.api import SettingsError, TurnloopError
from turnloop_core.testing.loopback import Answer, Loopback

WORDS = Answer(headers={"content-type": "text/plain"}, body=b"words")


def test_a_proxy_is_asked_with_the_whole_address(browser, monkeypatch):
    with Loopback(WORDS) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("http://", "http://me:p%40w@"))
        result = browser.fetch("http://page.example/a?b")
    assert result.text.endswith("\nwords")
    (request,) = proxy.requests
    assert request.path == "http://page.example/a?b"
    assert request.headers["host"] == "page.example"
    signed = b64encode(b"me:p@w").decode()
    assert request.headers["proxy-authorization"] == f"Basic {signed}"
    assert browser.names.asked == []


def test_a_proxy_that_refuses_a_tunnel_is_named(browser, monkeypatch):
    with Loopback(Answer(403)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        with pytest.raises(TurnloopError, match=r"the proxy refused to connect to page\.example"):
            browser.fetch("https://page.example/")


def test_this_machine_is_not_asked_through_a_proxy(browser, monkeypatch):
    with Loopback(WORDS) as server, Loopback() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        browser.fetch(server.url)
        assert proxy.requests == []


def test_no_proxy_counts(browser, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "page.example")
    with pytest.raises(TurnloopError, match="cannot be looked up"):
        browser.fetch("http://page.example/")


def test_a_proxy_of_another_kind_is_said(browser, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    with pytest.raises(SettingsError, match="no http address"):
        browser.fetch("http://page.example/")


def test_certificates_that_cannot_be_read_are_said(browser, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with pytest.raises(SettingsError, match="no certificates can be read"):
        browser.fetch("https://127.0.0.1:1/")
