"""`tl permissions check --batch`: many calls in one process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest

from turnloop_core.environment import SessionOptions
from turnloop_core.frontend.commands.permissions_batch import Batch
from turnloop_core.frontend.commands.permissions_setup import builder_for

NO_NETWORK = """
import sys
seen = []
sys.addaudithook(lambda event, args: seen.append(event) if event.startswith("socket.") else None)
from turnloop_core.frontend.main import main
status = main(sys.argv[1:])
assert not seen, seen
raise SystemExit(status)
"""


@pytest.fixture
def batch(tmp_path):
    home, cwd = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    cwd.mkdir()
    return Batch(builder_for(SessionOptions(cwd=cwd, home=home, environment={})))


def answers(batch, *lines):
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return list(batch.answers(raw))


READ = {"tool": "Read", "args": {"file_path": ".env"}}


def test_the_shape_of_an_answer(batch, tmp_path):
    deny = {"deny": ["Read(**/.env)"]}
    assert answers(batch, {"id": "a", "rules": deny, "mode": "bypass", **READ}) == [
        {
            "id": "a",
            "decision": "deny",
            "rule": "Read(**/.env)",
            "reason": "reading .env is denied by rule Read(**/.env) (rules.deny)",
            "subjects": [
                {"kind": "read", "form": str(tmp_path / "project/.env"), "decision": "deny"}
            ],
        }
    ]


def test_only_the_rules_of_the_line_count(batch):
    [found] = answers(batch, READ)  # a shipped rule would deny it
    assert (found["id"], found["decision"], found["rule"]) == (1, "allow", "")


def test_settings_do_not_count(tl):
    tl.settings({"permission_mode": "bypass", "permissions": {"deny": ["Read"]}})
    lines = [READ, {"tool": "Read", "args": {"file_path": "/etc/hosts"}}]
    text = "\n".join(map(json.dumps, lines)).encode()
    ran = tl("permissions", "check", "--batch", "-", stdin=text)
    assert [event["decision"] for event in ran.events] == ["allow", "ask"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[]", "one JSON object"),
        ({"args": {}}, "tool: "),
        ({**READ, "args": []}, "args: "),
        ({**READ, "mode": "yolo"}, "mode: there is no mode 'yolo'"),
        ({**READ, "mode": ["auto"]}, "mode: "),
        ({**READ, "rules": {"alow": []}}, "rules: "),
        ({**READ, "rules": {"allow": "Read"}}, "rules.allow: "),
        ({**READ, "rules": {"deny": ["Read("]}}, "rules.deny: permission rule 'Read('"),
        ({**READ, "ruels": {}}, "ruels means nothing here"),
        ({**READ, "cwd": "/nowhere/at/all"}, "cwd: there is no folder"),
        ({**READ, "home": 3}, "home: there is no folder"),
        ({**READ, "cwd": "a\0b"}, "cwd: there is no folder"),
        ({"tool": "@spade", "args": {}}, "no start-up action is called @spade"),
    ],
)
def test_a_bad_line_is_an_answer_and_the_next_is_judged(batch, line, said):
    bad, good = answers(batch, line, {**READ, "id": "next"})
    assert set(bad) == {"id", "line", "error", "hint"}
    assert (bad["id"], bad["line"]) == (1, 1)
    assert said in bad["error"]
    assert bad["hint"]
    assert (good["id"], good["decision"]) == ("next", "allow")


def test_a_bad_line_keeps_its_name(batch):
    [bad] = answers(batch, {"id": "mine", "tool": "Read", "mode": "yolo"})
    assert bad["id"] == "mine"


def test_lines_may_say_more_for_their_readers_and_blank_ones_are_passed_over(batch):
    found = answers(batch, b"\n", {**READ, "expected": "deny", "why": "x", "cwd_layout": []})
    assert [(each["id"], each["decision"]) for each in found] == [(2, "allow")]


def test_a_folder_behind_a_link_is_judged_where_it_is(batch, tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    call = {"tool": "Edit", "args": {"file_path": str(tmp_path / "link/a")}, "mode": "auto"}
    [found] = answers(batch, {**call, "cwd": str(tmp_path / "link")})
    assert found["decision"] == "allow"
    assert found["subjects"][0]["form"] == str(real / "a")


def test_the_folder_is_the_project_whatever_lies_above(batch, tmp_path):
    below = tmp_path / "project/sub"
    below.mkdir()
    (tmp_path / "project/.turnloop").mkdir()
    call = {"tool": "Write", "args": {"file_path": "../a", "content": ""}, "mode": "auto"}
    assert answers(batch, {**call, "cwd": str(below)})[0]["decision"] == "ask"


def test_tools_are_made_once_and_engines_are_kept(batch, monkeypatch):
    made = []
    real = type(batch._tools.builder).make
    monkeypatch.setattr(
        type(batch._tools.builder),
        "make",
        lambda self, registry, entry, *more: (
            made.append(entry.name) or real(self, registry, entry, *more)
        ),
    )
    answers(batch, *[READ] * 5, *[{**READ, "mode": "auto"}] * 5)
    assert made == ["Read"]
    kept = batch._engine.cache_info()
    assert (kept.misses, kept.hits) == (2, 8)
    assert kept.maxsize is not None


def test_redirects_and_addresses_are_judged_without_looking_anything_up(tl):
    lines = [
        {"tool": "WebFetch", "args": {"url": "https://docs.example.com/", **facts}}
        for facts in (
            {},
            {"resolved": ["127.0.0.1"]},
            {"resolved": ["93.184.216.34"], "connected": "10.0.0.1"},
            {"redirect_chain": ["/next", "http://[::1]/"]},
        )
    ]
    text = "\n".join(json.dumps({**line, "rules": {"allow": ["WebFetch"]}}) for line in lines)
    ran = subprocess.run(
        [sys.executable, "-c", NO_NETWORK, "permissions", "check", "--batch", "-"],
        input=text,
        capture_output=True,
        text=True,
        cwd=tl.cwd,
        env=tl.variables(),
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [each["decision"] for each in found] == ["allow", "ask", "ask", "ask"]
    assert [len(each["subjects"]) for each in found] == [1, 1, 1, 3]


def test_it_answers_line_by_line(tl):
    process = tl.start(
        "permissions", "check", "--batch", "-", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    overdue = threading.Timer(30, process.kill)  # a line that never comes fails, and does not hang
    overdue.start()
    with process:
        for name in ("one", "two"):
            process.stdin.write(json.dumps({"id": name, **READ}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == name
        process.stdin.write(b"{\n")
        process.stdin.close()
        assert "error" in json.loads(process.stdout.readline())
        assert process.wait(30) == 1
    overdue.cancel()


def test_a_file_of_lines(tl):
    path = tl.cwd / "lines.jsonl"
    path.write_text(json.dumps(READ) + "\n" + json.dumps({**READ, "mode": "plan"}) + "\n")
    ran = tl("permissions", "check", "--batch", str(path))
    assert ran.status == 0
    assert ran.out.isascii()
    assert [event["decision"] for event in ran.events] == ["allow", "allow"]
