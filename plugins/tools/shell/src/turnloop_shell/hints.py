"""Recognises commands that wanted input, which is not to be had here."""

from __future__ import annotations

import re

HINT = (
    "the command wanted input, and there is none here: pass it by arguments, options "
    "(-m, --yes) or a pipe"
)

_SAID = re.compile(
    r"inappropriate ioctl|not a tty|not a terminal|no tty present|terminal is required"
    r"|terminal prompts disabled|EOFError: EOF when reading|no editor here|/dev/tty"
    r"|problem with the editor|read from stdin failed|end of file on stdin",
    re.IGNORECASE,
)
# Programs that read what is typed when they are called without arguments.
_BARE = re.compile(
    r"\s*(?:cat|python[\d.]*|node|irb|ghci|psql|mysql|sqlite3|bash|sh|zsh|fish|bc|ftp|telnet|vim?"
    r"|nano|emacs|top|htop|less|more|passwd|su)\s*"
)
_READ = re.compile(r"(?:^|[;&\n]|\bdo\b|\bthen\b)\s*read(?:\s+-\w+)*(?:\s+\w+)+\s*(?:;|\n|&&|$)")


def wanted_input(command: str, exit_code: int | None, output: str) -> bool:
    """Whether a command came to an end since it could not read from anybody. A guess."""
    if _BARE.fullmatch(command) and not output.strip():
        return True
    if _READ.search(command) and "<" not in command and "|" not in command:
        return True
    return exit_code not in (0, None) and _SAID.search(output[-2_000:]) is not None
