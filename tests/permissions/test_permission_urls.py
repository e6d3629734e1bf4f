"""Addresses: taken apart strictly, matched by host and never by prefix."""

from __future__ import annotations

from typing import Any

import pytest

from turnloop_core.permissions.urls import is_private, parse_address, url_subject
from turnloop_core.types.subjects import Subject, Verdict

DOCS = "WebFetch(https://docs.example.com/*)"


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("https://DOCS.example.COM/Guide", "https://docs.example.com/Guide"),
        ("HTTPS://docs.example.com:443", "https://docs.example.com/"),
        ("http://docs.example.com:80/?q=1#top", "http://docs.example.com/?q=1"),
        ("https://docs.example.com:8443/x", "https://docs.example.com:8443/x"),
        ("https://docs.example.com/a/./b/../c", "https://docs.example.com/a/c"),
        ("https://docs.example.com/a/%2E%2e/b/", "https://docs.example.com/b/"),
        ("https://docs.example.com/a/..", "https://docs.example.com/"),
        ("https://docs.example.com/../../a", "https://docs.example.com/a"),
        ("https://docs.example.com/?next=/a/../b", "https://docs.example.com/?next=/a/../b"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://[0:0:0:0:0:0:0:1]:3000/", "http://[::1]:3000/"),
        ("https://d\u043ecs.example.com/", "https://xn--dcs-sed.example.com/"),
    ],
)
def test_normal_form(given: str, normal: str) -> None:
    subject = url_subject(given)
    assert (subject.narrow, subject.dynamic) == (normal, False)
    assert str(parse_address(normal)) == normal


@pytest.mark.parametrize(
    "url",
    [
        "",
        "docs.example.com/guide",
        "//docs.example.com/guide",
        "ftp://docs.example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https:///guide",
        "https:/docs.example.com/",
        "https://user@docs.example.com/",
        "https://docs.example.com:443@evil.example/guide",
        "https://docs.example.com\\@evil.example/",
        "https://docs.example.com\t.evil.example/",
        "https://docs.example.com /",
        "https://docs.ex%61mple.com/",
        "https://docs.example.com:x/",
        "https://docs.example.com:65536/",
        "https://[::1/",
        "https://[fe80::1%25eth0]/",
        "https://1.2.3.4.5/",
        "https://256.1.1.1/",
        "https://a..b/",
    ],
)
def test_an_address_whose_host_is_in_doubt_is_undecidable(place: Any, url: str) -> None:
    subject = url_subject(url)
    assert subject.dynamic
    engine = place.engine(allow=["WebFetch", DOCS])
    assert place.verdict(engine, "WebFetch", subject) is Verdict.ASK


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("localhost", True),
        ("app.localhost", True),
        ("printer", True),
        ("wiki.internal", True),
        ("nas.home.arpa", True),
        ("127.0.0.1", True),
        ("0.0.0.0", True),
        ("10.0.0.5", True),
        ("192.168.1.1", True),
        ("100.64.0.1", True),
        ("169.254.169.254", True),
        ("224.0.0.1", True),
        ("::1", True),
        ("::", True),
        ("fd00::1", True),
        ("fe80::1", True),
        ("::ffff:169.254.169.254", True),
        ("64:ff9b::a00:5", True),
        ("2002:7f00:1::", True),
        ("8.8.8.8", False),
        ("2606:4700::1111", False),
        ("::ffff:8.8.8.8", False),
        ("docs.example.com", False),
        ("localhost.example.com", False),
    ],
)
def test_private_hosts(host: str, private: bool) -> None:
    assert is_private(host) is private


@pytest.mark.parametrize(
    ("rule", "url", "expected"),
    [
        (DOCS, "https://docs.example.com/guide?x=/y", True),
        (DOCS, "https://docs.example.com.evil.example/guide", False),
        (DOCS, "https://docs.example.com./guide", False),
        (DOCS, "http://docs.example.com/guide", False),
        (DOCS, "https://docs.example.com:8443/guide", False),
        (DOCS, "https://evil.example/?u=https://docs.example.com/guide", False),
        ("WebFetch(https://docs.example.com/public/*)", "https://docs.example.com/public/a", True),
        ("WebFetch(https://docs.example.com/public/*)", "https://docs.example.com/pub", False),
        (
            "WebFetch(https://docs.example.com/public/*)",
            "https://docs.example.com/public/../admin",
            False,
        ),
        ("WebFetch(https://*.example.com/*)", "https://a.b.example.com/", True),
        ("WebFetch(https://*.example.com/*)", "https://example.com/", False),
        ("WebFetch(https://*.example.com/*)", "https://evilexample.com/", False),
        ("WebFetch(https://docs.example.com:8443/*)", "https://docs.example.com:8443/x", True),
        ("WebFetch(http://localhost:3000/*)", "http://localhost:3000/health", True),
        ("WebFetch(http://[::1]:3000/*)", "http://[::1]:3000/health", True),
        ("WebFetch", "https://anything.example/", True),
        ("WebFetch(*)", "https://anything.example/", True),
        ("WebFetch", "http://localhost:3000/", False),
        ("WebFetch(*)", "http://169.254.169.254/latest", False),
    ],
)
def test_allow_rules(place: Any, rule: str, url: str, expected: bool) -> None:
    verdict = place.verdict(place.engine(allow=[rule]), "WebFetch", url_subject(url))
    assert verdict is (Verdict.ALLOW if expected else Verdict.ASK)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/x",
        "http://evil.example/x",
        "https://evil.example:8443/x",
        "https://evil.example./x",
        "https://EVIL.example/a%2Fb",
    ],
)
def test_deny_rules_look_past_scheme_port_and_spelling(place: Any, url: str) -> None:
    engine = place.engine("bypass", deny=["WebFetch(https://evil.example/*)"])
    assert place.verdict(engine, "WebFetch", url_subject(url)) is Verdict.DENY


