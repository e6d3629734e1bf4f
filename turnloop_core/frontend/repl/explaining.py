"""A permission question in rows: what asks and why, what would be written, which rules would do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from turnloop_core.frontend.render import Line, diff_style
from turnloop_core.frontend.repl.visible import visible, visible_line
from turnloop_core.permissions.reasons import doing
from turnloop_core.ports.approver import PermissionQuestion
from turnloop_core.types.subjects import Decision, Subject, SubjectKind, Verdict
from turnloop_core.values import dataclass

Row = tuple[Line, ...]

LONGEST = 6_000  # characters of a call that are shown; a model may write a page, but not a book
MOST_ROWS = 150
MANY = 20  # parts; beyond these their order is that of their weight
MOST_ALLOWED = 12  # parts that need no consent
FEWEST_PREVIEWED = 8
_WIDEST = 200  # of a line of the preview, unless all of it is asked for
_LONGEST_WHY = 400
_MARGIN = "       "
_MARKS = {Verdict.ALLOW: ("  ok   ", "dim"), Verdict.ASK: ("  ask  ", "warning")}
_VERBS = {
    SubjectKind.READ: "reads ",
    SubjectKind.WRITE: "writes ",
    SubjectKind.URL: "fetches ",
    SubjectKind.SEARCH: "searches the web for ",
}
_NO_QUESTION = re.compile(r"needs no question in (\w+) mode")
_NEEDS = re.compile(r"needs consent in \w+ mode(?:: (?P<because>.*))?", re.DOTALL)
_MORE = re.compile(r"\(([0-9,]+) more lines\)")


def explained(question: PermissionQuestion, *, width: int, height: int) -> list[Row]:
    """The rows of a question.

    Args:
        question: what is asked.
        width: columns of the terminal.
        height: rows of it; the preview takes what the rest leaves, or `FEWEST_PREVIEWED`.
    """
    rows = [*_call(question, width)]
    rules = _rules(question.proposals, width)
    room = max(FEWEST_PREVIEWED, height - len(rows) - len(rules) - 3)
    return [*rows, *previewed(question.preview, room), *rules]


def _call(question: PermissionQuestion, width: int) -> Iterator[Row]:
    """Why consent is needed, and the parts of the call."""
    decision = question.decision
    parts = _told_apart(decision.parts or (decision,))
    asks = [part for part in parts if part.verdict is Verdict.ASK]
    tool = visible_line(question.tool)
    if len(parts) > 1 and asks:
        all_of_it = len(asks) == len(parts)
        of = f"{len(parts)} parts" if all_of_it else f"{len(asks)} of {len(parts)} parts"
        yield _row(f"? {tool} needs your consent for {of}:", "warning")
        yield from _listed(parts, width)
        return
    part = asks[0] if asks else decision
    yield _row(f"? {tool} needs your consent: {_headline(part)}", "warning")
    if len(part.subjects) != 1:
        yield from (
            row for subject in part.subjects for row in _text(_shown(subject), "call", width)
        )
    elif part.subjects[0].kind is SubjectKind.COMMAND:
        yield from _text(_shown(part.subjects[0]), "call", width)
    elif part.subjects[0].kind is SubjectKind.TOOL and not question.preview:
        yield from _text(question.summary, "call", width)


def _told_apart(parts: Sequence[Decision]) -> list[Decision]:
    """Without what says nothing more: lines that would be equal, and the reading of a file by what
    writes it, where that is allowed.
    """
    written = {s.narrow for part in parts for s in part.subjects if s.kind is SubjectKind.WRITE}
    different: dict[tuple[str, ...], Decision] = {}
    for part in parts:
        different.setdefault((part.verdict, why_of(part), *map(_shown, part.subjects)), part)
    return [
        part
        for part in different.values()
        if not (
            part.verdict is Verdict.ALLOW
            and all(s.kind is SubjectKind.READ and s.narrow in written for s in part.subjects)
        )
    ]


def all_parts(question: PermissionQuestion, width: int) -> list[Row]:
    """Every part that needs consent, however many there are."""
    parts = _told_apart(question.decision.parts)
    asks = _gravest_first([part for part in parts if part.verdict is Verdict.ASK])
    return [row for part in asks for row in _part(part, width, LONGEST)]


@dataclass(frozen=True, slots=True)
class _Listing:
    """The parts of a call as far as they can be read.

    Attributes:
        rows: of the parts that are shown.
        passed: how many parts that need no consent are only counted.
        left: parts that are not shown.
    """

    rows: tuple[Row, ...]
    passed: int
    left: tuple[Decision, ...]

    @property
    def hidden(self) -> int:
        """How many parts that need consent are not shown."""
        return sum(part.verdict is Verdict.ASK for part in self.left)


def _listing(parts: Sequence[Decision], width: int) -> _Listing:
    """One part after the other, within the bounds of what can be read."""
    allowed = characters = passed = 0
    rows: list[Row] = []
    left: list[Decision] = []
    for part in _gravest_first(parts) if len(parts) > MANY else parts:
        if part.verdict is Verdict.ALLOW:
            allowed += 1
            if allowed > MOST_ALLOWED:
                passed += 1
                continue
        if characters >= LONGEST or len(rows) >= MOST_ROWS:
            left.append(part)
            continue
        rows += _part(part, width, LONGEST - characters)
        characters += len(_shown(part.subjects[0]))
    return _Listing(tuple(rows), passed, tuple(left))


def _listed(parts: Sequence[Decision], width: int) -> Iterator[Row]:
    """The parts, and how many are not shown."""
    listing = _listing(parts, width)
    yield from listing.rows
    if listing.passed:
        yield _row(f"{_MARGIN}({listing.passed} more parts need no consent)", "dim")
    if listing.left:
        hidden = listing.hidden
        told = f"{len(listing.left)} further parts are not shown, {hidden} of them need consent"
        more = ": v shows them, and a yes counts after that" if hidden else ""
        yield _row(f"{_MARGIN}{told}{more}", "warning")


def _gravest_first(parts: Sequence[Decision]) -> list[Decision]:
    """Of many parts those first that are no plain writes in the project: nothing hides behind them.

    A file that goes with a command which asks anyway is left out.
    """
    asking = {s.narrow for p in parts for s in p.subjects if p.verdict is not Verdict.ALLOW}

    def weight(part: Decision) -> int:
        if part.verdict is Verdict.ALLOW:
            return 2
        return int(all(_is_plain(subject) for subject in part.subjects))

    kept = [p for p in parts if not all(s.command and s.command in asking for s in p.subjects)]
    return sorted(kept, key=weight)


def _is_plain(subject: Subject) -> bool:
    """It is known what it does, and that stays in the project."""
    if subject.kind in (SubjectKind.READ, SubjectKind.WRITE):
        return not subject.reason and not subject.display.startswith(("/", "~"))
    return subject.kind is SubjectKind.COMMAND and subject.contained


def unseen(question: PermissionQuestion, width: int) -> int:
    """How many parts that need consent a question does not show on a terminal of this width."""
    parts = _told_apart(question.decision.parts)
    return _listing(parts, width).hidden if len(parts) > 1 else 0


def _part(part: Decision, width: int, most: int) -> Iterator[Row]:
    mark, style = _MARKS.get(part.verdict, _MARKS[Verdict.ASK])
    text_style = "dim" if part.verdict is Verdict.ALLOW else "call"
    shown = _shown(part.subjects[0])
    first, *rest = _text(shown, text_style, width, most=most, margin=_MARGIN)
    why = visible_line(why_of(part))[:_LONGEST_WHY]
    head = Line(first[0].text.removeprefix(_MARGIN), text_style)
    if not rest and len(mark) + len(head.text) + len(why) + 4 <= width:
        yield (Line(mark, style), head, Line(f"  ({why})", style))
        return
    yield (Line(mark, style), head)
    yield from rest
    yield _row(f"{_MARGIN}({why})", style)


def _shown(subject: Subject) -> str:
    """What a subject does, as the user reads it."""
    if subject.kind in (SubjectKind.MCP, SubjectKind.TOOL):
        return doing(subject)
    return f"{_VERBS.get(subject.kind, '')}{subject.display or subject.narrow}"


def _text(
    text: str, style: str, width: int, *, most: int = LONGEST, margin: str = "    "
) -> Iterator[Row]:
    """All of a text, or its beginning and how much is left out.

    Long lines are broken here, within the margin: broken by the terminal, they could go on as what
    looks like a row of its own.
    """
    lines = [part for line in visible(text[:most]) for part in _broken(line, width - len(margin))]
    kept = lines[:MOST_ROWS]
    yield from (_row(f"{margin}{line}", style) for line in kept)
    left = max(0, len(text) - most) + sum(len(line) + 1 for line in lines[MOST_ROWS:])
    if left:
        note = f"(only the beginning is shown: {left:,} of {len(text):,} characters are left out)"
        yield _row(f"{margin}{note}", "warning")


def _broken(line: str, width: int) -> list[str]:
    width = max(width, 20)
    return [line[at : at + width] for at in range(0, len(line), width)] or [""]


def _headline(part: Decision) -> str:
    if len(part.subjects) != 1 or (part.source and not part.rule):
        return visible_line(part.reason)
    subject = part.subjects[0]
    what = "it" if subject.kind is SubjectKind.COMMAND else doing(subject)
    why = why_of(part)
    if why == _NO_RULE:
        return visible_line(f"no rule allows {what}")
    return visible_line(why if what == "it" else f"{what}: {why}")


_NO_RULE = "no rule allows it"


def why_of(part: Decision) -> str:
    """Why one subject is allowed or asked about, in few words."""
    if len(part.subjects) != 1:
        return part.reason
    subject = part.subjects[0]
    said = part.reason.removeprefix(doing(subject)).strip()
    if part.verdict is Verdict.ALLOW:
        found = _NO_QUESTION.fullmatch(said)
        return f"rule {part.rule}" if part.rule else f"{found[1]} mode" if found else said
    if part.rule and said.startswith("is to be asked about"):
        return f"ask rule {part.rule}, {part.source}"
    needs = _NEEDS.fullmatch(said)
    if needs is None:
        return said
    return needs["because"] or (_unknown(subject) if subject.dynamic else _NO_RULE)


def _unknown(subject: Subject) -> str:
    return "its code cannot be seen" if subject.opaque else "it is not known before it runs"


def previewed(preview: str, most: int, *, width: int = _WIDEST) -> list[Row]:
    """The beginning of a preview, and how many lines are left out."""
    if not preview.strip():
        return []
    lines = visible(preview.rstrip("\n"))
    if len(lines) <= most:
        return [_previewed(line, width) for line in lines]
    kept, left = lines[: most - 1], len(lines) - most + 1
    told = _MORE.fullmatch(lines[-1])
    if told:  # the tool itself left out some
        left += int(told[1].replace(",", "")) - 1
    note = f"  ({left:,} more lines: v shows the preview whole)"
    return [*(_previewed(line, width) for line in kept), _row(note, "dim")]


def _previewed(line: str, width: int) -> Row:
    cut = line if len(line) <= width else f"{line[: width - 1]}…"
    return _row(f"  {cut}", diff_style(line))


def _rules(proposals: Sequence[tuple[str, ...]], width: int) -> list[Row]:
    texts = [visible_line(" + ".join(rules)) for rules in proposals]
    if not texts:
        return []
    if len(texts) == 1:
        return [_row(f"  rule: {texts[0]}", "dim")]
    numbered = [f"{number}. {text}" for number, text in enumerate(texts, 1)]
    line = f"  rules: {'  '.join(numbered)}"
    if len(line) <= width:
        return [_row(line, "dim")]
    return [_row(f"  {'rules: ' if n == 0 else _MARGIN}{t}", "dim") for n, t in enumerate(numbered)]


def _row(text: str, style: str) -> Row:
    return (Line(text, style),)
