"""`tl permissions`: check, list, explain, for people and for programs."""

from __future__ import annotations

import json

import pytest


def as_json(ran):
    assert ran.status == 0, ran.err
    assert ran.out.isascii()
    return json.loads(ran.out)


def check(tl, tool, arguments, *options):
    return as_json(tl("permissions", "check", tool, json.dumps(arguments), "--json", *options))


def project(tl, **lists):
    folder = tl.cwd / ".turnloop"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps({"permissions": lists}, indent=1))
    return folder / "settings.json"


def test_a_decision_names_its_rule_and_where_that_stands(tl):
    path = tl.settings({"permissions": {"deny": ["Edit(src/**)"]}})
    found = check(tl, "Edit", {"file_path": "src/a.py"}, "--mode", "auto")
    assert found["decision"] == "deny"
    assert found["rule"] == "Edit(src/**)"
    assert f"{path}:1" in found["source"]
    assert [(s["kind"], s["decision"]) for s in found["subjects"]] == [
        ("write", "deny"),
        ("read", "deny"),
    ]
    assert found["subjects"][0]["form"] == str(tl.cwd / "src/a.py")
    assert found["would_allow"] == []


def test_rules_of_flags_join_those_that_hold_and_only_leaves_those_out(tl):
    secret = {"file_path": ".env"}
    assert check(tl, "Read", secret)["source"] == "shipped with turnloop"
    assert check(tl, "Read", secret, "--only")["decision"] == "allow"
    found = check(tl, "Read", secret, "--only", "--ask", "Read(**/.env)")
    assert (found["decision"], found["source"]) == ("ask", "command line")


def test_what_would_allow_it_is_said_and_is_true(tl):
    found = check(tl, "Write", {"file_path": "src/a.py", "content": ""})
    assert found["decision"] == "ask"
    flags = [word for rule in found["would_allow"][0] for word in ("--allow", rule)]
    again = check(tl, "Write", {"file_path": "src/a.py", "content": ""}, *flags)
    assert again["decision"] == "allow"


@pytest.mark.parametrize(
    ("tool", "arguments", "options", "decision", "said"),
    [
        ("Read", {"file_path": ".env", "mode": "bypass"}, (), "deny", "mode is no argument"),
        ("Read", {"file_path": "a", "mode": "bypass"}, (), "ask", "mode is no argument"),
        ("Read", {"file_path": "a", "offset": "x"}, (), "ask", "offset: "),
        ("Read", {}, (), "ask", "do not say what it would touch"),
        ("Read", {"file_path": "a\0b"}, (), "ask", "NUL"),
        ("Reed", {}, ("--mode", "bypass"), "ask", "did you mean Read"),
        ("Read", {"file_path": "a", "resolved": ["::1"]}, (), "ask", "says nothing of such a"),
        ("WebFetch", {"url": "https://a.example/", "resolved": 1}, (), "ask", "a list of texts"),
        ("Write", {"file_path": "a", "approved_realpath": "/b"}, ("--mode", "auto"), "ask", "/b"),
    ],
)
def test_a_call_that_would_not_run_is_never_allowed(tl, tool, arguments, options, decision, said):
    found = check(tl, tool, arguments, *options)
    assert (found["decision"], found["would_allow"]) == (decision, [])
    assert said in found["reason"]


def test_tools_of_servers_are_judged_without_their_server(tl):
    options = ("--allow", "mcp__docs", "--deny", "mcp__docs__delete*")
    assert check(tl, "mcp__docs__search", {"any": 1}, *options)["decision"] == "allow"
    assert check(tl, "mcp__docs__delete_all", {}, *options)["decision"] == "deny"
    assert check(tl, "mcp__other__search", {}, *options)["decision"] == "ask"


def test_another_place_and_its_trust(tl, tmp_path):
    settings = project(tl, allow=["Edit(src/**)"])
    call = ("Edit", {"file_path": "src/a.py"})
    there = ("--cwd", str(tl.cwd), "--home", str(tmp_path / "home"))
    tl.cwd = tmp_path
    assert check(tl, *call, *there)["decision"] == "ask"
    assert tl("--cwd", str(settings.parent.parent), "trust", "--yes").status == 0
    found = check(tl, *call, *there)
    assert found["decision"] == "allow"
    assert str(settings) in found["source"]
    (tmp_path / "else").mkdir()
    assert check(tl, *call, *there[:3], str(tmp_path / "else"))["decision"] == "ask"


