"""Permission questions in the real program, on a pseudo-terminal; and plan mode without one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from turnloop_core.log.reader import read_log
from turnloop_core.log.records import QuestionRecord

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

WRITE = {"name": "Write", "arguments": {"file_path": "new.txt", "content": "x\n"}}
EDIT = {
    "name": "Edit",
    "arguments": {"file_path": "a.txt", "old_string": "one", "new_string": "1\u202e"},
}
DOCUMENT = Path(__file__).parents[2] / "docs" / "permissions.md"
CHOICES = "[y]es once, [s]ession, [a]lways, [e]dit rule, [?], [n]o: "


@pytest.fixture
def begun(tl, talk):
    """A terminal on which the first question stands."""

    def begin(*calls, arguments=()):
        (tl.cwd / "a.txt").write_text("zero\none\n")
        tl.script([*({"calls": [call]} for call in calls), {"text": "Done."}])
        terminal = talk(*arguments)
        terminal.type("go\n")
        terminal.wait(CHOICES)
        return terminal

    return begin


def leave(terminal):
    terminal.wait("Done.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0


def rules_on_record(tl):
    (path,) = (tl.home / ".turnloop" / "sessions").rglob("*.jsonl")
    found = [record.body for record in read_log(path).records]
    return [body.rules for body in found if isinstance(body, QuestionRecord)]


def test_an_edit_is_shown_as_a_diff(tl, begun):
    terminal = begun(EDIT)
    shown = terminal.seen.replace("\r\n", "\n")
    assert shown[shown.index("? Edit") :] == (
        "? Edit needs your consent: no rule allows writing a.txt\n"
        "  --- a.txt\n  +++ a.txt\n  @@ -1,2 +1,2 @@\n   zero\n  -one\n  +1\\u202e\n"
        f"  rule: Edit(a.txt)\n{CHOICES}"
    )
    terminal.type("n not like this\n")
    leave(terminal)
    assert (tl.cwd / "a.txt").read_text() == "zero\none\n"


def test_a_rule_of_ones_own_is_tried_before_it_is_kept(tl, begun):
    terminal = begun(WRITE, WRITE)
    terminal.type("e\n")
    terminal.wait("rule, empty to go back: ")
    terminal.type("Edit(other/**)\n")
    terminal.wait("empty to go back: ")
    terminal.type("s\n")
    terminal.wait("Edit(other/**) does not make this question go away")
    terminal.wait(CHOICES)
    terminal.type("e\n")
    terminal.wait("rule, empty to go back: ")
    terminal.type("Edit(*.txt)\n")
    terminal.wait("empty to go back: ")
    terminal.type("s\n")
    leave(terminal)
    assert terminal.seen.count("? Write needs your consent") == 1
    assert rules_on_record(tl) == [("Edit(*.txt)",)]


def test_always_for_all_projects_is_saved_in_the_users_settings(tl, begun):
    terminal = begun(WRITE)
    terminal.type("au\n")
    leave(terminal)
    saved = json.loads((tl.home / ".turnloop" / "settings.json").read_text())
    assert saved["permissions"]["allow"] == [f"Edit({tl.cwd.resolve()}/new.txt)"]


def test_plan_mode_settles_a_question_that_stands(tl, begun):
    terminal = begun(WRITE, WRITE)
    terminal.type("/plan\n")
    terminal.wait("from now on: plan")
    terminal.wait("plan mode changes nothing")
    leave(terminal)
    assert terminal.seen.count("? Write needs your consent") == 1
    assert not (tl.cwd / "new.txt").exists()
    assert rules_on_record(tl) == [()]


def test_auto_mode_settles_a_question_that_stands(tl, begun):
    terminal = begun(WRITE)
    terminal.type("/auto\n")
    leave(terminal)
    assert (tl.cwd / "new.txt").read_text() == "x\n"
    assert terminal.seen.count(CHOICES) == 1


def test_a_mode_that_asks_about_more_has_the_question_shown_anew(tl, begun):
    line = "make clean > out.txt; curl https://docs.example.com/"
    bash = {"name": "Bash", "arguments": {"command": line}}
    terminal = begun(bash, arguments=("--permission-mode", "auto"))
    assert "  ok   writes out.txt  (auto mode)\r\n" in terminal.seen
    terminal.type("/default\n")
    terminal.wait("  the mode is default now\r\n? Bash needs your consent for 3 parts:\r\n")
    terminal.wait("  ask  writes out.txt  (no rule allows it)\r\n")
    terminal.wait(CHOICES)
    terminal.type("/default\n")  # no other one: only what is to be answered is shown again
    terminal.wait(CHOICES)
    assert terminal.seen.count("? Bash needs your consent") == 2
    terminal.type("no, run it in CI\n")
    leave(terminal)
    assert not (tl.cwd / "out.txt").exists()


def test_the_example_in_the_documents_is_what_is_shown(tl, begun):
    (tl.cwd / "src").mkdir()
    line = "cd src && git status --short && git push origin main > out.txt"
    bash = {"name": "Bash", "arguments": {"command": line}}
    terminal = begun(bash, arguments=("--allow", "Bash(git status*)"))
    shown = terminal.seen.replace("\r\n", "\n")
    section = DOCUMENT.read_text("utf-8").split("\n## Questions\n")[1]
    example = section.split("```text\n")[1].split("\n```")[0]
    assert shown[shown.index("? Bash") :].rstrip() == example
    terminal.type("n\n")
    leave(terminal)


def test_ctrl_c_at_a_question_stops_the_run(tl, begun):
    terminal = begun(WRITE)
    terminal.type("\x03")
    terminal.wait("interrupted")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    assert not (tl.cwd / "new.txt").exists()


def test_plan_mode_in_the_real_program_changes_no_byte(tl):
    (tl.cwd / "a.txt").write_text("zero\none\n")
    (tl.home / "far.txt").write_text("one\n")
    (tl.cwd / "link.txt").symlink_to(tl.home / "far.txt")
    lines = ["echo x > made", ": > a.txt", "cat a.txt > made", "echo $(echo x > made)", "(>made)"]
    commands = [{"name": "Bash", "arguments": {"command": line}} for line in lines]
    others = [
        WRITE,
        {**WRITE, "name": "WRITE"},
        {"name": "Write", "arguments": {"file_path": "link.txt", "content": "x"}},
        EDIT,
        {**EDIT, "name": "edit"},
    ]
    calls = [*others, *commands]
    tl.script([{"calls": [call]} for call in calls] + [{"calls": calls}, {"text": "Planned."}])
    before = {p.name: p.read_bytes() for p in (*tl.cwd.iterdir(), tl.home / "far.txt")}
    allowed = ("--allow", "Edit", "--allow", "Bash")
    ran = tl("-p", "go", "--permission-mode", "plan", *allowed, "--json")
    assert ran.status == 0
    ended = [event["result"]["error"] for event in ran.events if event["event"] == "call_ended"]
    assert len(ended) == 2 * len(calls)
    assert set(ended) == {"denied"}
    after = {p.name: p.read_bytes() for p in (*tl.cwd.iterdir(), tl.home / "far.txt")}
    assert after == before
