"""Start-up actions: the one decision, the one list, and what `.env` may never say."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from turnloop_core.config.models import CORE_KEYS
from turnloop_core.config.needs_trust import COUNTS_UNTRUSTED, NEEDS_TRUST
from turnloop_core.config.secrets import Secrets
from turnloop_core.config.startup import (
    OWN_ORIGINS,
    StartUpAction,
    StartUpKind,
    decide,
    steers,
)
from turnloop_core.config.trust import Trust
from turnloop_core.types.subjects import Verdict

PAGE = Path(__file__).parents[2] / "docs" / "permissions.md"
SERVER = StartUpAction("mcp_start", "helper", "node ./m.js", "project")


def said(action: StartUpAction, *, trusted: bool = True, approved: Any = ()) -> str:
    return str(decide(action, trusted=trusted, approved=approved)[0])


@pytest.mark.parametrize("kind", get_args(StartUpKind))
@pytest.mark.parametrize("content", ["./x.sh", ["yarn", "--version"], None, {"a": 1}])
def test_a_project_is_asked_about_until_exactly_that_is_approved(kind: Any, content: Any) -> None:
    action = StartUpAction(kind, "name", content, "project")
    mine = frozenset({action.digest})
    assert decide(action, trusted=False, approved=()) == (
        Verdict.ASK,
        "this folder is not trusted",
    )
    assert said(action, trusted=False, approved=mine) == "ask"
    assert said(action) == "ask"
    assert said(action, approved=mine) == "allow"
    others = (
        StartUpAction(kind, "other", content, "project"),
        StartUpAction(kind, "name", ["another"], "project"),
        StartUpAction("hook" if kind != "hook" else "probe", "name", content, "project"),
    )
    assert [said(other, approved=mine) for other in others] == ["ask"] * 3
    assert said(StartUpAction(kind, "name", content, "user"), trusted=False) == "allow"


@pytest.mark.parametrize("origin", ["project", "local", "dotenv", "", "User", "user ", "agents"])
def test_only_origins_that_are_known_to_be_the_users_own_are(origin: str) -> None:
    assert said(StartUpAction("hook", "Stop", "x", origin), trusted=False) == "ask"


def test_name_and_content_do_not_run_into_each_other() -> None:
    one = StartUpAction("hook", "a", "b c", "project")
    assert one.digest != StartUpAction("hook", "a b", "c", "project").digest
    assert one.digest != StartUpAction("hook", "a", ["b", "c"], "project").digest


STEERING = """
TURNLOOP_HOME turnloop_model AGENT_BASE_URL LD_PRELOAD DYLD_INSERT_LIBRARIES PATH Path https_proxy
ALL_PROXY NO_PROXY PYTHONPATH NODE_OPTIONS SSL_CERT_FILE HOME BASH_ENV
"""


@pytest.mark.parametrize("name", STEERING.split())
def test_a_variable_that_steers_never_comes_from_a_file(name: str) -> None:
    assert steers(name)
    action = StartUpAction("env", name, None, "dotenv")
    assert said(action, approved={action.digest}) == "ask"


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "GITHUB_TOKEN", "X_KEY", "PATHS", "MY_LD_KEY"])
def test_a_key_does_not_steer(name: str) -> None:
    assert not steers(name)


def test_dotenv_gives_no_variable_but_keys_that_settings_name(world) -> None:
    names = ("A_KEY", "LD_PRELOAD", "EVIL_BASE_URL", "TURNLOOP_MODEL")
    entries = {name: {"kind": "k", "api_key_env": name} for name in names}
    world.write("user", {"providers": entries})
    text = "".join(f"{name}=from-file\n" for name in (*names, "B_KEY", "TURNLOOP_PROVIDER"))
    path = world.write("env", text)
    loaded = world.load(trusted=True)
    secrets = Secrets.load(loaded, {"EVIL_BASE_URL": "own", "PATH": "/bin"})
    got = {name: secrets.get(name) for name in (*names, "B_KEY", "TURNLOOP_PROVIDER")}
    assert got == {**dict.fromkeys(got), "A_KEY": "from-file", "EVIL_BASE_URL": "own"}
    assert secrets.child_environment() == {"PATH": "/bin"}
    assert (loaded.settings.provider, loaded.settings.model) == (None, None)
    why = "steers turnloop or the programs that it starts, and is not taken from .env"
    assert [p for p in secrets.problems if "LD_PRELOAD" in p] == [f"{path}:2: LD_PRELOAD {why}"]
    unheard = Secrets.load(world.load(trusted=False), {}).ignored
    assert [item.key for item in unheard] == ["A_KEY"]  # trust would bring no more than that


def test_every_key_of_core_is_harmless_or_on_the_list() -> None:
    harmless = {str(path[0]) for path in COUNTS_UNTRUSTED if len(path) == 1}
    listed = [key for entry in NEEDS_TRUST for key in entry.keys]
    assert sorted({*harmless, *listed}) == sorted(CORE_KEYS)
    assert not harmless & set(listed)


def test_every_kind_of_start_up_action_is_on_the_list() -> None:
    assert {kind for entry in NEEDS_TRUST for kind in entry.kinds} == set(get_args(StartUpKind))


def test_the_page_has_the_list_word_for_word() -> None:
    section = PAGE.read_text().partition("## What a repository may not do\n")[2]
    section = section.partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert rows == [f"| {entry.what} | {entry.why} |" for entry in NEEDS_TRUST]


def test_what_was_approved_counts_and_nothing_else() -> None:
    trust = Trust(True, {SERVER.label: SERVER.digest})
    assert trust.allows(SERVER)
    other = StartUpAction("mcp_start", "helper", "sh -c 'id'", "project")
    assert (trust.allows(other), trust.standing(other)) == (False, "changed")
    assert not Trust(False, {SERVER.label: SERVER.digest}).allows(SERVER)
    assert Trust.of(True).allows(other)


@pytest.mark.parametrize("kind", get_args(StartUpKind))
def test_without_trust_only_a_setting_counts_by_itself(kind: Any) -> None:
    action = StartUpAction(kind, "name", ["x"], "local")
    trust = Trust(saved={action.label: action.digest})
    assert trust.allows(action) == (kind == "setting")
    assert not trust.allows(StartUpAction(kind, "name", ["x", "y"], "local"))
    assert not trust.allows(StartUpAction(kind, "other", ["x"], "local"))


@pytest.mark.parametrize("content", [float("nan"), {1, 2}, b"x", object()])
def test_a_content_that_is_no_json_value_is_an_error_and_no_answer(content: Any) -> None:
    action = StartUpAction("helper", "x", content, "project")
    with pytest.raises((TypeError, ValueError)):
        decide(action, trusted=True, approved=())


def test_the_users_own_origins_are_all_layers_but_those_of_the_project() -> None:
    assert sorted(OWN_ORIGINS) == ["core", "environment", "flag", "plugin", "user"]
