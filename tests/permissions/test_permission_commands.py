"""Commands, and the paths that they touch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from turnloop_core.permissions import below
from turnloop_core.types.subjects import Subject, SubjectKind, Verdict

A, Q, D = Verdict.ALLOW, Verdict.ASK, Verdict.DENY


def command(text: str, **more: Any) -> Subject:
    return Subject(SubjectKind.COMMAND, text, display=text, **more)


def touched(subject: Subject, by: str, **more: Any) -> Subject:
    return replace(subject, command=by, **more)


@pytest.mark.parametrize("mode", ["default", "auto", "plan", "bypass"])
def test_what_is_inert_needs_no_question_and_obeys_rules(place: Any, mode: str) -> None:
    inert = command("cd src", inert=True)
    assert place.verdict(place.engine(mode), "Bash", inert) is A
    assert place.verdict(place.engine(mode, deny=["Bash(cd *)"]), "Bash", inert) is D
    asked = place.verdict(place.engine(mode, ask=["Bash(cd *)"]), "Bash", inert)
    assert asked is (A if mode == "bypass" else Q)


def test_who_allowed_a_command_meant_its_files(place: Any) -> None:
    calls = (command("cp a /x"), touched(place.write("/x"), "cp a /x"))
    assert place.verdict(place.engine(), "Bash", *calls) is Q
    assert place.verdict(place.engine(allow=["Bash(cp *)"]), "Bash", *calls) is A
    # Another command of the line is not meant, nor a redirection, which belongs to none.
    other = (*calls, command("tee /y"), touched(place.write("/y"), "tee /y"))
    assert place.verdict(place.engine(allow=["Bash(cp *)"]), "Bash", *other) is Q
    loose = (calls[0], place.write("/x"))
    assert place.verdict(place.engine(allow=["Bash(cp *)"]), "Bash", *loose) is Q


def test_the_mode_alone_does_not_speak_for_files(place: Any) -> None:
    contained = command("cp a b", contained=True)
    inside = (contained, touched(place.write("b"), "cp a b"))
    outside = (contained, touched(place.write("../b"), "cp a b"))
    assert place.verdict(place.engine("auto"), "Bash", *inside) is A
    assert place.verdict(place.engine("auto"), "Bash", *outside) is Q


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        ({"deny": ["Edit(b)"]}, D),
        ({"ask": ["Edit(b)"]}, Q),
        ({"ask": ["Edit(b)"], "allow": ["Bash(cp *)", "Edit(b)"]}, A),
    ],
)
def test_rules_for_files_bind_commands(place: Any, rules: Any, verdict: Verdict) -> None:
    engine = place.engine(**{"allow": ["Bash(cp *)"], **rules})
    calls = (command("cp a b"), touched(place.write("b"), "cp a b"))
    assert place.verdict(engine, "Bash", *calls) is verdict


def test_an_allowed_command_does_not_write_what_is_guarded(place: Any) -> None:
    calls = (command("cp a b"), touched(place.write(".turnloop/settings.json"), "cp a b"))
    engine = place.engine("auto", allow=["Bash(cp *)"])
    assert place.verdict(engine, "Bash", *calls) is Q
    assert engine.propose_rules("Bash", place.decide(engine, "Bash", *calls)) == ()


def test_a_path_that_is_not_known_is_asked_about_where_rules_could_deny_it(place: Any) -> None:
    read = touched(Subject(SubjectKind.READ, "$X", dynamic=True), "cat $X")
    write = touched(Subject(SubjectKind.WRITE, "$X", dynamic=True), "cat $X")
    allow = ["Bash(cat *)"]
    assert place.verdict(place.engine(allow=allow), "Bash", command("cat $X"), read) is A
    deny = place.engine(allow=allow, deny=["Read(**/.env)"])
    assert place.verdict(deny, "Bash", command("cat $X"), read) is Q
    assert place.verdict(place.engine(allow=allow), "Bash", command("cat $X"), write) is Q


def test_bypass_asks_about_a_path_that_may_be_denied(place: Any) -> None:
    call = (command("cat $X"), touched(Subject(SubjectKind.READ, "$X", dynamic=True), "cat $X"))
    assert place.verdict(place.engine("bypass"), "Bash", *call) is A
    assert place.verdict(place.engine("bypass", deny=["Edit(x)"]), "Bash", *call) is A
    assert place.verdict(place.engine("bypass", deny=["Read(**/x)"]), "Bash", *call) is Q


def test_opaque_code_is_covered_by_its_program_and_not_by_all(place: Any) -> None:
    code = command("python -c x", opaque=True)
    deny = ["Bash(rm *)"]
    assert place.verdict(place.engine(allow=["Bash(*)"]), "Bash", code) is A
    assert place.verdict(place.engine(allow=["Bash(*)"], deny=deny), "Bash", code) is Q
    assert place.verdict(place.engine(allow=["Bash( ** )"], deny=deny), "Bash", code) is Q
    assert place.verdict(place.engine(allow=["Bash"], deny=deny), "Bash", code) is Q
    assert place.verdict(place.engine(allow=["Bash(python *)"], deny=deny), "Bash", code) is A
    assert place.verdict(place.engine("bypass", deny=deny), "Bash", code) is Q
    assert place.verdict(place.engine("bypass", deny=["Read(x)"]), "Bash", code) is A


def test_a_rule_may_name_the_line_as_it_was_written(place: Any) -> None:
    line = 'eval "$X"'
    whole = command("eval $X", dynamic=True, exact=(line,))
    assert place.verdict(place.engine(allow=[f"Bash({line})"]), "Bash", whole) is A
    assert place.verdict(place.engine(allow=["Bash(eval *)"]), "Bash", whole) is Q
    engine = place.engine(deny=["Bash(rm *)"])
    found = engine.propose_rules("Bash", place.decide(engine, "Bash", whole))
    assert found == ((f"Bash({line})",),)


def test_alternatives_begin_with_the_narrowest_useful(place: Any) -> None:
    log = command("git log -5", patterns=("git log -5", "git log *"), exact=("git log -5; make",))
    make = command("make", exact=("git log -5; make",))
    engine = place.engine()
    found = engine.propose_rules("Bash", place.decide(engine, "Bash", log, make))
    assert found == (
        ("Bash(git log -5)", "Bash(make)"),
        ("Bash(git log *)", "Bash(make)"),
        ("Bash(git log -5; make)",),
    )


def test_nobody_is_to_agree_to_many_rules_at_once(place: Any) -> None:
    engine = place.engine()
    many = [command(f"make {n}", exact=("all of it",)) for n in range(6)]
    found = engine.propose_rules("Bash", place.decide(engine, "Bash", *many))
    assert found == (("Bash(all of it)",),)
    few = engine.propose_rules("Bash", place.decide(engine, "Bash", *many[:5]))
    assert [len(rules) for rules in few] == [5, 1]


def test_all_parts_are_told(place: Any) -> None:
    engine = place.engine(allow=["Bash(ls)"])
    decision = place.decide(engine, "Bash", command("ls"), command("make"))
    assert [(p.verdict, p.rule) for p in decision.parts] == [(A, "Bash(ls)"), (Q, "")]
    assert place.decide(engine, "Bash", command("ls")).parts == ()


@pytest.mark.parametrize("mode", ["default", "auto", "plan", "bypass"])
def test_what_lies_below_a_folder_is_asked_about(place: Any, mode: str) -> None:
    place.file("proj/src/deep/.env")
    place.file("proj/src/deep/key.pem")
    read = command("grep -r x src", read_only=True, contained=True)
    engine = place.engine(mode, allow=["Bash(grep *)"], deny=["Read(**/.env)"])

    def verdict(engine: Any, folder: str, deep: Any) -> Verdict:
        return place.verdict(
            engine, "Bash", read, touched(place.read(folder), read.narrow, deep=deep)
        )

    assert verdict(engine, "src", "all") is Q
    assert verdict(engine, "src", "visible") is A
    assert verdict(engine, "src", "") is A
    assert verdict(place.engine(mode, deny=["Read(**/*.pem)"]), "src", "visible") is Q
    assert verdict(place.engine(mode, allow=["Bash(grep *)"]), "src", "all") is A


@pytest.mark.parametrize(("only", "verdict"), [(("*.py",), A), (("*.py", ".*"), Q), ((), Q)])
def test_of_what_lies_below_only_some_names_count(place: Any, only: Any, verdict: Verdict) -> None:
    place.file("proj/src/.env")
    engine = place.engine(deny=["Read(**/.env)"])
    subject = replace(place.read("src"), deep="all", only=only)
    assert place.verdict(engine, "Grep", subject) is verdict


def test_a_link_below_counts_by_what_it_leads_to(place: Any) -> None:
    place.file("proj/.env")
    place.link("proj/src/a.py", "../.env")
    subject = replace(place.read("src"), deep="all", only=("*.py",))
    assert place.verdict(place.engine(deny=["Read(**/.env)"]), "Grep", subject) is Q


def test_too_much_below_a_folder_is_asked_about(place: Any, monkeypatch: Any) -> None:
    for number in range(5):
        place.file(f"proj/src/{number}")
    monkeypatch.setattr(below, "MOST", 4)
    engine = place.engine(deny=["Read(**/.env)"])
    decision = place.decide(engine, "Grep", replace(place.read("src"), deep="all"))
    assert decision.verdict is Q
    assert "more files than" in decision.reason


def test_removing_a_folder_that_holds_the_guarded_files_is_guarded(place: Any) -> None:
    engine = place.engine("auto")
    for path, only, verdict in ((".", (), Q), ("src", (), A), (".", ("*.pyc",), A)):
        subject = replace(place.write(path), deep="all", only=only)
        assert place.verdict(engine, "Bash", subject) is verdict
