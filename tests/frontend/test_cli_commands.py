"""The subcommands of core."""

from __future__ import annotations

import json

import pytest

BROKEN = "raise RuntimeError('not today')"
MISSPELT = "from turnloop_core.api import hookimpl\n@hookimpl\ndef register_tols(registrar): ...\n"
TOOL = (
    "from turnloop_core.api import ToolEntry, hookimpl\n"
    "@hookimpl\n"
    "def register_tools(registrar):\n"
    "    registrar.add(ToolEntry('Spoon', 'm:create'))\n"
)


def as_json(ran):
    assert ran.status == 0, ran.err
    assert ran.out.isascii()
    return json.loads(ran.out)


def test_plugins_says_what_happened_to_each(tl):
    tl.plugin("broken", BROKEN)
    tl.plugin("misspelt", MISSPELT)
    tl.plugin("fork1", TOOL)
    tl.plugin("fork2", TOOL)
    records = {r["name"]: r for r in as_json(tl("-x", "files", "plugins", "--json"))["plugins"]}
    assert records["broken"]["status"] == "failed"
    assert records["broken"]["reason"] == "RuntimeError: not today"
    assert "not today" in records["broken"]["traceback"]
    assert records["misspelt"]["status"] == "failed"
    assert "did you mean register_tools?" in records["misspelt"]["reason"]
    clash = "tool 'Spoon' is offered by fork1 and by fork2"
    assert records["fork1"]["problems"] == records["fork2"]["problems"] == [clash]
    assert records["files"]["status"] == "disabled"
    assert records["mock"]["status"] == "loaded"
    assert "provider kind mock" in records["mock"]["provides"]
    text = tl("-x", "files", "plugins")
    assert text.status == 0
    assert "Traceback" not in text.out
    assert "RuntimeError: not today" in text.out
    assert clash in text.out
    assert "Traceback" in tl("plugins", "--verbose").out


def test_plugins_when_settings_are_broken_or_ask_for_too_much(tl):
    tl.settings("{")
    ran = tl("plugins")
    assert ran.status == 0
    assert "mock" in ran.out
    assert "settings.json:1" in ran.err
    tl.settings({"plugins": {"required": ["spoon"], "disabled": ["mock"]}})
    ran = tl("plugins", "--json")
    found = as_json(ran)
    assert found["missing"] == ["spoon"]
    assert {r["name"]: r["status"] for r in found["plugins"]}["mock"] == "disabled"


def test_no_plugin_at_all(tl):
    env = {"TURNLOOP_PLUGINS": ""}
    assert tl("--help", env=env).status == 0
    assert {r["status"] for r in as_json(tl("plugins", "--json", env=env))["plugins"]} == {
        "disabled"
    }
    doctor = tl("doctor", env=env)
    assert doctor.status == 1
    assert "none is loaded" in doctor.out
    ran = tl("-p", "x", env=env)
    assert ran.status == 2
    assert ran.err.startswith("tl: no provider is configured")


ENTRY = {"kind": "mock", "model": "m"}


def doctor_lines(tl, *arguments, env=None):
    ran = tl(*arguments, "doctor", "--json", env=env)
    found = json.loads(ran.out)
    assert ran.status == (0 if found["ok"] else 1)
    return [(line["level"], line["label"], line["text"]) for line in found["lines"]]


def test_doctor_shows_the_window_as_a_sum(tl):
    (context,) = [text for _, label, text in doctor_lines(tl) if label == "context"]
    words = context.replace(",", "").split()
    window, output, system, tools, history = (int(w) for w in words if w.isdecimal())
    assert window - output - system - tools == history > 0


def test_doctor_leaves_no_session(tl):
    doctor_lines(tl)
    assert as_json(tl("sessions", "--json", "--all")) == {"v": 1, "sessions": []}


def test_doctor_finds_a_window_that_is_too_small(tl):
    caps = {"max_context": 1_000, "max_output": 900}
    tl.settings({"provider": "tiny", "providers": {"tiny": {**ENTRY, "caps": caps}}})
    assert ("error", "context") in [line[:2] for line in doctor_lines(tl)]


def test_doctor_names_what_is_wrong(tl):
    tl.plugin("broken", BROKEN)
    tl.settings({"provider": "nobody"})
    lines = doctor_lines(tl)
    assert ("error", "plugins", "broken failed: RuntimeError: not today") in lines
    assert any(level == "error" and "nobody" in text for level, _, text in lines)


def test_doctor_says_where_the_provider_is_and_what_it_needs(tl):
    tl.settings(
        {
            "provider": "there",
            "providers": {
                "there": {
                    "kind": "openai_compat",
                    "base_url": "http://me:pw@127.0.0.1:9/v1",
                    "model": "m",
                },
                "mine": {"kind": "openai_compat", "api_key_env": "MINE_KEY"},
            },
        }
    )
    told = [text for _, label, text in doctor_lines(tl) if label == "provider"]
    assert "there, the one in use, at http://(hidden)@127.0.0.1:9/v1: needs no key" in told
    assert "mine: MINE_KEY is not set" in told


