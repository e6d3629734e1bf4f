"""What only a running tool knows, given beside the arguments: nothing is looked up for it here."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from turnloop_core.permissions.matching import PATHS
from turnloop_core.permissions.urls import parse_address, url_subject
from turnloop_core.types.subjects import Subject, SubjectKind
from turnloop_core.values import dataclass

_SAYS_NOTHING = ("phase", "origin")  # when a call is judged and who wrote it raises no rights
_OF_ADDRESSES = ("resolved", "connected", "redirect_chain")
_OF_PATHS = ("approved_realpath",)
NAMES = (*_SAYS_NOTHING, *_OF_ADDRESSES, *_OF_PATHS)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a call beside its arguments.

    Attributes:
        given: names that were given, and mean something.
        addresses: IP addresses that the host stands for, or that were connected to.
        hops: where redirects lead, in order.
        approved: the real path at the time of consent, "" where none was given.
        misfits: what is no such fact, in words.
    """

    given: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    hops: tuple[str, ...] = ()
    approved: str = ""
    misfits: tuple[str, ...] = ()


def take_out(arguments: Mapping[str, Any], own: Collection[str]) -> tuple[Facts, dict[str, Any]]:
    """The facts, and the arguments without them.

    Args:
        arguments: as given.
        own: names of the tool's own arguments, which are no facts.
    """
    named = {name: arguments[name] for name in NAMES if name in arguments and name not in own}
    rest = {name: value for name, value in arguments.items() if name not in named}
    texts = {name: _texts(value) for name, value in named.items() if name not in _SAYS_NOTHING}
    known = {name: found for name, found in texts.items() if found is not None}
    facts = Facts(
        given=tuple(known),
        addresses=(*known.get("resolved", ()), *known.get("connected", ())),
        hops=known.get("redirect_chain", ()),
        approved="".join(known.get("approved_realpath", ())[:1]),
        misfits=tuple(f"{name}: not text, or a list of texts" for name in texts.keys() - known),
    )
    return facts, rest


def _texts(value: Any) -> tuple[str, ...] | None:
    values = [value] if isinstance(value, str) else value
    if isinstance(values, list) and all(isinstance(each, str) for each in values):
        return tuple(values)
    return None


def apply(facts: Facts, subjects: Sequence[Subject]) -> tuple[tuple[Subject, ...], tuple[str, ...]]:
    """The subjects with what is known of them, and doubts because of which it is asked."""
    if not facts.given:
        return tuple(subjects), facts.misfits
    kinds = {subject.kind for subject in subjects}
    useless: list[str] = [] if SubjectKind.URL in kinds else [*_OF_ADDRESSES]
    useless += [] if kinds.intersection(PATHS) else _OF_PATHS
    doubts = [f"{name} says nothing of such a call" for name in facts.given if name in useless]
    judged: list[Subject] = []
    for subject in subjects:
        judged += _with_addresses(subject, facts) if subject.kind is SubjectKind.URL else [subject]
        if facts.approved and subject.kind in PATHS:
            doubts += _moved(subject, os.path.normpath(facts.approved))
    return tuple(judged), (*facts.misfits, *dict.fromkeys(doubts))


def _moved(subject: Subject, approved: str) -> list[str]:
    if subject.narrow == approved:
        return []
    return [f"the path leads to {subject.narrow} now, consent was for {approved}"]


def _with_addresses(subject: Subject, facts: Facts) -> list[Subject]:
    """The address with what its name stands for, and every hop as an address more."""
    from urllib.parse import urljoin

    found = [_known(subject, subject.narrow, facts.addresses)]
    address, last = parse_address(subject.narrow), subject.narrow
    for hop in facts.hops:
        last = urljoin(last, hop)
        there = parse_address(last)
        same = address is not None and there is not None and there.host == address.host
        found.append(_known(url_subject(last), last, facts.addresses if same else ()))
    return found


def _known(subject: Subject, url: str, addresses: Sequence[str]) -> Subject:
    if subject.dynamic or not addresses:
        return subject
    plain = [address.partition("%")[0] for address in addresses]
    told = subject.reason or f"its host stands for {', '.join(plain)}"
    return replace(url_subject(url, plain), reason=told)
