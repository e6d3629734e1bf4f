"""Names that stand for private addresses, and what is connected to."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.api import (
    ErrorKind,
    Refusal,
    Result,
    Scope,
    Subject,
    TurnloopError,
    UsageError,
    is_private,
    url_subject,
)
from turnloop_core.testing.contexts import FakeCallContext
from turnloop_core.testing.loopback import Answer, Loopback
from turnloop_web.addresses import subject_of
from turnloop_web.allowance import Allowance
from turnloop_web.way import Way

NO = Refusal(ErrorKind.NO_CONSENT, "nobody is there.", "a rule would help")
SCOPE = Scope(Path("/x"), Path("/x"), Path("/home"))
WORDS = Answer(headers={"content-type": "text/plain"}, body=b"words")


def test_what_a_name_stands_for_is_judged_before_anything_is_connected_to(browser_where):
    browser = browser_where(page_example=[["127.0.0.1"]])
    with Loopback(WORDS) as server:
        url, address = f"http://page.example:{server.port}/x", f"http://127.0.0.1:{server.port}/x"
        assert browser.judged(url).forms == (url,)
        browser.refusing[url] = NO
        result = browser.fetch(url)
        assert server.requests == []
        assert result == Result.say(
            f"{url} was not fetched: page.example stands for 127.0.0.1; nobody is there.",
            display=f"not fetched: {url}\na rule would help",
            error=ErrorKind.NO_CONSENT,
        )
        (judged,) = browser.context.judged
        assert judged.forms == (url, address)
        assert judged.reason == "page.example (127.0.0.1) is this machine or its own network"
        browser.refusing.clear()
        assert browser.fetch(url).ok
    (request,) = server.requests
    assert request.headers["host"] == f"page.example:{server.port}"


def test_public_addresses_are_judged_as_well_since_a_rule_may_deny_them(browser_where):
    browser = browser_where(page_example=[["8.8.8.8", "2606:4700::1111", "10.0.0.5"]])
    url = "http://page.example/"
    browser.refusing[url] = NO
    assert "stands for 8.8.8.8, 2606:4700::1111, 10.0.0.5; " in browser.fetch(url).text
    assert browser.asked_about == [
        (url, "http://8.8.8.8/", "http://[2606:4700::1111]/", "http://10.0.0.5/")
    ]
    (judged,) = browser.context.judged
    assert judged.reason == "page.example (10.0.0.5) is this machine or its own network"


def test_an_address_in_numbers_is_judged_once(browser):
    with Loopback(WORDS) as server:
        assert browser.fetch(server.url).ok
        assert browser.asked_about == []
        assert browser.judged(server.url).reason == "127.0.0.1 is this machine or its own network"


def test_a_name_is_looked_up_once_for_all_hops(browser_where):
    """What was judged is what is connected to, whatever the name stands for by then."""
    browser = browser_where(page_example=[["127.0.0.1"], ["192.0.2.1"]])
    hop = Answer(302, {"location": "/b"})
    with Loopback(hop, WORDS) as server:
        url = f"http://page.example:{server.port}"
        assert browser.fetch(url).ok
        assert browser.asked_about == [
            (f"{url}/", f"{server.url}/"),
            (f"{url}/b", f"{server.url}/b"),
        ]
    assert browser.names.asked == [("page.example", server.port)]


def test_the_next_address_is_tried_when_one_does_not_answer(browser_where):
    browser = browser_where(page_example=[["127.0.0.2", "127.0.0.1"]])
    with Loopback(WORDS) as server:  # it listens on 127.0.0.1 only
        assert browser.fetch(f"http://page.example:{server.port}/").ok


def test_localhost_is_this_machine_from_the_start(browser):
    with Loopback(WORDS) as server:
        url = f"http://localhost:{server.port}/"
        forms = browser.judged(url).forms
        assert f"http://127.0.0.1:{server.port}/" in forms
        assert f"http://[::1]:{server.port}/" in forms
        assert browser.fetch(url).ok


@pytest.mark.parametrize("host", ["nowhere.example", f"{'a' * 70}.example"])
def test_a_name_that_nobody_knows(browser, host):
    with pytest.raises(TurnloopError, match="cannot be looked up") as error:
        browser.fetch(f"http://{host}/")
    assert "no network" in error.value.hint


def test_the_real_resolver_gives_addresses():
    from turnloop_web.addresses import resolve

    assert "127.0.0.1" in anyio.run(resolve, "127.0.0.1", 80)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("example.org/page", "must be whole"),
        ("/etc/passwd", "must be whole"),
        ("", "must be whole"),
        ("file:///etc/passwd", "not file"),
        ("ftp://example.org/", "not ftp"),
        ("https://me:pw@example.org/", "a name or password in it is refused"),
        ("https://docs.example.com:443@evil.example/", "a name or password in it is refused"),
        ("https://docs.example.com\\@evil.example/", "a name or password in it is refused"),
        ("https://a.example\\.evil.example/", "not plain which host"),
        ("https://exa mple.org/", "not plain which host"),
        ("https://example.org:99999/", "'99999' is no port"),
        ("https://example.org:http/", "'http' is no port"),
        ("https://example.org/a\\b", "a backslash, line end or control"),
        ("https://example.org/" + "a" * 100_000, "100,020 characters is too long"),
        ("https:///path", "not plain which host"),
    ],
)
def test_what_is_no_address_is_refused_before_anybody_is_asked(browser, url, told):
    with pytest.raises(UsageError, match=told):
        browser.judged(url)


PRIVATE = (
    *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
    *("0.0.0.0/8", "100.64.0.0/10", "224.0.0.0/4", "240.0.0.0/4", "::1/128", "::/128"),
    *("fc00::/7", "fe80::/10", "ff00::/8"),
)
IPV4 = [ipaddress.IPv4Network(net) for net in PRIVATE if ":" not in net]


def within(net: ipaddress.IPv4Network | ipaddress.IPv6Network) -> st.SearchStrategy[str]:
    first, last = int(net.network_address), int(net.broadcast_address)
    made = ipaddress.IPv4Address if net.version == 4 else ipaddress.IPv6Address
    return st.integers(first, last).map(lambda number: str(made(number)))


ADDRESSES = st.sampled_from(PRIVATE).map(ipaddress.ip_network).flatmap(within)
IN_IPV4 = st.sampled_from(IPV4).flatmap(within).map(ipaddress.IPv4Address)


def led(host: str, answer: list[str]) -> tuple[str, str, Way]:
    """`asked` for what was judged anew, `same` for what passes for the judged; forms; the way."""
    judged: list[tuple[Subject, Subject | None]] = []

    class Context(FakeCallContext):
        async def judge(self, subject, *, like=None):
            judged.append((subject, like))

    async def resolve(_host: str, _port: int) -> list[str]:
        return answer

    async def go() -> Way:
        way = Way(Context(SCOPE, SCOPE.root), resolve, Allowance(10, ""))
        assert await way.begin(subject_of(f"http://{host}/")) is None
        return way

    way = anyio.run(go)
    ((subject, like),) = judged
    return "same" if like else "asked", " ".join(subject.forms), way


@given(address=ADDRESSES, others=st.lists(st.sampled_from(["8.8.8.8", "2606:4700::1111"])))
@settings(max_examples=150, deadline=None)
def test_a_name_that_looks_public_and_is_private_is_asked_about_anew(address, others):
    how, forms, _ = led("page.example", [*others, address])
    assert how == "asked"
    assert f"http://[{address}]/" in forms or f"http://{address}/" in forms


@given(address=ADDRESSES)
@settings(max_examples=50, deadline=None)
def test_a_name_of_the_own_network_is_asked_about_once(address):
    assert led("printer.lan", [address])[0] == "same"


FORMS = (
    "::ffff:{}",
    "64:ff9b::{}",
    "::{}",
    "2002:{hex}::1",
)


@given(inner=IN_IPV4, form=st.sampled_from(FORMS))
@settings(max_examples=150, deadline=None)
def test_so_is_an_address_that_stands_for_a_private_one(inner, form):
    number = f"{int(inner):08x}"
    written = form.format(inner, hex=f"{number[:4]}:{number[4:]}")
    assert led("page.example", [written])[0] == "asked"


@given(
    inner=IN_IPV4,
    write=st.sampled_from(["{n}", "0x{n:x}", "0{n:o}", "{a}.{rest}", "0x{a:x}.{rest}"]),
)
@settings(max_examples=150, deadline=None)
def test_however_a_private_address_is_written_it_is_judged_as_one(inner, write):
    number = int(inner)
    host = write.format(n=number, a=number >> 24, rest=number & 0xFFFFFF)
    subject = url_subject(f"http://{host}/")
    assert subject.narrow == f"http://{inner}/"
    assert is_private(str(inner))


@given(address=st.sampled_from(["fe80::1%eth0", "fe80::1%1"]))
@settings(max_examples=5, deadline=None)
def test_an_address_with_a_zone_is_one_of_the_own_network(address):
    how, forms, way = led("page.example", [address])
    assert (how, forms) == ("asked", "http://page.example/ http://[fe80::1]/")
    assert way.connect_to == (address,)


@given(last=st.integers(0, 255))
@settings(max_examples=30, deadline=None)
def test_public_addresses_are_connected_to_in_their_order(last):
    found = [f"8.8.4.{last}", "2606:4700::1111", f"8.8.4.{last}"]
    how, _, way = led("page.example", found)
    assert (how, way.connect_to) == ("same", (f"8.8.4.{last}", "2606:4700::1111"))
