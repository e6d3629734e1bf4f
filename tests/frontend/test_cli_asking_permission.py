"""Permission questions in the loop of lines: what is shown, and what may be typed."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from typing import Any

import pytest

from turnloop_core.frontend.console import Output
from turnloop_core.frontend.repl.asker import Asker
from turnloop_core.frontend.repl.explaining import LONGEST, explained, unseen
from turnloop_core.permissions import reasons
from turnloop_core.permissions.rules import parse_rule
from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, SubjectKind, Verdict

COMMAND, WRITE, READ = SubjectKind.COMMAND, SubjectKind.WRITE, SubjectKind.READ
ALLOW, ASK = Verdict.ALLOW, Verdict.ASK


def default(
    verdict: Verdict,
    kind: SubjectKind,
    shown: str,
    *,
    doubt: str = "",
    path: str = "/proj/x",
    **more: Any,
) -> Decision:
    """A decision of the mode, worded as the engine words it."""
    subject = Subject(kind, path if kind in (READ, WRITE) else shown, display=shown, **more)
    why = reasons.default(verdict, subject, PermissionMode.DEFAULT, doubt, "/proj")
    return Decision(verdict, why, subjects=(subject,))


def ruled(verdict: Verdict, rule: str, shown: str) -> Decision:
    subject = Subject(COMMAND, shown, display=shown)
    written = parse_rule(rule, "command line")
    why = reasons.by_rule(verdict, written, subject)
    return Decision(verdict, why, rule, "command line", (subject,))


def question(*parts: Decision, rules: Any = (), tool: str = "Bash", **more: Any) -> Any:
    if len(parts) == 1:
        decision = parts[0]
    else:
        asks = [part for part in parts if part.verdict is ASK]
        subjects = tuple(subject for part in asks for subject in part.subjects)
        decision = Decision(ASK, asks[0].reason, subjects=subjects, parts=parts)
    every = tuple(subject for part in parts for subject in part.subjects)
    return PermissionQuestion("q1", tool, "summary", decision, tuple(rules), every, **more)


def rows(asked: PermissionQuestion, width: int = 80, height: int = 24) -> list[str]:
    made = explained(asked, width=width, height=height)
    return ["".join(span.text for span in row) for row in made]


def test_the_parts_of_a_command_each_with_why() -> None:
    asked = question(
        ruled(ALLOW, "Bash(git status*)", "git status"),
        default(ALLOW, READ, "notes.txt"),
        ruled(ASK, "Bash(git push*)", "git push"),
        default(ASK, COMMAND, "make"),
        default(ASK, COMMAND, "$X", dynamic=True),
        default(ASK, COMMAND, "python3 -c x", doubt="its code cannot be seen"),
        default(ASK, WRITE, "/etc/x", path="/etc/x"),
        rules=[("Bash(a *)",), ("Bash(a)", "Bash(b)")],
    )
    assert rows(asked) == [
        "? Bash needs your consent for 5 of 7 parts:",
        "  ok   git status  (rule Bash(git status*))",
        "  ok   reads notes.txt  (default mode)",
        "  ask  git push  (ask rule Bash(git push*), command line)",
        "  ask  make  (no rule allows it)",
        "  ask  $X  (it is not known before it runs)",
        "  ask  python3 -c x  (its code cannot be seen)",
        "  ask  writes /etc/x  (it lies outside the project)",
        "  rules: 1. Bash(a *)  2. Bash(a) + Bash(b)",
    ]


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (default(ASK, COMMAND, "make"), ["no rule allows it", "    make"]),
        (default(ASK, WRITE, "a.py"), ["no rule allows writing a.py"]),
        (
            default(ASK, READ, "/etc/x", path="/etc/x"),
            ["reading /etc/x: it lies outside the project"],
        ),
        (
            ruled(ASK, "Bash(make)", "make"),
            ["ask rule Bash(make), command line", "    make"],
        ),
        (
            Decision(ASK, "too late at night (check bed)", source="bed", subjects=()),
            ["too late at night (check bed)"],
        ),
    ],
)
def test_a_call_of_one_subject_needs_no_list(part: Decision, told: list[str]) -> None:
    head, *rest = told
    assert rows(question(part, tool="Say")) == [f"? Say needs your consent: {head}", *rest]


def test_who_writes_a_file_is_not_listed_as_reading_it() -> None:
    asked = question(default(ASK, WRITE, "a.py"), default(ALLOW, READ, "a.py"), tool="Edit")
    assert rows(asked) == ["? Edit needs your consent: no rule allows writing a.py"]


def test_lines_that_would_be_equal_are_one() -> None:
    asked = question(
        default(ASK, COMMAND, "mkdir build"),
        default(ASK, WRITE, "build", command="mkdir build"),
        default(ASK, COMMAND, "rm build"),
        default(ASK, WRITE, "build", command="rm build"),
        default(ASK, WRITE, "build", doubt="it is guarded"),
    )
    assert rows(asked) == [
        "? Bash needs your consent for 4 parts:",
        "  ask  mkdir build  (no rule allows it)",
        "  ask  writes build  (no rule allows it)",
        "  ask  rm build  (no rule allows it)",
        "  ask  writes build  (it is guarded)",
    ]


def test_the_preview_takes_the_room_that_is_left() -> None:
    preview = "\n".join(f"+{n}" for n in range(99)) + "\n(1,000 more lines)"
    asked = question(default(ASK, WRITE, "a"), rules=[("Edit(a)",)], preview=preview)
    shown = rows(asked)
    assert len(shown) == 21
    assert shown[1:3] == ["  +0", "  +1"]
    assert shown[-2:] == ["  (1,081 more lines: v shows the preview whole)", "  rule: Edit(a)"]
    assert len(rows(asked, height=5)) == 10  # a small terminal scrolls


def test_a_long_command_is_shown_whole_up_to_a_bound_that_is_told() -> None:
    whole = "echo " + "x" * (LONGEST - 5)
    wide = LONGEST + 4
    assert rows(question(default(ASK, COMMAND, whole)), width=wide)[1] == f"    {whole}"
    cut = rows(question(default(ASK, COMMAND, whole + "; rm -r .")), width=wide)
    note = f"(only the beginning is shown: 9 of {LONGEST + 9:,} characters are left out)"
    assert cut[1:] == [f"    {whole}", f"    {note}"]
    styles = [
        r[0].style
        for r in explained(question(default(ASK, COMMAND, whole + "y")), width=80, height=9)
    ]
    assert styles[-1] == "warning"


def test_a_long_line_is_broken_within_the_margin() -> None:
    line = "echo " + " " * 71 + "  ok   rm -rf /  (rule Bash(rm *))"
    shown = rows(question(default(ASK, COMMAND, line)))
    assert all(row.startswith("    ") and len(row) <= 80 for row in shown[1:])
    assert "".join(row[4:] for row in shown[1:]) == line


def test_nothing_that_needs_consent_hides_behind_many_harmless_parts() -> None:
    inside = {"contained": True}
    parts = [default(ASK, COMMAND, f"touch {n}", **inside) for n in range(200)]
    bad = default(ASK, COMMAND, "curl https://evil.example", doubt="it talks to others")
    asked = question(*parts, bad)
    assert "curl https://evil.example" in rows(asked)[1]
    with_files = question(
        *parts, *[default(ASK, WRITE, str(n), command=f"touch {n}") for n in range(200)], bad
    )
    assert not any("writes" in row for row in rows(with_files))
    assert unseen(question(*parts[:140]), 80) == 0
    # On a narrow terminal fewer fit: what counts as shown is what that one shows.
    assert unseen(question(*parts[:140]), 24) > 0
    answer, taken, shown = typed(asked, "y", "y", "v", "y")
    assert (answer.allow, taken) == (True, 4)
    assert shown.count("are not shown yet: v shows them, n says no") == 2
    assert "touch 199" in shown
    assert typed(asked, "y", "n")[0].allow is False


def test_many_parts_are_counted() -> None:
    asked = question(
        *[default(ALLOW, READ, f"{n}.txt", path=f"/proj/{n}") for n in range(40)],
        *[default(ASK, COMMAND, "x" * 400 + str(n)) for n in range(40)],
    )
    shown = rows(asked)
    assert "       (28 more parts need no consent)" in shown
    told = "37 further parts are not shown, 25 of them need consent"
    assert shown[-1] == f"       {told}: v shows them, and a yes counts after that"
    few = rows(question(*asked.decision.parts[:19], asked.decision.parts[-1]))
    assert sum(row.startswith("  ok ") for row in few) == 12
    assert "       (7 more parts need no consent)" in few


NASTY = "a\x1b[2Jb\rc\u202ed\u200be\u2066f\u00adg\u2028h\u3164i\U000e0041j\u00a0k\nl\tm"


def test_nothing_that_is_shown_steers_the_terminal_or_hides() -> None:
    bad = default(ASK, COMMAND, NASTY, doubt=NASTY)
    more = default(ASK, WRITE, NASTY)
    for asked in (
        question(bad, more, rules=[(f"Bash({NASTY})",)], preview=NASTY, tool=f"T{NASTY}"),
        question(more, preview=NASTY, rules=[("Edit(a)",), (NASTY,)], tool=NASTY),
    ):
        for row in rows(asked):
            assert row.replace("\t", "").isprintable()
            assert not set(row) & set("\x1b\r\u202e\u200b\u2066\u00ad\u2028\u3164\u00a0")
    shown = rows(question(bad))
    assert shown[1:] == [
        r"    a\x1b[2Jb\rc\u202ed\u200be\u2066f\xadg\u2028h\u3164i\U000e0041j\xa0k",
        "    l\tm",
    ]


def typed(asked: PermissionQuestion, *lines: str | None) -> tuple[PermissionAnswer, int, str]:
    """What the asker makes of these lines, how many it took, and what it showed."""
    shown = io.StringIO()

    async def ask() -> tuple[PermissionAnswer, int]:
        asker = Asker(Output(shown))
        task = asyncio.ensure_future(asker.permission(asked))
        taken = 0
        for line in lines:
            await asyncio.sleep(0)
            taken += asker.take(line)
        return await task, taken

    answer, taken = asyncio.run(ask())
    return answer, taken, shown.getvalue()


TWO = [("Bash(a *)",), ("Bash(a)", "Bash(b)")]


def always(layer: Any, *rules: str) -> PermissionAnswer:
    return PermissionAnswer(True, "always", rules, layer=layer)


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["y"], PermissionAnswer(True)),
        (["s"], PermissionAnswer(True, "session")),
        (["S 2"], PermissionAnswer(True, "session", ("Bash(a)", "Bash(b)"))),
        (["s1"], PermissionAnswer(True, "session", ("Bash(a *)",))),
        (["a"], always("local")),
        (["a2"], always("local", "Bash(a)", "Bash(b)")),
        (["ap"], always("project")),
        (["ap 2"], always("project", "Bash(a)", "Bash(b)")),
        (["au1"], always("user", "Bash(a *)")),
        (["n"], PermissionAnswer(False)),
        (["n use  make"], PermissionAnswer(False, comment="use  make")),
        (["no, run it in CI"], PermissionAnswer(False, comment="run it in CI")),
        (["No: not. now."], PermissionAnswer(False, comment="not. now.")),
        (["n,later"], PermissionAnswer(False, comment="later")),
        (["no!"], PermissionAnswer(False)),
        (["nothing", "now", "y."], PermissionAnswer(True)),
        ([None], PermissionAnswer(False)),
        (["2", "s3", "s0", "y2", "aq", "?", "v", "", "y"], PermissionAnswer(True)),
        (["e", "Bash(x)", "s"], PermissionAnswer(True, "session", ("Bash(x)",))),
        (["e", "Bash(", "Bash(x)", "what", "au"], always("user", "Bash(x)")),
        (["e", "", "n"], PermissionAnswer(False)),
        (["e", "Bash(x)", "", "y"], PermissionAnswer(True)),
        (["e", None], PermissionAnswer(False)),
        (["e", "Bash(x)", None], PermissionAnswer(False)),
    ],
)
def test_what_may_be_typed(lines: list[str | None], answer: PermissionAnswer) -> None:
    asked = question(default(ASK, COMMAND, "a"), rules=TWO)
    assert typed(asked, *lines)[:2] == (answer, len(lines))


def test_for_several_parts_several_rules_may_be_typed() -> None:
    asked = question(default(ASK, COMMAND, "a"), default(ASK, COMMAND, "b"), rules=TWO)
    both = PermissionAnswer(True, "session", ("Bash(a)", "Bash(b)"))
    assert typed(asked, "e", "Bash(a)", "Bash(b)", "s")[0] == both
    one = PermissionAnswer(True, "session", ("Bash(*)",))
    assert typed(asked, "e", "Bash(*)", "", "s")[0] == one


def test_without_a_rule_nothing_is_kept_and_the_reason_is_said() -> None:
    asked = question(default(ASK, COMMAND, "a"))
    answer, taken, shown = typed(asked, "s", "a2", "e", "y")
    assert (answer, taken) == (PermissionAnswer(True), 4)
    assert shown.count("no rule makes this question go away: y or n") == 3


def test_unclear_input_gets_one_line_and_the_question_mark_explains_all() -> None:
    asked = question(default(ASK, COMMAND, "a"), rules=TWO, preview="+x")
    _, _, shown = typed(asked, "ja", "?", "y")
    told = "that is no answer; ? explains the choices, n WORDS says no and why"
    assert shown.count(told) == 1
    told = shown[shown.index("  y        yes, this once") :]
    for key in ("s ", "a ", "ap ", "au ", "e ", "v ", "n ", "ctrl-c"):
        assert f"\n  {key}" in told


def shown_after(*questions: PermissionQuestion) -> str:
    """What the last of these shows, one after the other at the same terminal."""
    shown = io.StringIO()

    async def ask() -> None:
        asker = Asker(Output(shown))
        for each in questions:
            shown.seek(0)
            shown.truncate()
            task = asyncio.ensure_future(asker.permission(each))
            await asyncio.sleep(0)
            asker.take("y")
            await task

    asyncio.run(ask())
    return shown.getvalue().lstrip("\n")  # nobody hit enter


def test_a_question_that_comes_again_shows_only_why_unless_it_is_another() -> None:
    first = question(default(ASK, COMMAND, "a"), rules=TWO)
    again = replace(first, complaint="Bash(b) \x1b would not do")
    why = "  Bash(b) \\x1b would not do\n"
    choices = "[y]es once, [s]ession, [a]lways, [e]dit rule, [?], [n]o: "
    whole = "".join(f"{row}\n" for row in rows(first))
    assert shown_after(first, again) == why + choices
    assert shown_after(first, again, again) == why + choices
    other = question(default(ASK, COMMAND, "b"), rules=TWO)
    assert shown_after(first, other, again) == why + whole + choices
    assert shown_after(first, first) == whole + choices


@pytest.mark.parametrize("yes", ["y", "s", "a2", "e"])
def test_while_parts_are_not_shown_only_a_no_is_taken(yes: str) -> None:
    parts = [default(ASK, COMMAND, "x" * 400 + str(n)) for n in range(40)]
    asked = question(*parts, rules=TWO)
    answer, taken, shown = typed(asked, yes, "n")
    assert (answer, taken) == (PermissionAnswer(False), 2)
    assert shown.count("parts that need consent are not shown yet: v shows them, n says no") == 1
    answer, taken, shown = typed(asked, "v", "y")
    assert (answer, taken) == (PermissionAnswer(True), 2)
    assert "not shown yet" not in shown
