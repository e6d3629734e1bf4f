"""Keys: where they come from, and how they are kept out of sight and out of child processes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from turnloop_core.config.dotenv import Assignment, parse_dotenv
from turnloop_core.config.files import read_settings_file
from turnloop_core.config.layer import Ignored
from turnloop_core.config.loaded import Loaded
from turnloop_core.config.needs_trust import WHY_DOTENV
from turnloop_core.config.paths import KeyPath, dotted
from turnloop_core.config.startup import DOTENV, StartUpAction, decide, steers
from turnloop_core.config.trust import IN_WORDS
from turnloop_core.errors import SettingsError
from turnloop_core.types.subjects import Verdict

KEY_NAME = "api_key_env"
SHORTEST_PART = 16  # characters of a key that are told from other text
SHORTEST_MASKED = 8  # a shorter value would also be found where it only looks like the key

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Secrets:
    """The values behind the names that settings give with `api_key_env`.

    The environment wins over the project's `.env`; blank counts as not set in both. Nothing that
    this object prints or raises shows a value.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        environment: Mapping[str, str],
        *,
        assignments: Mapping[str, Assignment] | None = None,
        file: str = "",
        problems: tuple[str, ...] = (),
        ignored: tuple[Ignored, ...] = (),
    ) -> None:
        self.names = names
        self.problems = problems
        self.ignored = ignored
        self._environment = dict(environment)
        self._values: dict[str, str] = {}
        self._origins: dict[str, str] = {}
        self._file = file
        for name in names:
            own, other = environment.get(name, "").strip(), (assignments or {}).get(name)
            if own:
                self._values[name], self._origins[name] = own, "environment"
            elif other and other.value.strip():
                self._values[name] = other.value.strip()
                self._origins[name] = f"{file}:{other.line}"
        self._pattern = self._masking()

    @classmethod
    def load(cls, loaded: Loaded, environment: Mapping[str, str]) -> Secrets:
        """The secrets of a process.

        `.env` stands in the project root and counts only when the user trusts the project. The
        settings that count have approved the names in it; a name that steers is never approved.

        Args:
            loaded: the settings.
            environment: the variables of this process.

        Raises:
            SettingsError: a setting holds something that cannot be a variable's name, the key
                itself perhaps; or `.env` cannot be read.
        """
        names = key_names(loaded)
        path = loaded.root.path / ".env"
        text = read_settings_file(path)
        if text is None:
            return cls(names, environment)
        found, malformed = parse_dotenv(text)
        offered = {n: found[n] for n in names if n in found}
        steering = [n for n in offered if steers(n)]
        taken = _taken(offered, loaded.trusted)
        if not loaded.trusted:
            why = f"{IN_WORDS['untrusted']}, and {WHY_DOTENV}"
            unset = [n for n in offered if not environment.get(n, "").strip()]
            ignored = tuple(
                Ignored(n, str(path), offered[n].line, why) for n in unset if n not in steering
            )
            return cls(names, environment, ignored=ignored)
        malformed += tuple((offered[n].line, f"{n} {_NEVER_HERE}") for n in steering)
        problems = tuple(f"{path}:{line}: {problem}" for line, problem in malformed)
        return cls(names, environment, assignments=taken, file=str(path), problems=problems)

    def __repr__(self) -> str:
        return f"<Secrets {', '.join(self.names)}>"

    def get(self, name: str) -> str | None:
        """The value, None when it is not set."""
        return self._values.get(name)

    def origin(self, name: str) -> str:
        """`environment`, or file and line; "" when it is not set."""
        return self._origins.get(name, "")

    def describe(self, name: str) -> str:
        """Where the value comes from, or why there is none; for messages."""
        if name in self._values:
            origin = self._origins[name]
            return f"{name} from {'the environment' if origin == 'environment' else origin}"
        if name in self._environment and name in self.names:
            blank = f"{name} is blank in the environment, which counts as not set"
            return f"{blank}, and {self._file} does not set it" if self._file else blank
        return f"{name} is not set"

    def mask(self, text: str) -> str:
        """The text with each known value of 8 or more characters replaced by its name.

        Of longer ones the beginning and the end are found too, half of them or more: what a tool
        shows is cut at some place, and a key may stand there.
        """
        if self._pattern is None:
            return text
        by_value = {value: name for name, value in reversed(self._values.items())}
        text = self._pattern.sub(lambda match: f"[value of {by_value[match.group(0)]}]", text)
        for value, name in by_value.items():
            text = _without_parts(text, value, f"[part of the value of {name}]")
        return text

    def child_environment(self) -> dict[str, str]:
        """The variables for child processes: without those that are keys, or contain one."""
        return {
            name: value
            for name, value in self._environment.items()
            if name not in self.names and not (self._pattern and self._pattern.search(value))
        }

    def _masking(self) -> re.Pattern[str] | None:
        values = {value for value in self._values.values() if len(value) >= SHORTEST_MASKED}
        longest_first = sorted(values, key=lambda value: (-len(value), value))
        return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


_NEVER_HERE = "steers turnloop or the programs that it starts, and is not taken from .env"


def _taken(offered: Mapping[str, Assignment], trusted: bool) -> dict[str, Assignment]:
    """What counts of the names that settings refer to. The value is the user's to change."""
    actions = {name: StartUpAction("env", name, None, DOTENV) for name in offered}
    approved = frozenset(action.digest for action in actions.values())
    return {
        name: offered[name]
        for name, action in actions.items()
        if decide(action, trusted=trusted, approved=approved)[0] is Verdict.ALLOW
    }


def _without_parts(text: str, value: str, instead: str) -> str:
    """The text without a long beginning or a long end of `value`."""
    least = max(SHORTEST_PART, (len(value) + 1) // 2)
    if len(value) <= least:
        return text
    place = 0
    while (start := text.find(value[:least], place)) >= 0:
        end = start + least
        while end - start < len(value) and text[end : end + 1] == value[end - start]:
            end += 1
        text = text[:start] + instead + text[end:]
        place = start + len(instead)
    place = 0
    while (start := text.find(value[-least:], place)) >= 0:
        end = start + least
        while (
            end - start < len(value) and start > place and text[start - 1] == value[start - end - 1]
        ):
            start -= 1
        text = text[:start] + instead + text[end:]
        place = start + len(instead)
    return text


def key_names(loaded: Loaded) -> tuple[str, ...]:
    """The names of variables that the settings say hold keys, each once, sorted.

    Raises:
        SettingsError: one of them cannot be a name.
    """
    names: set[str] = set()
    for path, name in _named(loaded.raw, ()):
        if name is None or (isinstance(name, str) and not name.strip()):
            continue  # this entry needs no key
        if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
            origin = loaded.origin(path)
            raise SettingsError(
                f"{dotted(path)}: not the name of a variable",
                where=origin.where if origin else "settings",
                key=dotted(path),
                hint="put the key into a variable or .env, and the variable's name here",
            )
        names.add(name)
    return tuple(sorted(names))


def _named(data: Any, at: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == KEY_NAME:
                yield (*at, key), value
            else:
                yield from _named(value, (*at, key))
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from _named(item, (*at, index))
