"""A stranger's plugin: built, installed, used in a real run, removed without a trace."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.log.reader import read_log
from turnloop_core.log.records import EditRecord
from turnloop_core.testing.loopback import Answer, Loopback, Recorded
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.edits import ShrinkResult

ACME = Path(__file__).parent / "acme"
STUB = "[left out: the same was read again later]"
NOTES = "".join(f"note {number}: the lamp in room {number} is on\n" for number in range(1, 31))
PEEKED = f"notes.txt: 30 of 30 lines\n{NOTES}".rstrip("\n")
SPENT = {"read": 100, "remembered": 0, "wrote": 10}


def lines(*pieces: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(piece).encode() + b"\n" for piece in pieces)


def asks(say: str, **arguments: Any) -> bytes:
    """The desk wants a peek, and gives the arguments in two pieces."""
    text = json.dumps(arguments)
    return lines(
        {"think": "I should look."},
        {"say": say},
        {"slot": 0, "ask": "Peek", "ticket": f"ticket of {say}"},
        {"slot": 0, "with": text[:7]},
        {"slot": 0, "with": text[7:]},
        {"bye": "asking", "spent": SPENT},
    )


REPLIES = (
    asks("First.", path="notes.txt"),
    asks("Once more.", path="notes.txt"),
    asks("And the other.", path="other.txt"),
    lines({"say": "Room 7 "}, {"say": "is lit."}, {"bye": "finished", "spent": SPENT}),
)


class Desk:
    """Says its replies in their order."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, request: Recorded) -> Answer:
        assert (request.method, request.path) == ("POST", "/talk")
        self.count += 1
        return Answer(body=[REPLIES[self.count - 1]])


def settings(project: Project, **values: Any) -> None:
    (project.home / ".turnloop").mkdir(exist_ok=True)
    (project.home / ".turnloop" / "settings.json").write_text(json.dumps(values))


def entry(url: str = "http://127.0.0.1:9") -> dict[str, Any]:
    return {"desk": {"kind": "acme_desk", "base_url": url, "model": "desk-2"}}


@pytest.fixture
def project() -> Iterator[Project]:
    with temporary_project({"notes.txt": NOTES, "other.txt": "nothing\n"}) as made:
        yield made


def transcripts(server: Loopback) -> list[list[dict[str, Any]]]:
    return [request.json["transcript"] for request in server.requests]


def use(installed: Any, project: Project) -> tuple[Loopback, list[dict[str, Any]]]:
    """A run with provider, tool and strategy of the stranger; what the server and we saw."""
    with Loopback(handler=Desk()) as server:
        strategy = {"strategy": "acme-newest"}
        settings(project, provider="desk", providers=entry(server.url), compaction=strategy)
        done = installed.tl("-p", "Is room 7 lit?", "--json", project=project)
    assert done.returncode == 0, done.stdout + done.stderr
    return server, [json.loads(line) for line in done.stdout.splitlines()]


def test_it_uses_nothing_but_the_public_modules() -> None:
    found = set()
    for path in ACME.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                found.add(node.module or ".")
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
    ours = {name for name in found if name.startswith("turnloop")}
    assert "turnloop_core.api" in ours
    assert {n for n in ours if not f"{n}.".startswith("turnloop_core.testing.")} == {
        "turnloop_core.api"
    }


