"""Sessions as users have them, with a scripted server of the messages API behind them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
import anyio.lowlevel
from anthropic_server import StrictServer, hide, say, think, use
from anthropic_strict import thoughts

from turnloop_core.api import RunOutcome, Session, SessionOptions, Transport, open_session
from turnloop_core.testing.fakes import ScriptedApprover
from turnloop_core.testing.loopback import Answer, Loopback
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.events import RunEnd

KEY = {"CLAUDE_KEY": "key-of-the-test"}
FILES = {"pyproject.toml": "", **{f"f{i}.txt": f"line of f{i}\n" for i in range(12)}}


def read(number: int) -> dict[str, Any]:
    return use("Read", file_path=f"f{number}.txt")


# Ten turns with tools and an answer: calls with and without text, two at once, hidden thoughts,
# thoughts between calls, a turn that does not think.
TEN = [
    [think("First look at f0."), say("I look."), read(0)],
    [think("Then at two at once."), read(1), read(2)],
    [hide("a thought that is not told"), think("Next."), read(3)],
    [think("One."), read(4), think("And in between: «ö» 🙂\u2028."), read(5)],
    [read(6)],
    [think(""), read(7)],
    [think(" padded \n"), say("Still at it."), read(8)],
    [hide("b"), hide("c"), read(9)],
    [think("Nearly."), use("Read", file_path="no-such-file")],
    [think("Last."), read(10)],
    [think("All read."), say("They are all there.")],
    [think("A new prompt."), read(11)],
    [say("And that one too.")],
    [think("More?"), say("Nothing more.")],
]


@contextmanager
def world(server: Callable[..., Answer], **settings: Any) -> Iterator[tuple[Project, Loopback]]:
    with temporary_project(FILES) as project, Loopback(handler=server) as loopback:
        entry = {
            "kind": "anthropic",
            "base_url": f"{loopback.url}/v1",
            "model": "claude-sonnet-4-5",
            "api_key_env": "CLAUDE_KEY",
            "max_retries": 2,
        }
        folder = project.home / ".turnloop"
        folder.mkdir()
        said = {"provider": "claude", "providers": {"claude": entry}, **settings}
        (folder / "settings.json").write_text(json.dumps(said))
        yield project, loopback


async def no_sleep(_: float) -> None:
    await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def session(project: Project, **options: Any) -> AsyncIterator[Session]:
    chosen = SessionOptions(project.root, project.home, project.environment | KEY, **options)
    transport = Transport(sleep=no_sleep)
    approver = ScriptedApprover(interactive=False)
    async with open_session(chosen, approver=approver, transport=transport) as opened:
        yield opened
    await transport.aclose()


def ask(project: Project, *prompts: str, **options: Any) -> list[RunOutcome]:
    """Run prompts in one session, each to its end."""

    async def go() -> list[RunOutcome]:
        with anyio.fail_after(30):
            async with session(project, **options) as opened:
                return [await opened.run(prompt) for prompt in prompts]

    return anyio.run(go)


def views(project: Project, prompt: str, **options: Any) -> tuple[RunOutcome, list[Any]]:
    """Run a prompt; its outcome and the items of the view afterwards."""

    async def go() -> tuple[RunOutcome, list[Any]]:
        with anyio.fail_after(30):
            async with session(project, **options) as opened:
                return await opened.run(prompt), list(opened.view.items)

    return anyio.run(go)


def sent_thoughts(loopback: Loopback, number: int = -1) -> list[dict[str, Any]]:
    messages = loopback.requests[number].json["messages"]
    return [block for message in messages for block in thoughts(message)]


def fine(outcomes: Sequence[RunOutcome], server: StrictServer) -> None:
    assert server.refused == []
    assert [outcome.end for outcome in outcomes] == [RunEnd.DONE] * len(outcomes)
