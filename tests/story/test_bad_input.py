"""Bad input, from the outside: one clear line or a result to act on, the right status, no loss."""

from __future__ import annotations

import json
from typing import Any

import pytest

from story.bad_input import KEY, bench, call, outside_plugin, pieces_before, say
from turnloop_core.testing.loopback import Answer, free_port, sse
from turnloop_core.testing.wire import chat_chunks

PAGE = b"<!DOCTYPE html><html><title>Sign in</title><body>please</body></html>"


def test_no_plugin_at_all() -> None:
    none = {"TURNLOOP_PLUGINS": ""}
    with bench(say()) as b:
        hint = b.fails(2, "no provider kind is called 'openai_compat'", env=none)
        assert "tl plugins" in hint
        b.write_settings("{}")
        assert "tl plugins" in b.fails(2, "no provider is configured", "-p", "go", env=none)
        for command in ("--help", "plugins", "config", "sessions"):
            assert b.tl(command, env=none).returncode == 0
        assert (b.logs(), b.server.requests) == ([], [])


def test_an_unknown_provider() -> None:
    with bench(say()) as b:
        hint = b.fails(2, "no provider is called 'locl'", "-p", "go", "--provider", "locl")
        assert "did you mean local" in hint


@pytest.mark.parametrize(
    ("key", "words"), [("", "LOCAL_KEY is not set"), ("a\nb", "cannot be sent")]
)
def test_a_missing_or_broken_key(key: str, words: str) -> None:
    with bench(say()) as b:
        assert "LOCAL_KEY" in b.fails(5, words, env={"LOCAL_KEY": key})
        assert b.server.requests == []


def test_a_refused_key_that_the_server_repeats() -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    with bench(Answer(401, body=body)) as b:
        assert "LOCAL_KEY" in b.fails(5, "the key was refused", "-p", "go", "--json")
        b.check_log()


def test_an_unreachable_server() -> None:
    address = f"127.0.0.1:{free_port()}"
    with bench() as b:
        b.configure(lambda s: s["providers"]["local"].update(base_url=f"http://{address}/v1"))
        assert "base_url" in b.fails(5, f"cannot reach {address}")
        b.check_log()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            Answer(body=PAGE, headers={"content-type": "text/html"}),
            "a page instead of a reply: Sign",
        ),
        (Answer(body=PAGE), "a page instead of a reply: Sign"),
        (Answer(body=b""), "answered 200 with an empty body"),
        (Answer(body=[]), "answered 200 with an empty body"),
        (Answer(body=b"[" * 100_000), "instead of a reply"),
        (Answer(400, body=b'{"error":' * 50_000), "the request was refused (400)"),
        (Answer(body=sse("[" * 100_000)), "not what this protocol says"),
    ],
)
def test_an_answer_that_is_no_reply(answer: Answer, words: str) -> None:
    with bench(answer) as b:
        b.fails(1, words, "-p", "go", "--json")
        assert len(b.server.requests) == 1
        b.check_log()


@pytest.mark.parametrize("drop", ["close", None])
def test_a_stream_cut_inside_the_arguments_of_a_call(drop: Any) -> None:
    command = {"command": "touch never"}
    whole = call(("Bash", command)).body
    assert isinstance(whole, bytes)
    cut = pieces_before(whole, b"never"[:4])
    with bench(Answer(body=[cut], drop=drop), say()) as b:
        done = b.tl("-p", "go", "--permission-mode", "bypass")
        assert (done.returncode, done.stdout) == (0, "Done.\n")
        assert not b.project.path("never").exists()
        assert len(b.server.requests) == 2
        b.check_log()


def test_a_stream_that_is_always_cut_halts() -> None:
    chunks = chat_chunks(text="half of it", finish="", done=False)
    with bench(handler=lambda _: Answer(body=sse(*chunks))) as b:
        done = b.tl("-p", "go")
        assert done.returncode == 5
        assert "3 replies in a row were cut off" in done.stderr
        b.check_log()


def test_a_call_cut_by_the_output_limit_does_not_run() -> None:
    with bench(call(("Bash", '{"command": "touch nev'), finish="length"), say()) as b:
        assert b.tl("-p", "go", "--permission-mode", "bypass").returncode == 0
        assert (
            "output limit of 4,096 tokens" in b.server.requests[1].json["messages"][-1]["content"]
        )
        b.check_log()


# What a model may write, and what it is told.
BAD_CALLS = [
    ("Bash", '{"command": touch}', "not valid JSON"),
    ("Bash", '{"command": "tou', "stop in the middle"),
    ("Bash", '{"command": NaN}', "NaN is not JSON"),
    ("Bash", "5", "one JSON object, not a number"),
    ("Bash", "[" * 100_000, "nested deeper than 100 levels"),
    ("Bash", '{"a":' * 900 + "1" + "}" * 900, "nested deeper than 100 levels"),
    ("Bash", '{"timeout_s": ' + "9" * 6_000 + "}", "a number of 6000 digits"),
    ("Bahs", '{"command": "ls"}', "did you mean Bash?"),
    ("Bash", '{"comand": 5}', "command is missing"),
    ("Bash", '{"command": "echo \\ud800"}', "a lone surrogate"),
    ("Read", '{"file_path": "a\\u0000b"}', "NUL"),
    ("Read", '{"file_path": "a\\ud800b"}', "no file name can have"),
    ("Write", json.dumps({"file_path": "a/" * 5_000, "content": ""}), "too long for this system"),
    ("", "{}", "There is no tool called ''"),  # without a name until the end: it comes last
]