def test_its_own_tests_pass_where_it_is_installed(with_acme: Any, tmp_path: Path) -> None:
    shutil.copytree(ACME / "tests", tmp_path / "tests")
    shutil.copy(ACME / "pyproject.toml", tmp_path)
    python = str(with_acme.place.python)
    done = with_acme.run(python, "-m", "pytest", "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    told = done.stdout.splitlines()[-1]
    assert "passed" in told
    assert "skipped" not in told


def test_tl_plugins_shows_it(with_acme: Any, project: Project) -> None:
    done = with_acme.tl("plugins", "--json", project=project)
    shown = {record["name"]: record for record in json.loads(done.stdout)["plugins"]}
    acme = shown["acme"]
    assert (acme["status"], acme["version"], acme["problems"]) == ("loaded", "3.1", [])
    assert acme["provides"] == [
        "provider kind acme_desk",
        "tool Peek",
        "compactor acme-newest",
    ]
    assert {record["status"] for record in shown.values()} == {"loaded"}


def test_a_run_over_its_wire_with_its_tool_and_its_strategy(
    with_acme: Any, project: Project
) -> None:
    server, events = use(with_acme, project)
    assert (events[-1]["event"], events[-1]["end"]) == ("run_ended", "done")
    assert events[-1]["text"] == "Room 7 is lit."
    ended = [event for event in events if event["event"] == "call_ended"]
    assert [(e["call"]["name"], e["result"].get("error")) for e in ended] == [("Peek", None)] * 3

    first, second, third, fourth = transcripts(server)
    assert [said["who"] for said in fourth] == ["person", *["engine", "tool"] * 3]
    assert [said["says"] for said in second[1:]] == ["First.", PEEKED]
    assert [said["says"] for said in third[1:]] == ["First.", STUB, "Once more.", PEEKED]
    assert fourth[:5] == third, "what was sent stays as it was"
    assert first == second[:1]

    (edited,) = [event for event in events if event["event"] == "edited"]
    assert edited["reason"] == "1 reading made again later"
    log = read_log(Path(events[0]["log"]))
    assert not log.damage
    (record,) = [r.body for r in log.records if isinstance(r.body, EditRecord)]
    (edit,) = record.edits
    assert isinstance(edit, ShrinkResult)
    assert (record.strategy, edit.call, edit.text) == ("acme-newest", 0, STUB)


def test_once_removed_it_leaves_no_trace(after_acme: Any, project: Project) -> None:
    assert after_acme.files("acme") == []
    for arguments in (
        ("plugins",),
        ("plugins", "--json"),
        ("--help",),
        ("doctor",),
        ("config",),
        ("-p", "Hello?"),
    ):
        done = after_acme.tl(*arguments, project=project)
        assert done.returncode == 0, done.stdout + done.stderr
        for word in ("acme", "desk", "peek"):
            assert word not in (done.stdout + done.stderr).lower(), arguments


@pytest.mark.parametrize(
    ("values", "status", "told"),
    [
        (
            {"provider": "desk", "providers": entry()},
            2,
            "settings.json:1: providers.desk.kind: no provider kind is called 'acme_desk'",
        ),
        (
            {"compaction": {"strategy": "acme-newest"}},
            2,
            "settings.json:1: compaction.strategy: no compaction strategy is called 'acme-newest'",
        ),
        (
            {"plugins": {"required": ["acme"]}},
            1,
            "tl: plugin acme is required by settings and is not installed",
        ),
    ],
)
def test_settings_that_still_name_it_give_one_clear_line(
    after_acme: Any, project: Project, values: dict[str, Any], status: int, told: str
) -> None:
    settings(project, **values)
    done = after_acme.tl("-p", "Hello?", project=project)
    first, *rest = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert first.startswith("tl: ")
    assert first.endswith(told)
    assert rest, "the next step is missing"
    assert all(line.startswith("    ") for line in rest)


def test_a_session_that_it_worked_on_goes_on_without_it(
    with_acme: Any, after_acme: Any, project: Project
) -> None:
    use(with_acme, project)
    settings(project)
    done = after_acme.tl("--resume", "-p", "Thank you.", "--json", project=project)
    assert done.returncode == 0, done.stdout + done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert (events[-1]["event"], events[-1]["end"]) == ("run_ended", "done")
    log = read_log(Path(events[0]["log"]))
    assert not log.damage
    assert len([r for r in log.records if isinstance(r.body, EditRecord)]) == 1