def test_exit_statuses(tl):
    def status(tool, arguments, *options):
        return tl("permissions", "check", tool, json.dumps(arguments), *options).status

    for path, code in (("a", 0), ("/etc/hosts", 4), (".env", 3)):
        assert status("Read", {"file_path": path}) == 0
        assert status("Read", {"file_path": path}, "--exit-code") == code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "which call is meant"),
        (("Read",), '\'{"file_path": "..."}\''),
        (("Bash", "git status"), '\'{"command": "git status"}\''),
        (("Bash", "[]"), "not a JSON object"),
        (("Read", "{}", "--allow", "Read("), "command line: permission rule 'Read('"),
        (("Read", "{}", "--cwd", "nowhere"), "nowhere"),
        (("Read", "{}", "--home", "nowhere"), "--home: there is no folder 'nowhere'"),
        (("Read", "{}", "--batch", "-"), "with --batch the lines name"),
        (("--batch", "nowhere"), "--batch: nowhere: No such file"),
        (("@hok", "{}"), "did you mean @hook"),
    ],
)
def test_what_is_wrong_is_said_with_the_next_step(tl, words, said):
    ran = tl("permissions", "check", *words)
    assert ran.status == 2
    assert ran.out == ""
    assert said in ran.err


def test_for_people_on_one_screen(tl):
    call = json.dumps({"file_path": "\x1b[2Jsrc/a.py"})
    ran = tl("permissions", "check", "Edit", call, "--ask", "Edit(**)")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[0] == "ask: Edit, default mode"
    assert "decided by Edit(**) (command line)" in ran.out
    assert "\x1b" not in ran.out
    assert "\\x1b" in ran.out
    assert len(lines) < 20


def test_start_up_actions(tl):
    hook = {"event": "Stop", "command": "./x.sh", "origin": "project"}
    assert check(tl, "@hook", hook)["reason"] == "this folder is not trusted"
    assert check(tl, "@hook", {**hook, "approved_command": "./x.sh"})["decision"] == "allow"
    assert check(tl, "@hook", {**hook, "approved_command": "./y.sh"})["decision"] == "ask"
    assert check(tl, "@hook", {**hook, "origin": "user"})["decision"] == "allow"
    assert tl("trust", "--yes").status == 0
    assert "approved" in check(tl, "@hook", hook)["reason"]
    changed = {**hook, "approved_command": "./x.sh", "changed_since_trust": True}
    assert check(tl, "@hook", changed)["decision"] == "ask"


def test_the_list_has_all_rules_with_their_places(tl):
    user = tl.settings({"permissions": {"allow": ["Read(~/notes/**)"]}, "permission_mode": "auto"})
    settings = project(tl, allow=["Edit(src/**)"], deny=["Spade(x)"])
    found = as_json(tl("--ask", "Edit", "permissions", "list", "--json"))
    assert (found["mode"], str(user) in found["mode_from"]) == ("auto", True)
    rules = {entry["rule"]: entry for entry in found["rules"]}
    shipped = [r for r in found["rules"] if r["from"] == "shipped with turnloop"]
    assert len(shipped) == 10
    assert {entry["kind"] for entry in shipped} == {"deny"}
    assert f"{user}:1" in rules["Read(~/notes/**)"]["from"]
    assert rules["Edit"]["from"] == "command line"
    assert f"{settings}:" in rules["Spade(x)"]["from"]
    assert "no tool is called Spade" in rules["Spade(x)"]["binds_nothing"]
    assert "Edit(src/**)" not in rules
    assert [entry["key"] for entry in found["ignored"]] == ["permissions.allow"]
    assert found["modes"]["plan"]["write inside"] == "deny"


def test_the_list_for_people(tl):
    settings = project(tl, allow=["Edit(src/**)"], deny=["Spade(x)"])
    ran = tl("permissions", "list")
    assert ran.status == 0
    assert ran.out.startswith("mode default (default), project ")
    assert "Read(**/.env)" in ran.out
    assert "binds nothing: no tool is called Spade" in ran.out
    assert f"{settings}:" in ran.out
    assert "tl trust" in ran.out
    assert "default*" in ran.out


def test_nothing_is_written_and_no_command_is_heavy_to_list(tl):
    before = sorted(tl.home.rglob("*"))
    assert tl("permissions", "check", "Bash", '{"command": "ls > x"}').status == 0
    assert tl("permissions", "list").status == 0
    assert sorted(tl.home.rglob("*")) == before
    assert not (tl.cwd / "x").exists()
    assert "permissions " in tl("--help").out


def test_the_table_has_each_line_once_and_commands_as_rules_see_them(tl):
    line = "mkdir build && rm build && git push > out.txt"
    ran = tl("permissions", "check", "Bash", json.dumps({"command": line}), "--only")
    rows = [" ".join(row.split()) for row in ran.out.splitlines()]
    touched = rows[rows.index("TOUCHES WHAT DECIDED BY") + 1 :]
    touched = touched[: touched.index("")]
    assert sorted(touched) == [
        "ask command git push the mode",
        "ask command mkdir build the mode",
        "ask command rm build the mode",
        "ask write build the mode",
        "ask write out.txt the mode",
    ]
