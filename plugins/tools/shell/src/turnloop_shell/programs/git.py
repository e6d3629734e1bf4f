"""git: its global options, and which subcommand does what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from turnloop_shell.programs.git_config import code_of, harmless, split_setting
from turnloop_shell.programs.git_options import sub_use
from turnloop_shell.programs.git_special import SPECIAL
from turnloop_shell.programs.git_tables import SUBS
from turnloop_shell.programs.making import joined, one_of
from turnloop_shell.programs.scan import single
from turnloop_shell.programs.use import Code, Command, Effect, Touch, Use
from turnloop_shell.syntax.words import Word, plain

_FLAGS = one_of(
    "-p --paginate -P --no-pager --no-replace-objects --literal-pathspecs "
    "--glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks "
    "--no-lazy-fetch --no-advice"
)
_PRINTS = one_of("-h --help -v --version --html-path --man-path --info-path --exec-path")
_REPOSITORY = ("--git-dir", "--work-tree", "--exec-path", "--super-prefix", "--namespace")
_TAKES = frozenset(("--git-dir", "--work-tree", "--namespace", "--attr-source"))
_HELPER = re.compile(r"[A-Za-z0-9+.-]+::")


@dataclass(slots=True)
class _Front:
    """What stands in front of the subcommand."""

    rest: tuple[Word, ...] = ()
    reason: str = ""
    folder: Word | None = None
    code: list[Code] = field(default_factory=list)
    aliases: list[tuple[str, Word]] = field(default_factory=list)
    prints: bool = False
    some: bool = False

    def doubt(self, reason: str) -> None:
        self.reason = self.reason or reason


def git(command: Command) -> Use:
    front = _front(command.words[1:])
    if front.prints and not front.reason:
        return Use(Effect.READS, tuple(front.code))
    if not front.rest:
        return _with_front(Use(Effect.READS), front, ())
    name = front.rest[0]
    if not name.known:
        front.doubt(f"nobody knows which command of git `{name.source}` is")
        return _with_front(Use(), front, ())
    use = _sub(name.text, Command((name, *front.rest[1:]), command.stdin))
    return _with_front(use, front, (plain("git"), *front.rest))


def _sub(name: str, command: Command) -> Use:
    words = command.words[1:]
    if words and words[-1].known and words[-1].text in ("--help", "-h"):
        return Use(Effect.READS)
    if name in SPECIAL:
        return SPECIAL[name](command)
    found = SUBS.get(name)
    if found is None:
        return Use(doubt=f"it is not known what `git {name}` is: it may be an alias")
    use = sub_use(name, found, words)
    if found.remote:
        for word in words:
            if _HELPER.match(word.prefix):
                return replace(use, dynamic=f"git runs a program for `{word.source}`")
    return use


def _with_front(use: Use, front: _Front, words: tuple[Word, ...]) -> Use:
    """The use of a subcommand together with what stood in front of it."""
    forms = list(use.forms)
    if front.some and words:
        forms.insert(0, words)
    for name, value in front.aliases:
        if words and words[1].text == name and value.known and not value.text.startswith("!"):
            split = tuple(plain(part) for part in value.text.split())
            forms.append((words[0], *split, *words[2:]))
    touches = tuple(
        replace(touched, word=joined(front.folder, touched.word)) for touched in use.touches
    )
    if front.folder is not None:
        writes = use.effect is Effect.CHANGES
        touches = (Touch(front.folder, writes=writes, reads=writes), *touches)
    return replace(
        use,
        code=(*front.code, *use.code),
        forms=tuple(forms),
        touches=touches,
        dynamic=front.reason or use.dynamic,
        doubt=front.reason or use.doubt,
        repository=True,
        within=front.folder,
        lists=() if front.folder is not None else use.lists,
        runs=tuple(replace(run, folder=run.folder or front.folder) for run in use.runs),
    )


def _front(words: tuple[Word, ...]) -> _Front:
    front = _Front()
    place = 0
    while place < len(words) and words[place].prefix.startswith("-"):
        front.some = True
        word, after = words[place], words[place + 1 : place + 2]
        place += 1
        name, equals, _ = word.prefix.partition("=")
        if not word.known and not (equals and single(word)):
            front.doubt(f"the options of git are not known: `{word.source}`")
        elif word.text in _FLAGS:
            continue
        elif word.text in _PRINTS:
            front.prints = True
            break
        elif word.text in ("-C", "-c", "--config-env") or word.text in _TAKES:
            place += 1
            if not after or not single(after[0]):
                front.doubt(f"the value of `git {word.text}` is not known")
            else:
                _valued(front, word.text, after[0])
        elif equals and name.startswith("--"):
            _valued(front, name, word.without(len(name) + 1))
        else:
            front.doubt(f"it is not known what `git {word.source}` does")
    front.rest = words[place:]
    return front


def _valued(front: _Front, name: str, value: Word) -> None:
    """A global option with its value."""
    if name == "-C":
        front.folder = joined(front.folder, value)
    elif name in ("-c", "--config-env"):
        setting, given = split_setting(value)
        if harmless(setting, given if name == "-c" else None):
            return
        if name == "-c" and given is not None:
            front.code += code_of(setting, given)
            if setting.lower().startswith("alias."):
                front.aliases.append((setting[6:], given))
        front.doubt(f"the setting `{setting or value.source}` may make git run a program")
    elif name == "--list-cmds":
        front.prints = True
    elif name in _REPOSITORY and name != "--namespace":
        front.doubt(f"`git {name}` brings other settings, or other parts, than the project's")
    elif name not in ("--namespace", "--attr-source"):
        front.doubt(f"it is not known what `git {name}` does")
