"""What a project's settings would do, shown to the user, and what the user says to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from turnloop_core.permissions.text import printable

if TYPE_CHECKING:
    from turnloop_core.config.layer import Ignored
    from turnloop_core.environment import Environment

WIDEST_VALUE = 1_000  # what is approved should be read whole
WIDEST_NAME = 160
WIDEST_IN_SHORT = 60
MOST_SIGNS = 8
_MARK: Mapping[str, str] = {"changed": " (changed)", "new": " (new)"}


def wanted(env: Environment, *, short: bool = False) -> tuple[str, ...]:
    """What would count with the user's consent: no setting is left out, however many there are.

    Values are shown without what looks like a secret and without control characters; of long ones
    the beginning and the end. Signs that may look like others are named.

    Args:
        env: the settings.
        short: one line for each setting, with some of its value, instead of two.
    """
    from turnloop_core.config.explain import shown

    lines = []
    for item in env.loaded.pending:
        value = env.secrets.mask(shown(item.path, item.action.content))
        name = bounded(item.action.name, WIDEST_NAME) + _MARK.get(item.standing, "")
        if short:
            lines.append(f"{name}: {bounded(value, WIDEST_IN_SHORT)}")
        else:
            lines.append(f"{name}  ({_place(item.ignored)})")
            lines.append(f"  {bounded(value, WIDEST_VALUE)}")
    lines += (f"{entry.key}  ({_place(entry)})" for entry in env.secrets.ignored)
    return tuple(lines)


def _place(entry: Ignored) -> str:
    return f"{printable(entry.file)}:{entry.line}"


def bounded(text: str, width: int) -> str:
    """`text` on one line: of a long one the beginning and the end, so that nothing hides there.

    Blanks stay as they are: without them it would be another text.
    """
    whole = printable(text)
    signs = _signs(whole)
    if len(whole) <= width:
        return whole + signs
    ends = max(1, (width - 3) // 2)
    return f"{whole[:ends]} … {whole[-ends:]} (cut: {len(text):,} characters){signs}"


def _signs(text: str) -> str:
    """The signs beyond ASCII by number: a Cyrillic letter looks like a Latin one."""
    found = sorted({sign for sign in text if not sign.isascii()})
    if not found:
        return ""
    more = ", …" if len(found) > MOST_SIGNS else ""
    return f" (not only ASCII: {', '.join(f'U+{ord(s):04X}' for s in found[:MOST_SIGNS])}{more})"


def digest_of_wanted(env: Environment) -> str:
    """The same as long as the project wants the same."""
    from turnloop_core.config.startup import digest_of

    pending = {item.action.label: item.action.digest for item in env.loaded.pending}
    return digest_of([pending, sorted(entry.key for entry in env.secrets.ignored)])


def approve(env: Environment) -> None:
    """Trust the folder, and exactly what was shown.

    Raises:
        SettingsError: the list of trusted folders cannot be read or written.
    """
    from turnloop_core.config.trust_store import TrustStore

    approved = {item.action.label: item.action.digest for item in env.loaded.pending}
    TrustStore(env.scope.home).trust(env.scope.root, approved)
