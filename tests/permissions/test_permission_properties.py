"""What must hold of any rules, subjects and paths."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings, strategies as st

from turnloop_core.errors import TurnloopError
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.globs import Path as Names, compile_glob
from turnloop_core.permissions.paths import is_inside, open_checked, path_subject
from turnloop_core.permissions.rules import Rules, parse_rule
from turnloop_core.permissions.urls import parse_address
from turnloop_core.permissions.wildcards import pieces_match
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, SubjectKind, Verdict

ORDER = [Verdict.ALLOW, Verdict.ASK, Verdict.DENY]
SCOPE = Scope(Path("/nowhere/proj"), Path("/nowhere/proj"), Path("/nowhere/home"))
quick = settings(max_examples=150, deadline=None)

_names = st.sampled_from(["a", "b", "src", ".env", ".turnloop", "x.py", "..", "[a]", "A"])
_paths = st.builds(
    lambda root, names: root + "/".join(names),
    st.sampled_from(["", "/nowhere/proj/", "/nowhere/", "~/", "/etc/"]),
    st.lists(_names, min_size=1, max_size=4),
)
_globs = st.builds(
    lambda root, names: root + "/".join(names),
    st.sampled_from(["", "/nowhere/", "~/", "**/"]),
    st.lists(st.one_of(_names, st.sampled_from(["*", "**", "*.py", "?"])), min_size=1, max_size=4),
).filter(lambda glob: not re.search(r"[*?\[].*/\.\.(/|$)", glob))
_commands = st.lists(st.sampled_from(["git", "rm", "-rf", "x", "$X"]), min_size=1, max_size=3).map(
    " ".join
)
_rules = st.one_of(
    st.builds(lambda n, g: f"{n}({g})", st.sampled_from(["Read", "Edit", "Write", "Grep"]), _globs),
    st.builds(lambda c, star: f"Bash({c}{star})", _commands, st.sampled_from(["", "*", " *"])),
    st.sampled_from(["Read", "Edit", "Write", "Bash", "Bash(*)", "mcp__docs", "mcp__*", "Task"]),
).map(lambda text: parse_rule(text, "test"))
_subjects = st.one_of(
    st.builds(
        lambda path, kind: path_subject(path, SCOPE, kind),
        _paths,
        st.sampled_from([SubjectKind.READ, SubjectKind.WRITE]),
    ),
    st.builds(
        lambda text, wide, dynamic, read_only, contained: Subject(
            SubjectKind.COMMAND,
            text,
            tuple(wide),
            dynamic=dynamic,
            read_only=read_only,
            contained=contained,
        ),
        _commands,
        st.lists(_commands, max_size=2),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    st.just(Subject(SubjectKind.MCP, "docs__search")),
    st.just(Subject(SubjectKind.TOOL, "Task")),
)
_tools = st.sampled_from(["Read", "Edit", "Write", "Grep", "Bash", "mcp__docs__search", "Task"])
_lists = st.lists(_rules, max_size=3).map(tuple)
_calls = st.tuples(_tools, st.lists(_subjects, max_size=3), st.booleans())
_engines = st.builds(
    lambda allow, deny, ask, mode: Engine(
        Rules(allow, deny, ask), mode, SCOPE, folds=lambda path: False
    ),
    _lists,
    _lists,
    _lists,
    st.sampled_from(list(PermissionMode)),
)


def decide(engine: Engine, call: tuple[str, list[Subject], bool]) -> Decision:
    tool, subjects, read_only = call
    return engine.decide(tool, subjects, read_only=read_only)


def strictness(decision: Decision) -> int:
    return ORDER.index(decision.verdict)


@quick
@given(_engines, _rules, _calls)
def test_a_deny_rule_more_never_loosens(
    engine: Engine, rule: object, call: tuple[str, list[Subject], bool]
) -> None:
    more = engine.with_rule("deny", rule)  # type: ignore[arg-type]
    assert strictness(decide(more, call)) >= strictness(decide(engine, call))


@quick
@given(_engines, _rules, _calls)
def test_an_ask_rule_more_never_loosens_and_an_allow_rule_never_tightens(
    engine: Engine, rule: object, call: tuple[str, list[Subject], bool]
) -> None:
    before = strictness(decide(engine, call))
    assert strictness(decide(engine.with_rule("ask", rule), call)) >= before  # type: ignore[arg-type]
    assert strictness(decide(engine.with_rule("allow", rule), call)) <= before  # type: ignore[arg-type]


@quick
@given(_engines, _calls)
def test_what_is_denied_stays_denied_in_every_mode(
    engine: Engine, call: tuple[str, list[Subject], bool]
) -> None:
    decision = decide(engine.with_mode(PermissionMode.DEFAULT), call)
    if decision.verdict is Verdict.DENY:
        for mode in PermissionMode:
            assert decide(engine.with_mode(mode), call).verdict is Verdict.DENY


@quick
@given(_engines, _calls)
def test_plan_mode_allows_no_change(engine: Engine, call: tuple[str, list[Subject], bool]) -> None:
    _tool, subjects, read_only = call
    changes = any(
        s.kind in (SubjectKind.WRITE, SubjectKind.MCP)
        or (s.kind is SubjectKind.COMMAND and (not s.read_only or s.dynamic))
        for s in subjects
    ) or (not subjects and not read_only)
    if changes:
        assert decide(engine.with_mode(PermissionMode.PLAN), call).verdict is Verdict.DENY


@quick
@given(_engines, _calls, st.lists(_subjects, min_size=1, max_size=2))
def test_a_subject_more_never_loosens(
    engine: Engine, call: tuple[str, list[Subject], bool], more: list[Subject]
) -> None:
    tool, subjects, read_only = call
    if subjects and (read_only or engine.mode is not PermissionMode.PLAN):
        # Else the tool itself may be judged in addition, where no subject changes anything.
        together = strictness(decide(engine, (tool, [*subjects, *more], read_only)))
        assert together >= strictness(decide(engine, (tool, more, read_only)))
        assert together >= strictness(decide(engine, call))


class _Check:
    name = "check"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def check(
        self, tool: str, subjects: Sequence[Subject], mode: PermissionMode, so_far: Decision
    ) -> tuple[Verdict, str] | None:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]


_answers = st.one_of(
    st.none(),
    st.tuples(st.sampled_from(ORDER), st.text(max_size=5)),
    st.sampled_from([ValueError("x"), "allow", ("allow",), ("yes", ""), 3, ()]),
)


@quick
@given(_engines, _calls, st.lists(_answers, max_size=3))
def test_checks_never_loosen(
    engine: Engine, call: tuple[str, list[Subject], bool], answers: list[object]
) -> None:
    rules, mode = engine.rules, engine.mode
    checked = Engine(rules, mode, SCOPE, tuple(map(_Check, answers)), folds=engine.folds)
    assert strictness(decide(checked, call)) >= strictness(decide(engine, call))


@quick
@given(_engines, _calls)
def test_a_proposed_rule_helps_and_opens_nothing_else(
    engine: Engine, call: tuple[str, list[Subject], bool]
) -> None:
    decision = decide(engine, call)
    for rules in engine.propose_rules(call[0], decision):
        assert decision.verdict is Verdict.ASK
        more = engine
        for rule in rules:
            more = more.with_rule("allow", rule)
        assert decide(more, call).verdict is Verdict.ALLOW
        other = path_subject("another/file", SCOPE, SubjectKind.WRITE)
        for subject in (other, Subject(SubjectKind.COMMAND, "other")):
            one = ("Odd", [subject], False)
            assert decide(more, one).verdict is decide(engine, one).verdict


@quick
@given(_globs, _paths)
def test_whatever_an_allow_glob_covers_a_deny_glob_covers(glob: str, path: str) -> None:
    subject = path_subject(path, SCOPE, SubjectKind.READ)
    names = Names.of(subject.narrow)
    allow = any(p.matches(names) for p in compile_glob(glob, SCOPE, wide=False))
    deny = any(p.matches(names) for p in compile_glob(glob, SCOPE, wide=True))
    assert deny or not allow


@quick
@given(st.lists(st.sampled_from(["a", "b", "*"]), max_size=6), st.text("ab", max_size=6))
def test_stars_mean_what_they_mean_elsewhere(pattern: list[str], text: str) -> None:
    from fnmatch import fnmatchcase

    joined = "".join(pattern)
    assert pieces_match(tuple(joined.split("*")), text) is fnmatchcase(text, joined)


@quick
@given(st.text(max_size=30), st.text(max_size=10))
def test_any_text_is_a_rule_or_an_error_in_one_line(text: str, source: str) -> None:
    try:
        rule = parse_rule(text, source)
    except TurnloopError as error:
        assert repr(text) in str(error)
    else:
        assert rule.text == text.strip()


@quick
@given(
    st.text(st.sampled_from("htps:/[]@.?#%2e\\x01 aé-*\u3002"), max_size=25).map(
        lambda rest: f"http://{rest}"
    )
)
def test_a_normal_address_is_its_own_normal_form(url: str) -> None:
    address = parse_address(url)
    if address is not None:
        assert parse_address(str(address)) == address


# Real trees of links: the system is the oracle.

_entries = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d/a", "d/b"]),
        st.sampled_from(["a", "b", "..", "d", "../d/b", "../../outside", "ROOT/d", "OUT", "."]),
    ),
    max_size=5,
)
_walks = st.lists(
    st.sampled_from(["a", "b", "c", "d", "..", ".", "f", "outside", "proj"]), min_size=1, max_size=6
).map("/".join)


@settings(max_examples=120, deadline=None)
@given(_entries, st.lists(_walks, min_size=1, max_size=4))
def test_inside_means_inside_by_the_real_path(
    entries: list[tuple[str, str]], walks: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        root = top / "proj"
        for made in (root / "d", top / "outside/d"):
            made.mkdir(parents=True)
            (made / "f").write_text(str(made / "f"), encoding="utf-8")
        for name, target in entries:
            with suppress(FileExistsError):
                (root / name).symlink_to(
                    target.replace("ROOT", str(root)).replace("OUT", str(top / "outside"))
                )
        scope = Scope(root, root, top)
        for walk in walks:
            _compare_with_the_system(walk, scope)


def _compare_with_the_system(walk: str, scope: Scope) -> None:
    given_path = Path(f"{scope.cwd}/{walk}")
    try:
        subject = path_subject(walk, scope, SubjectKind.READ)
    except TurnloopError:  # links in a circle; the system may stop before, where a part is missing
        assert not given_path.exists()
        return
    inside = is_inside(subject.narrow, str(scope.root))
    assert subject.display.startswith("/") is not inside
    if not given_path.exists():
        return
    assert given_path.samefile(subject.narrow)
    assert str(given_path.resolve()) == subject.narrow
    if given_path.is_file():
        with open_checked(subject, "rb") as file:
            assert file.read().decode() == subject.narrow
