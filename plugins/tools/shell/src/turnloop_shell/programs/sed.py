"""`sed`: what its script and its options write and run."""

from __future__ import annotations

from turnloop_shell.programs.making import code_text, dynamic, touch
from turnloop_shell.programs.scan import Scan, scan
from turnloop_shell.programs.sed_script import Script, Unread, read_script
from turnloop_shell.programs.use import Code, Command, Effect, Touch, Use
from turnloop_shell.syntax.words import Word, plain

_LONG = (
    "quiet silent debug expression: file: follow-symlinks in-place? line-length: posix "
    "regexp-extended separate sandbox unbuffered null-data binary zero-terminated help version"
)
_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/stdin")


def sed(command: Command) -> Use:
    found = scan(command.words[1:], "ne:f:i?I?l:ErsuzbaH", _LONG, mixed=True)
    if found.problem:
        return dynamic(f"it cannot be told what `{command.name}` does: {found.problem}")
    if found.has("help", "version"):
        return Use(Effect.READS)
    scripts, files = _scripts(found)
    in_place = found.has("i", "I", "in-place")
    touches = [*touch("c" if in_place else "r", files)]
    touches += touch("r", found.values("f", "file"))
    for suffix in found.values("i", "I", "in-place"):
        touches += _backups(files, suffix)
    effect = Effect.CHANGES if in_place else Effect.READS
    read = Script()
    reason = "the script of `sed` stands in a file" if found.has("f", "file") else ""
    if in_place and not all(w.known for w in found.values("i", "I", "in-place")):
        reason = "where `sed` puts its copies is not known"
    text = _joined(scripts)
    if text is None:
        reason = "the script of `sed` is not known"
    else:
        try:
            read = read_script(text)
        except Unread:
            reason = reason or "the script of `sed` is not understood"
    code = tuple(Code(text, "what `sed` runs") for text in read.code)
    touches += touch("w", [plain(name) for name in read.writes if name not in _STREAMS])
    touches += touch("r", [plain(name) for name in read.reads if name not in _STREAMS])
    if set(read.writes) - set(_STREAMS):
        effect = Effect.CHANGES
    if read.runs:
        reason = "`sed` runs what comes out of its input"
    if reason:
        return dynamic(reason, code=code, touches=tuple(touches))
    return Use(effect, code, touches=tuple(touches))


def _scripts(found: Scan) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    scripts = found.values("e", "expression")
    if scripts or found.has("f", "file"):
        return scripts, found.rest
    if found.has("i") and found.rest and found.rest[0].known and not found.rest[0].text:
        found = Scan(found.options, found.rest[1:])  # BSD: an empty suffix is a word of its own
    return found.rest[:1], found.rest[1:]


def _joined(scripts: tuple[Word, ...]) -> str | None:
    texts = [code_text(word) for word in scripts]
    if not all(text is not None for text in texts):
        return None
    return "\n".join(text for text in texts if text is not None)


def _backups(files: tuple[Word, ...], suffix: Word) -> tuple[Touch, ...]:
    """The copies that `-i.bak` makes; with a slash or a star they lie elsewhere."""
    if "/" in suffix.text or "*" in suffix.text:
        return touch("w", (suffix,))
    return touch("w", [Word((*w.parts, *suffix.parts), w.source, w.nested) for w in files])
