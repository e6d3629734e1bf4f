"""Programs whose first operand says what they do: `cargo build`, `npm publish`."""

from __future__ import annotations

import re
from dataclasses import replace

from turnloop_shell.programs.meaning import (
    asks_help,
    merged,
    unsure,
    use_by_spec,
    use_of_options,
)
from turnloop_shell.programs.options import Role, Spec, Subcommands, tables_of
from turnloop_shell.programs.reading import read_options
from turnloop_shell.programs.suffixes import suffixes
from turnloop_shell.programs.use import Command, Effect, Use
from turnloop_shell.syntax.words import Word, plain

_MOST_CANDIDATES = 8


def use_by_group(command: Command, group: Subcommands) -> Use:
    """What a command does, by what its subcommand means."""
    words = command.words[1:]
    if asks_help(words):
        return Use(Effect.READS)
    if group.skipped and words and words[0].prefix.startswith(group.skipped):
        words = words[1:]
    front = replace(group.options, stops=True, effect=Effect.READS)
    given = read_options(words, front)
    use = use_of_options(command, front, given)
    if not given.operands:
        return merged(use, use_by_spec(Command(command.words[:1], command.stdin), group.bare))
    use = merged(use, _subcommand(command, group, given.operands))
    if unsure(given):  # the subcommand is the first operand, or one behind it
        for place, word in enumerate(given.operands[1:_MOST_CANDIDATES], 1):
            if _named(word, group) is not None:
                use = merged(use, _subcommand(command, group, given.operands[place:]))
    return use


def _named(word: Word, group: Subcommands) -> str | None:
    """The subcommand that a word names, None for none that is known."""
    if not word.known:
        return None
    name = group.aliases.get(word.text, word.text)
    if name in group.specs:
        return name
    if not group.shortened or not name:
        return None
    names = {*group.specs, *group.aliases}
    found = {group.aliases.get(full, full) for full in names if full.startswith(name)}
    return found.pop() if len(found) == 1 else None


def _subcommand(command: Command, group: Subcommands, words: tuple[Word, ...]) -> Use:
    program, word = command.words[0], words[0]
    shown = f"`{command.name} {word.text}`"
    if not word.known:
        reason = f"which command of `{command.name}` runs is not known"
        return Use(dynamic=reason, doubt=reason)
    name = _named(word, group)
    forms = _forms(command, (program, *words))
    if name is None:
        use = Use(doubt=f"it is not known what {shown} does")
        if group.default is not None:
            use = use_by_spec(Command((program, *words), command.stdin), group.default)
            forms = (*forms, *use.forms, *_scripts(words, group.default))
        return replace(use, forms=forms)
    found = group.specs[name]
    inner = Command((plain(name), *words[1:]), command.stdin)
    if isinstance(found, Subcommands):
        use = use_by_group(inner, found)
        forms = (*forms, *((program, *form) for form in use.forms))
    else:
        use = use_by_spec(inner, found)
        bare = (program, inner.words[0], *read_options(words[1:], found).operands)
        forms = (*forms, *use.forms, *_forms(command, bare), *_scripts(words[1:], found))
    forms = (*forms, *_forms(command, (program, *inner.words)))
    doubt = re.sub(rf"`{re.escape(name)}(?=[` ])", shown.rstrip("`"), use.doubt)
    by_text = {tuple(word.text for word in form): form for form in forms}
    return replace(use, forms=tuple(by_text.values()), doubt=doubt)


def _scripts(words: tuple[Word, ...], spec: Spec) -> tuple[tuple[Word, ...], ...]:
    """`yarn run rm x`: a script of that name, or a program, `rm x`."""
    if spec.first is not Role.TARGET:
        return ()
    given = read_options(words, spec)
    if not given.operands:
        return ()
    row = (plain(""), *given.operands)
    return suffixes(row) if unsure(given) else (given.operands,)


def _forms(command: Command, words: tuple[Word, ...]) -> tuple[tuple[Word, ...], ...]:
    same = [word.text for word in words] == [word.text for word in command.words]
    return () if same else (words,)


def with_options(spec: Spec, options: Spec) -> Spec:
    """A spec that also takes the options that stand in front of the subcommand."""
    cases = tuple((names, with_options(case, options)) for names, case in spec.cases)
    return replace(with_names(spec, spec, options), cases=cases)


def with_names(spec: Spec, first: Spec, second: Spec) -> Spec:
    """`spec` with the options of two others; where both have a name, it means what `first` says."""
    own = {*first.flags, *first.long, *(name for table in tables_of(first) for name in table)}
    values, pairs, optional, flag_roles = (
        {**{name: role for name, role in less.items() if name not in own}, **more}
        for less, more in zip(tables_of(second), tables_of(first), strict=True)
    )
    return replace(
        spec,
        flags=first.flags + "".join(letter for letter in second.flags if letter not in own),
        long=first.long | (second.long - own),
        values=values,
        pairs=pairs,
        optional=optional,
        flag_roles=flag_roles,
    )