def test_a_deny_rule_sees_escaped_letters(place: Any) -> None:
    engine = place.engine("bypass", deny=["WebFetch(https://evil.example/admin/*)"])
    verdict = place.verdict(engine, "WebFetch", url_subject("https://evil.example/%61dmin/x"))
    assert verdict is Verdict.DENY


def test_a_deny_rule_for_subdomains_binds_the_domain(place: Any) -> None:
    engine = place.engine("bypass", deny=["WebFetch(https://*.evil.example/*)"])
    assert place.verdict(engine, "WebFetch", url_subject("https://evil.example/")) is Verdict.DENY


def test_where_a_name_leads_counts(place: Any) -> None:
    public = url_subject("http://a.example/", ["93.184.216.34"])
    private = url_subject("http://a.example/", ["93.184.216.34", "10.0.0.5"])
    mapped = url_subject("http://a.example/", ["::1"])
    engine = place.engine(allow=["WebFetch"])
    found = [place.verdict(engine, "WebFetch", s) for s in (public, private, mapped)]
    assert found == [Verdict.ALLOW, Verdict.ASK, Verdict.ASK]
    denied = place.engine(allow=["WebFetch"], deny=["WebFetch(http://10.0.0.5/*)"])
    assert place.verdict(denied, "WebFetch", private) is Verdict.DENY


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("WebFetch", Verdict.ASK),
        ("WebFetch(*)", Verdict.ASK),
        ("WebFetch(http://*.example/*)", Verdict.ASK),
        ("WebFetch(http://*.b.example/*)", Verdict.ASK),
        ("WebFetch(http://10.0.0.5/*)", Verdict.ASK),  # names the address, not this name for it
        ("WebFetch(http://a.b.example/*)", Verdict.ALLOW),
        ("WebFetch(http://a.b.example/x)", Verdict.ALLOW),
    ],
)
def test_only_a_rule_that_names_the_host_covers_a_name_for_a_private_machine(
    place: Any, rule: str, expected: Verdict
) -> None:
    engine = place.engine(allow=[rule])
    for found in (["10.0.0.5"], ["93.184.216.34", "fd00::1"], ["::ffff:127.0.0.1"]):
        private = url_subject("http://a.b.example/x", found)
        assert place.verdict(engine, "WebFetch", private) is expected
    public = url_subject("http://a.b.example/x", ["93.184.216.34"])
    named = "10.0.0.5" in rule
    assert place.verdict(engine, "WebFetch", public) is (Verdict.ASK if named else Verdict.ALLOW)


def test_an_address_in_numbers_is_covered_by_the_rule_that_names_it(place: Any) -> None:
    engine = place.engine(allow=["WebFetch(http://10.0.0.5/*)"])
    for url in ("http://10.0.0.5/x", "http://167772165/x", "http://0xa.5/x"):
        assert place.verdict(engine, "WebFetch", url_subject(url)) is Verdict.ALLOW


def test_a_deny_rule_for_many_hosts_holds_for_private_ones_too(place: Any) -> None:
    private = url_subject("http://a.b.example/x", ["10.0.0.5"])
    for kind, verdict in (("deny", Verdict.DENY), ("ask", Verdict.ASK)):
        engine = place.engine(**{kind: ["WebFetch(http://*.b.example/*)"]})
        assert place.verdict(engine, "WebFetch", private) is verdict


def test_a_deny_rule_sees_escaped_letters_on_the_address_that_a_name_stands_for(place: Any) -> None:
    engine = place.engine("bypass", deny=["WebFetch(http://10.0.0.5/admin/*)"])
    subject = url_subject("http://a.example/%61dmin/x", ["10.0.0.5"])
    assert place.verdict(engine, "WebFetch", subject) is Verdict.DENY


def test_an_address_that_nobody_normalised_is_judged_all_the_same(place: Any) -> None:
    def raw(url: str) -> Subject:
        return Subject(url_subject("http://x.example/").kind, url)

    engine = place.engine(allow=["WebFetch"])
    assert place.verdict(engine, "WebFetch", raw("http://127.1/")) is Verdict.ASK
    assert place.verdict(engine, "WebFetch", raw("http://u@docs.example.com/")) is Verdict.ASK
