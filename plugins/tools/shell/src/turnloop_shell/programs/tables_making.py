"""How the tables are written: names in one string, divided by blanks.

In the names of a role, `name` takes a value, `name?` takes one only when it is glued (`--name=x`),
`name!` takes none, and `name&` takes a name and a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from turnloop_shell.programs.groups import with_names, with_options
from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.use import Effect

READS, CHANGES, PROJECT, NETWORK, UNKNOWN = tuple(Effect)
_ROLES = MappingProxyType({role.name.lower(): role for role in Role})

_MARKS = " &?!"  # in the order of `tables_of`

Cases = Mapping[str, Spec]


def spec(
    flags: str = "",
    long: str = "",
    *,
    effect: Effect = READS,
    unless: str = "",
    cases: Cases | None = None,
    **more: Any,
) -> Spec:
    """A `Spec`; keywords named like a role list the options of that role.

    `cases` maps names of options to the spec that holds when one of them is given; the options of
    this spec are options there too.
    """
    return changed(Spec(effect=effect), flags, long, unless=unless, cases=cases, **more)


def changed(
    base: Spec,
    flags: str = "",
    long: str = "",
    *,
    unless: str = "",
    cases: Cases | None = None,
    **more: Any,
) -> Spec:
    """The same program with further options, or with other meanings."""
    named = _named(flags, long, {key: more.pop(key) for key in _ROLES if key in more})
    made = replace(
        with_names(base, named, base), unless=base.unless | frozenset(unless.split()), **more
    )
    special = {frozenset(names.split()): case for names, case in (cases or {}).items()}
    made = with_names(made, made, _flags(frozenset().union(*special)))
    added = tuple((names, with_options(case, made)) for names, case in special.items())
    return replace(made, cases=(*added, *base.cases))


def _flags(names: frozenset[str]) -> Spec:
    return Spec(
        flags="".join(sorted(name for name in names if len(name) == 1)),
        long=frozenset(name for name in names if len(name) > 1),
    )


def _named(flags: str, long: str, roles: Mapping[str, str]) -> Spec:
    """A spec of nothing but options.

    Raises:
        ValueError: a name stands there twice.
    """
    tables: tuple[dict[str, Role], ...] = ({}, {}, {}, {})
    values, pairs, optional, flag_roles = tables
    names = [*flags, *long.split()]
    for key, row in roles.items():
        for written in row.split():
            mark = _MARKS.find(written[1:][-1:] or " ")
            name = written if mark <= 0 else written[:-1]
            tables[max(mark, 0)][name] = _ROLES[key]
            names.append(name)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"options with two meanings: {' '.join(twice)}")
    return Spec(
        flags=flags,
        long=frozenset(long.split()),
        values=values,
        pairs=pairs,
        optional=optional,
        flag_roles=flag_roles,
    )


def alike(names: str, found: Spec | Subcommands) -> dict[str, Spec | Subcommands]:
    """One entry for several names."""
    return dict.fromkeys(names.split(), found)


def group(
    options: Spec | None = None,
    specs: Mapping[str, Spec | Subcommands] | None = None,
    *,
    reads: str = "",
    changes: str = "",
    network: str = "",
    unknown: str = "",
    project: str = "",
    aliases: str = "",
    **more: Any,
) -> Subcommands:
    """A `Subcommands`.

    Args:
        options: in front of the subcommand, and behind it as well.
        specs: subcommands with options of their own.
        reads: subcommands that need no more than an effect; so `changes`, `network`, `unknown`
            and `project`. What they take is text, except for `project`.
        aliases: pairs `other=name`.
        more: fields of `Subcommands`.
    """
    shared = options or Spec()
    found: dict[str, Spec | Subcommands] = {}
    plain = (
        (reads, READS, Role.TEXT, False),
        (changes, CHANGES, Role.CHANGE, False),
        (network, NETWORK, Role.TEXT, True),
        (unknown, UNKNOWN, Role.TEXT, True),
        (project, PROJECT, Role.READ, True),
    )
    for names, effect, operands, lenient in plain:
        found.update(alike(names, Spec(effect=effect, operands=operands, lenient=lenient)))
    found.update(specs or {})
    joined: dict[int, Spec | Subcommands] = {}  # many names share an entry
    for entry in found.values():
        if id(entry) not in joined:
            joined[id(entry)] = _joined(entry, shared)
    return Subcommands(
        MappingProxyType({name: joined[id(entry)] for name, entry in found.items()}),
        shared,
        MappingProxyType(dict(pair.split("=") for pair in aliases.split())),
        **more,
    )


def _joined(entry: Spec | Subcommands, shared: Spec) -> Spec | Subcommands:
    if isinstance(entry, Spec):
        return with_options(entry, shared)
    specs = {name: _joined(inner, shared) for name, inner in entry.specs.items()}
    return replace(entry, specs=specs, options=with_options(entry.options, shared))
