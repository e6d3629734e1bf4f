"""What a call is called, and what the model is told of one that did not run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from turnloop_core.loop import denials
from turnloop_core.loop.prepare import _preview, _summary
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import Rules, parse_rule
from turnloop_core.ports.tool import Scope
from turnloop_core.types.results import ErrorKind, Refusal
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, SubjectKind, Verdict

HERE = Path("/proj")


def command(text: str, line: str = "") -> Subject:
    return Subject(SubjectKind.COMMAND, text, display=text, exact=(line,) if line else ())


def path(name: str, by: str = "", kind: SubjectKind = SubjectKind.READ) -> Subject:
    return Subject(kind, f"/proj/{name}", display=name, command=by)


def decided(*subjects: Subject, deny: str, allow: str = "Bash(ls)") -> Decision:
    rules = Rules(allow=(parse_rule(allow, "here"),), deny=(parse_rule(deny, "here"),))
    scope = Scope(HERE, HERE, Path("/home/me"))
    engine = Engine(rules, PermissionMode.DEFAULT, scope, folds=lambda path: False)
    return engine.decide("Say", subjects, read_only=False)


CAT = (command("cat .env"), path(".env", "cat .env"))
LS = (command("ls"), path("", "ls"))
TRUE = Subject(SubjectKind.COMMAND, "true", display="true", inert=True)
OUT, MORE = path("out", kind=SubjectKind.WRITE), path("more", kind=SubjectKind.WRITE)
OTHERS = " The other parts were not run either"
FREE = f"{OTHERS}; by themselves they need no consent."


@pytest.mark.parametrize(
    ("subjects", "deny", "rest"),
    [
        (CAT, "Read(.env)", ""),
        ((*CAT, *LS), "Read(.env)", FREE),
        ((*CAT, *LS, command("make")), "Read(.env)", f"{OTHERS}."),
        ((*LS, *CAT), "Bash(cat *)", FREE),
        ((OUT, *LS), "Edit(out)", ""),
        ((OUT, *LS, *CAT), "Bash(cat *)", f"{OTHERS}."),
        ((OUT, MORE, *LS, command("ls", "twice")), "Edit(out)", ""),
        ((OUT, MORE, *LS, *CAT), "Edit(out)", f"{OTHERS}."),
        ((OUT, MORE, *LS, *CAT, command("rm")), "Bash(rm)", f"{OTHERS}."),
        ((OUT, MORE, *LS, TRUE), "Edit(out)", f"{OTHERS}."),
        ((OUT, *LS, TRUE), "Edit(out)", FREE),
        ((path("a"), path("b")), "Read(a)", ""),
    ],
)
def test_what_became_of_the_rest_leaves_out_what_is_the_refused_part_itself(
    subjects: tuple[Subject, ...], deny: str, rest: str
) -> None:
    decision = decided(*subjects, deny=deny)
    told = denials.denied(decision, PermissionMode.DEFAULT)
    advice = "Do not look for another way to it: go on without it, or say why it is needed."
    assert told.text.count(advice) == 1
    assert told.text.split(advice)[1] == rest
    assert advice not in told.display


def test_with_nobody_there_a_command_is_not_the_rest_of_its_own_file() -> None:
    decision = decided(*CAT, *LS, path("x", "ls", SubjectKind.WRITE), deny="Bash(none)")
    assert decision.verdict is Verdict.ASK
    assert FREE in denials.nobody(decision, ()).text
    alone = decided(*CAT, deny="Bash(none)")
    assert "other parts" not in denials.nobody(alone, ()).text


@pytest.mark.parametrize(
    ("why", "text", "display"),
    [
        (denials.declined(""), "X was not run: the user declined it. ", "declined"),
        (denials.not_offered(), "X was not run: it is not offered", "not run: plan mode changes"),
        (denials.not_proved(), "X was not run: plan mode runs only", "not run: plan mode changes"),
        (Refusal(ErrorKind.DENIED, "no"), "X was not run: no", ""),
    ],
)
def test_clauses_become_the_message_of_a_call(why: Refusal, text: str, display: str) -> None:
    told = denials.not_run("X", why)
    assert told.kind is why.kind
    assert told.text.startswith(text)
    assert told.display.startswith(display)
    assert bool(told.display) is bool(display)


LINE = "cd src && git push > out.txt"


@pytest.mark.parametrize(
    ("subjects", "told"),
    [
        ((command("cd src", LINE), path("src/out.txt"), command("git push", LINE)), LINE),
        (
            (command("ls", " ls\n\nrm x  y\n"), command("rm x y", " ls\n\nrm x  y\n")),
            r"ls\n\nrm x y",
        ),
        ((command("ls", "ls; x"), command("x", "x")), "ls, x"),
        ((command("ls"), command("x")), "ls, x"),
        ((path("a"), path("b")), "a, b"),
        ((command("ls", "ls" * 150),), "ls" * 100 + "..."),
        ((), "given"),
    ],
)
def test_a_command_line_is_shown_as_the_model_wrote_it(
    subjects: tuple[Subject, ...], told: str
) -> None:
    assert _summary("Say", subjects, {"n": 1, "text": "given"}) == f"Say({told})"


def test_where_a_tool_has_no_preview_none_is_looked_for() -> None:
    ready: Any = SimpleNamespace(offered=SimpleNamespace(tool=object()))
    decision = Decision(Verdict.ASK, "why", subjects=(command("ls"),))
    assert _preview(SimpleNamespace(), ready, decision) is None  # type: ignore[arg-type]