def test_calls_that_cannot_run_get_results_and_the_run_goes_on() -> None:
    reply = call(*[(name, arguments) for name, arguments, _ in BAD_CALLS])
    with bench(reply, say(), say()) as b:
        assert b.tl("-p", "go", "--permission-mode", "bypass").returncode == 0
        for told, (_, _, words) in zip(b.told(), BAD_CALLS, strict=True):
            assert words in told
        # What the model wrote must not make the history one that servers refuse for ever.
        sent = b.server.requests[1].json["messages"]
        calls = [c for m in sent for c in m.get("tool_calls", ())]
        assert all(isinstance(json.loads(c["function"]["arguments"]), dict) for c in calls)
        b.check_log()
        assert b.tl("-p", "go", "--resume").returncode == 0


BAD_TOOL = """
from pathlib import Path
from pydantic import BaseModel

class Arguments(BaseModel):
    how: str

class Bad:
    name = "Bad"
    arguments = Arguments
    descriptions = Descriptions("Bad.", "Bad.", "Bad.")
    def subjects(self, args, scope):
        if args.how == "subjects":
            raise KeyError("no such thing")
        return []
    async def run(self, args, context):
        if args.how == "raise":
            raise ZeroDivisionError("one too many")
        if args.how == "exit":
            raise SystemExit("bye")
        if args.how == "print":
            print("printed")
        given = {
            "none": None,
            "text": "words",
            "content": Result((1, 2)),
            "bytes": Result((Image("image/png", b"raw"),)),
            "path": Result.say("read", facts=(ReadRange(Path("x"), 1, 2, ""),)),
        }
        return given.get(args.how, Result.say("fine"))

def make(*_):
    return Bad()

@hookimpl
def register_tools(registrar):
    registrar.add(ToolEntry("Bad", "stranger_bad:make", read_only=True))
"""


BAD_TOOLS = {
    "raise": "Bad broke down: ZeroDivisionError: one too many",
    "exit": "Bad broke down: SystemExit: bye",
    "subjects": "what it would touch could not be found out (KeyError",
    "none": "something that is not a result",
    "text": "something that is not a result",
    "content": "something that is not a result",
    "bytes": "something that is not a result",
    "path": "something that is not a result",
    "print": "fine",
}


def test_a_tool_that_raises_or_gives_no_result() -> None:
    with bench(call(*[("Bad", {"how": how}) for how in BAD_TOOLS]), say()) as b:
        env = outside_plugin(b.project.outside, "bad", BAD_TOOL)
        done = b.tl("-p", "go", "--permission-mode", "bypass", "--json", env=env)
        assert done.returncode == 0
        for told, words in zip(b.told(), BAD_TOOLS.values(), strict=True):
            assert words in told
        events = [json.loads(line) for line in done.stdout.splitlines()]  # nothing printed in it
        assert events[-1]["end"] == "done"
        b.check_log()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"permissions"', '"permisions"', ":15: permisions: no setting is called so"),
        ('"test-model"', '"test-model",,', "two commas in a row"),
        ("\n}", ",\n}", "trailing comma"),
        ('"model": "test-model"', '"model": 5', "expected a text, found a number"),
        ('"LOCAL_KEY"', f'"{KEY}"', "not the name of a variable"),
        ("{", "{" + '"a":{' * 3_000, "nested deeper than 64 levels"),
    ],
)
def test_a_mistake_in_settings(old: str, new: str, words: str) -> None:
    with bench(say()) as b:
        path = b.project.home / ".turnloop" / "settings.json"
        place = path.read_text().rindex(old) if old == "\n}" else path.read_text().index(old)
        text = path.read_text()
        b.write_settings(text[:place] + new + text[place + len(old) :])
        b.fails(2, words, "-p", "go", "--json")
        assert (b.logs(), b.server.requests) == ([], [])


def test_a_prompt_that_no_window_holds_does_not_spoil_its_session() -> None:
    with bench(say(), say()) as b:
        assert b.tl("-p", "go").returncode == 0
        long = "x y\n" * 200_000
        hint = b.fails(1, "the prompt is about", "-p", "go", "--resume", "--json", stdin=long)
        assert "into a file" in hint
        b.check_log()
        assert b.tl("-p", "go", "--resume").returncode == 0
        b.fails(2, "more than 1,000,000 bytes", "-p", "go", stdin=long * 2)
        assert len(b.server.requests) == 2
