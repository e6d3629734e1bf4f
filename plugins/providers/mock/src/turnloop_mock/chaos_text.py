"""Texts that are no JSON object: those that were never one, and those that stop in the middle."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

WORDS = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "heron")
Maker = Callable[[dict[str, Any], Random], str]


def rich(random: Random) -> dict[str, Any]:
    """A few members that hold all that JSON has: what is cut there may be cut anywhere."""
    whole: dict[str, Any] = {
        "words": 'say "hi",\n\ttwice \\ once',
        "signs": "gr\u00f6\u00dfer \u2192 \U0001f600",
        "count": random.randrange(-10_000, 10_000),
        "share": random.choice((0.25, -13.5, 1e-7, 2.5e20)),
        "yes": True,
        "no": False,
        "none": None,
        "list": [1, [2.5, "x"], {}],
        "map": {"inner": {"deep": [True, None]}},
    }
    names = random.sample(sorted(whole), random.randrange(2, 7))
    return {name: whole[name] for name in names}


def truncated(text: str, random: Random) -> str:
    """The beginning of a JSON object, never all of it."""
    return text[: random.randrange(1, len(text.rstrip()))]


def malformed(value: dict[str, Any], random: Random) -> tuple[str, str]:
    """What is wrong, and a text that is wrong in that way. It has its end: it was not cut.

    Args:
        value: an object with at least one member; the text resembles it.
        random: chooses.
    """
    how = random.choice(sorted(FORMS))
    return how, FORMS[how](value, random)


def _inside(value: dict[str, Any]) -> str:
    """The members of an object, without its braces."""
    return json.dumps(value)[1:-1]


def _member(bad: str) -> Maker:
    """The object with one more member, which is no JSON; first or last."""

    def make(value: dict[str, Any], random: Random) -> str:
        if random.random() < 0.5:
            return f"{{{bad}, {_inside(value)}}}"
        return f"{{{_inside(value)}, {bad}}}"

    return make


def _one_of(*bad: str) -> Maker:
    members = [_member(text) for text in bad]
    return lambda value, random: random.choice(members)(value, random)


def _around(*pairs: tuple[str, str]) -> Maker:
    def make(value: dict[str, Any], random: Random) -> str:
        before, after = random.choice(pairs)
        return f"{before}{json.dumps(value)}{after}"

    return make


def _other_value(value: dict[str, Any], random: Random) -> str:
    others: tuple[Any, ...] = (
        [value],
        [],
        list(value),
        "just words",
        json.dumps(value),
        42,
        -0.5,
        True,
        None,
    )
    return json.dumps(random.choice(others))


def _deep(value: dict[str, Any], random: Random) -> str:
    depth = random.randrange(150, 600)
    before, after = random.choice((("[", "]"), ('{"a":', "}")))
    return f'{{{_inside(value)}, "deep": {before * depth}1{after * depth}}}'


def _python(value: dict[str, Any], random: Random) -> str:
    return repr(value | {"sure": random.random() < 0.5})


def _huge_number(value: dict[str, Any], random: Random) -> str:
    digits = random.choice("123456789") * random.randrange(450, 6_000)
    return f'{{"number": {digits}, {_inside(value)}}}'


def _no_json(value: dict[str, Any], random: Random) -> str:
    key = next(iter(value))
    return random.choice((f"{key}: notes.txt", f"{key}=1", f"Read({key})", "undefined", "{]}"))


FORMS: dict[str, Maker] = {
    "trailing comma": lambda v, r: f"{{{_inside(v)}{r.choice((',', ', ', f',{chr(10)}'))}}}",
    "leading comma": lambda v, _: f"{{, {_inside(v)}}}",
    "single quotes": _python,
    "bare key": _one_of("key: 1", "file_path: 'x'", "$ref: true"),
    "bare word": _one_of('"key": yes', '"key": notes.txt', '"key": undefined', '"key": x, "y": 1'),
    "literal of Python": _one_of('"key": True', '"key": None', '"key": False'),
    "no number": _one_of('"key": NaN', '"key": Infinity', '"key": -Infinity'),
    "odd number": _one_of(
        '"key": 01',
        '"key": +1',
        '"key": .5',
        '"key": 0x1F',
        '"key": 1_000',
        '"key": 1.',
        '"key": -',
    ),
    "huge number": _huge_number,
    "two objects": lambda v, r: json.dumps(v) + r.choice(("", " ", "\n", ",", ";")) + json.dumps(v),
    "no comma": _one_of('"key": 1 "other": 2', '"key": [1 2]', '"key": "a" "b"'),
    "no colon": _one_of('"key" 1', '"key"', '"key", "value"'),
    "no value": _one_of('"key":', '"key": , "other": 1', '"key": [1,,2]'),
    "unclosed text": _one_of('"key": "words, "other": "x"', '"key: "words"', '"key": "a"b"'),
    "raw control character": _one_of(
        '"key": "a\nb"', '"key": "a\tb"', '"key": "a\x00b"', '"key": "\x1b[0m"'
    ),
    "half a character": _one_of('"key": \ud83d', '"\udc00": \udc00'),
    "bad escape": _one_of(r'"key": "\x41"', r'"key": "C:\Users"', r'"key": "\u12"', r'"key": "\'"'),
    "wrong bracket": _one_of('"key": [1, 2}', '"key": {"a": 1]', '"key": (1, 2)'),
    "extra bracket": lambda v, r: json.dumps(v) + r.choice(("}", "]", " }}")),
    "comment": _one_of('"key": 1 // why\n', '/* why */ "key": 1', '# why\n"key": 1'),
    "no object": _other_value,
    "too deep": _deep,
    "wrapped": _around(
        ("```json\n", "\n```"),
        ("Here you are: ", ""),
        ("", "\nI hope that this helps."),
        ("<arguments>", "</arguments>"),
        ("(", ")"),
        ("\ufeff", ""),
    ),
    "no JSON": _no_json,
}
