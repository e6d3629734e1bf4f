"""From the words of a command and a `Spec` to its `Use`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from turnloop_shell.programs.making import HERE, joined, worst
from turnloop_shell.programs.options import Given, Role, Spec
from turnloop_shell.programs.pieces import base_name, folder_of, shown_option
from turnloop_shell.programs.reading import read_options
from turnloop_shell.programs.tally import Tally, is_deep, leads_out
from turnloop_shell.programs.use import Command, Effect, Touch, Use
from turnloop_shell.syntax.words import Word

_HELP = frozenset({"--help", "--version"})
_NAMED = re.compile(r"[^-=][^=]*=")


def use_by_spec(command: Command, spec: Spec) -> Use:
    """What a command does, by the table entry of its program."""
    words = command.words[1:]
    if asks_help(words):
        return Use(Effect.READS)
    spec, given = narrowed(words, spec)
    tally = Tally(command.name, spec.effect, remote=spec.remote)
    _add_options(tally, command, given)
    _add_operands(tally, command, spec, given)
    return tally.made()


def asks_help(words: Sequence[Word]) -> bool:
    """Only `--help` or `--version`, which every program of the tables answers by text."""
    return len(words) == 1 and words[0].known and words[0].text in _HELP


def use_of_options(command: Command, spec: Spec, given: Given) -> Use:
    """What options alone do: those in front of a subcommand."""
    tally = Tally(command.name, spec.effect, remote=spec.remote)
    _add_options(tally, command, given)
    return tally.made()


def unsure(given: Given) -> bool:
    """An option that is not known may have taken an operand for its value."""
    return any(
        not option.known and (option.value is None or len(option.name) == 1)
        for option in given.options
    )


def merged(first: Use, second: Use) -> Use:
    """Both at once: the worse effect, and all that either does."""
    return replace(
        second,
        effect=worst(first.effect, second.effect),
        code=(*first.code, *second.code),
        runs=(*first.runs, *second.runs),
        touches=tuple(dict.fromkeys((*first.touches, *second.touches))),
        forms=tuple(dict.fromkeys((*first.forms, *second.forms))),
        dynamic=first.dynamic or second.dynamic,
        opaque=first.opaque or second.opaque,
        doubt=first.doubt or second.doubt,
    )


def narrowed(words: Sequence[Word], spec: Spec) -> tuple[Spec, Given]:
    """The spec of the case that the options make it, and the words as that one reads them."""
    given = read_options(words, spec)
    for names, special in spec.cases:
        if given.has(*names):
            return narrowed(words, special)
    return spec, given


def _add_options(tally: Tally, command: Command, given: Given) -> None:
    if not given.known:
        reason = f"it is not known what `{given.doubt}` means to `{command.name}`"
        tally.worsen(Effect.UNKNOWN, reason)
    for option in given.options:
        shown = shown_option(option.name)
        if not option.known and option.value and leads_out(option.value.text):
            reason = f"it is not known what {shown} does with `{option.value.text}`"
            tally.worsen(Effect.UNKNOWN, reason)
        tally.take(option.role, option.value, shown)


def _add_operands(tally: Tally, command: Command, spec: Spec, given: Given) -> None:
    rest = [word for word in given.operands if not _assignment(tally, spec, word)]
    if spec.starts and rest:
        tally.start(tuple(rest))
        return
    pinned = given.has(*spec.unless)
    inside = pinned and spec.into
    doubtful = unsure(given)  # then nobody knows which operand is the first or the last
    if spec.sole is not None and not pinned and len(rest) == 1:
        tally.take(spec.sole, rest[0], _shown(rest[0]))
    if spec.first is not None and not pinned and rest:
        tally.take(spec.first, rest[0], _shown(rest[0]))
        rest = rest if doubtful and not spec.lenient else rest[1:]
    count = len(rest)
    if inside:
        targets = [o.value for o in given.options if o.name in spec.unless and o.value]
        _into(tally, spec, rest, targets)
    elif spec.last is not None and not pinned and count >= 2:
        for word in rest if doubtful else rest[-1:]:
            _last(tally, spec, given, word, rest)
        rest = rest if doubtful else rest[:-1]
    if not (spec.links and (inside or count >= 2)):
        for word in rest:
            tally.take(spec.operands, word, _shown(word))
    piped = spec.filters and command.stdin is not None
    if spec.default is not None and count < spec.minimum and not piped and not inside:
        tally.take(spec.default, HERE, "the current folder")


def _last(tally: Tally, spec: Spec, given: Given, target: Word, operands: list[Word]) -> None:
    """The target of a copy: written itself, or a folder into which the others come."""
    if not spec.into:
        tally.take(spec.last, target, _shown(target))
        return
    sources = [word for word in operands if word is not target]
    folder = target.known and target.text.rpartition("/")[2] in ("", ".", "..")
    named = all(base_name(word) for word in sources)
    only_folder = folder and named and not given.has("T", "no-target-directory")
    tally.take(Role.WRITE if only_folder else spec.last, target, _shown(target))
    _into(tally, spec, sources, [target])


def _into(tally: Tally, spec: Spec, sources: Sequence[Word], targets: Sequence[Word]) -> None:
    """The sources come into a folder under their own names."""
    deep = spec.last is not None and is_deep(spec.last)
    for target in targets:
        for source in sources:
            base = base_name(source)
            word = target if base is None else joined(target, base)
            tally.touch(Touch(word, writes=True, deep=deep or base is None))
            if spec.links:
                for folder in (folder_of(target), target):
                    tally.touch(Touch(joined(folder, source)))


def _assignment(tally: Tally, spec: Spec, word: Word) -> bool:
    """Take an operand `NAME=value`; False if it is none."""
    assigned = spec.assigned
    found = _NAMED.match(word.prefix) if assigned else None
    if found is None:
        return False
    name = found.group()[:-1].strip()
    # `make 'X!=command'` runs it.
    ran = name.endswith("!") and "" in assigned
    role = Role.REFUSED if ran else assigned.get(name.rstrip(":+?! "), assigned.get(""))
    tally.take(role, word.without(found.end()), f"`{name}=`")
    return True


def _shown(word: Word) -> str:
    return f"`{word.text}`"