def test_doctor_runs_the_checks_of_plugins(tl):
    tl.plugin(
        "careful",
        "from turnloop_core.api import DoctorEntry, DoctorLine, hookimpl\n"
        "@hookimpl\n"
        "def register_doctor_checks(registrar):\n"
        "    registrar.add(DoctorEntry('spoon', 'careful_plugin:check'))\n"
        "    registrar.add(DoctorEntry('worse', 'careful_plugin:worse'))\n"
        "    registrar.add(DoctorEntry('lazy', 'careful_plugin:lazy'))\n"
        "def check(context):\n"
        "    return [DoctorLine('warning', 'spoon', str(context.scope.cwd))]\n"
        "def worse(context):\n"
        "    raise KeyError('x')\n"
        "def lazy(context):\n"
        "    yield DoctorLine('ok', 'lazy', 'well')\n"
        "    raise KeyError('y')\n",
    )
    lines = doctor_lines(tl)
    assert ("warning", "spoon", str(tl.cwd)) in lines
    for label in ("worse", "lazy"):
        assert any(line[:2] == ("error", label) and "KeyError" in line[2] for line in lines)


def test_doctor_when_sessions_cannot_be_written(tl):
    (tl.home / ".turnloop").mkdir()
    (tl.home / ".turnloop" / "sessions").write_text("a file where a folder should be")
    assert any(line[:2] == ("error", "session") for line in doctor_lines(tl))


def test_config_says_where_each_value_comes_from(tl):
    path = tl.settings({"model": "m1", "max_iterations": 7})
    ran = tl("--model", "m2", "config", "--json", env={"TURNLOOP_MAX_ITERATIONS": "9"})
    rows = [
        (row["key"], row["value"], row["layer"], row["shadowed"])
        for row in as_json(ran)["settings"]
        if row["key"] in ("model", "max_iterations") and row["layer"] != "core"
    ]
    assert rows == [
        ("max_iterations", "9", "environment", False),
        ("max_iterations", "7", "user", True),
        ("model", '"m2"', "flag", False),
        ("model", '"m1"', "user", True),
    ]
    text = tl("config", "model")
    assert text.status == 0
    assert text.out.splitlines()[1].split() == ["model", '"m1"', "user", f"{path}:1"]


def test_config_for_one_key(tl):
    tl.settings({"permissions": {"deny": ["Bash(rm *)"]}})
    ran = tl("config", "permissions")
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == [
        "permissions.allow",
        "permissions.ask",
        "permissions.deny",
    ]
    unknown = tl("config", "modle")
    assert unknown.status == 2
    assert "did you mean model" in unknown.err


@pytest.fixture
def project_settings(tl):
    folder = tl.cwd / ".turnloop"
    folder.mkdir()
    (folder / "settings.json").write_text('{"permission_mode": "bypass", "max_iterations": 3}')


def test_what_an_untrusted_project_says_is_ignored_and_named(tl, project_settings):
    found = as_json(tl("config", "--json"))
    assert found["trusted"] is False
    assert [entry["key"] for entry in found["ignored"]] == ["permission_mode"]
    assert "tl trust" in tl("config").out
    once = as_json(tl("--trust-project", "config", "--json"))
    assert (once["trusted"], once["ignored"]) == (True, [])


def test_trust_shows_what_it_enables_and_can_be_taken_back(tl, project_settings):
    asked = tl("trust")
    assert asked.status == 2
    assert "permission_mode" in asked.out
    assert "tl trust --yes" in asked.err
    assert tl("trust", "--yes").status == 0
    assert as_json(tl("config", "--json"))["trusted"] is True
    assert tl("trust", "--list").out == f"{tl.cwd}\n"
    assert "is trusted" in tl("trust").out
    assert tl("trust", "--forget").out == f"{tl.cwd} is trusted no longer.\n"
    assert as_json(tl("config", "--json"))["trusted"] is False


def test_sessions_newest_first(tl):
    assert tl("sessions").out.startswith("There is no session for ")
    tl("-p", "the first\nwith more")
    tl("-p", "the second")
    here = as_json(tl("sessions", "--json"))["sessions"]
    assert [session["title"] for session in here] == ["the second", "the first"]
    other = tl.cwd / "other"
    (other / ".turnloop").mkdir(parents=True)
    assert as_json(tl("--cwd", str(other), "sessions", "--json"))["sessions"] == []
    assert as_json(tl("--cwd", str(other), "sessions", "--json", "--all"))["sessions"] == here
    head, newest, *_ = tl("sessions").out.splitlines()
    assert head.split() == ["ID", "LAST", "WRITTEN", "SIZE", "TITLE"]
    assert newest.startswith(here[0]["id"])
    assert newest.endswith("the second")
