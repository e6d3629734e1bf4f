"""A loop of lines: a prompt, a run, a prompt. Questions are asked on the terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING

from turnloop_core.errors import EXIT_DONE, EXIT_INTERRUPTED, TurnloopError, UnknownNameError
from turnloop_core.frontend.complain import say
from turnloop_core.frontend.console import Output, one_line, printable, wants_colour
from turnloop_core.frontend.headless import settle_memory, unknown_switches
from turnloop_core.frontend.interrupts import Interrupts
from turnloop_core.frontend.render import Line
from turnloop_core.frontend.repl.asker import Asker
from turnloop_core.frontend.repl.typed import TypedLines
from turnloop_core.frontend.textview import TextView
from turnloop_core.registry import load_object
from turnloop_core.types.items import Prompt
from turnloop_core.types.subjects import PermissionMode

if TYPE_CHECKING:
    from turnloop_core.app import Environment, Session, SessionOptions

HELP = """Type what is to be done. While the agent works, a line is passed on to it.
  /help                     this
  /default, /plan, /auto    what needs your consent
  /quit, or ctrl-d          leave
  ctrl-c                    stop what is going on"""
_LEAVE = ("/quit", "/exit")
_MODES = {f"/{mode}": mode for mode in PermissionMode if mode is not PermissionMode.BYPASS}


def run_lines(options: SessionOptions, environment: Environment | None = None) -> int:
    """Read prompts from the terminal until the user leaves; the exit status.

    Args:
        options: what the session is to be.
        environment: already loaded; None loads it from `options`.

    Raises:
        TurnloopError: there was no session to run in.
    """
    import anyio

    return anyio.run(_main, options, environment)


async def _main(options: SessionOptions, environment: Environment | None) -> int:
    import anyio

    from turnloop_core.app import open_session

    terminal = Output(sys.stdout, colour=wants_colour(sys.stdout, os.environ))
    view = TextView(terminal, terminal)
    asker = Asker(terminal)
    interrupts = Interrupts()
    left = False
    with interrupts.listening(), anyio.CancelScope() as everything:
        interrupts.on_first = interrupts.on_second = everything.cancel
        async with open_session(
            options, approver=asker, subscribers=(view.on_event,), environment=environment
        ) as session:
            interrupts.on_second = everything.cancel
            settle_memory()
            loop = LineLoop(session, terminal, view, asker, interrupts)
            for notice in unknown_switches(options, session):
                view.on_event(notice)
            await loop.run()
        left = True
        loop.say_goodbye()
    return EXIT_DONE if left else EXIT_INTERRUPTED


class LineLoop:
    """The conversation on the terminal."""

    def __init__(
        self,
        session: Session,
        terminal: Output,
        view: TextView,
        asker: Asker,
        interrupts: Interrupts,
    ) -> None:
        self._session = session
        self._terminal = terminal
        self._view = view
        self._asker = asker
        self._interrupts = interrupts
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._running = False
        self._leaving = False
        self._warned = False  # ctrl-c was hit at an empty prompt

    async def run(self) -> None:
        """Until the user leaves."""
        session = self._session
        self._terminal.line(f"{session.provider_name}, {session.model}. /help for help.", "dim")
        said = [item.text for item in session.view.items if isinstance(item, Prompt)]
        if said:
            self._terminal.line(f"going on with {session.id}: {one_line(said[-1], 60)}", "dim")
        TypedLines(self.receive).start()
        while not self._leaving:
            line = await self._next_line()
            if line is None:
                break
            await self._take(line.strip())

    def receive(self, line: str | None) -> None:
        """A line was typed, or input ended."""
        self._warned = False
        if line is None:  # ctrl-d leaves the cursor where it is
            self._leaving = True
        else:
            self._terminal.entered()
        leave = line is not None and line.strip() in _LEAVE  # also instead of an answer
        mode = _MODES.get(line.strip()) if line is not None else None
        if mode is not None and self._running and self._asker.asks_permission:
            self._switch(mode)
            self._asker.remind()
            return
        if not leave and self._asker.take(line):
            return
        if not self._running:
            self._lines.put_nowait(line)
        elif line is None or leave:
            self._leaving = True
            self._session.interrupt()
        elif mode is not None:
            self._switch(mode)
        elif line.startswith("/"):
            self._lines.put_nowait(line)
            self._view.note(Line("after this run", "dim"))
        elif line.strip():
            self._session.steer(line.strip())
            self._view.note(Line("passed on", "dim"))

    def _switch(self, mode: PermissionMode) -> None:
        self._session.mode = mode
        self._view.note(Line(f"from now on: {mode}", "dim"))

    def say_goodbye(self) -> None:
        """Where the record is, and what else is to be read at the end."""
        for note in self._session.exit_notes():
            self._terminal.line(printable(note))
        if self._session.log_path.exists():
            self._terminal.line(f"log: {self._session.log_path}", "dim")
            self._terminal.line(f"go on: tl --resume {self._session.id}", "dim")

    async def _next_line(self) -> str | None:
        self._interrupts.on_first = self._interrupted_at_prompt
        self._interrupts.reset()
        self._prompt()
        line = await self._lines.get()
        if line is None:
            self._terminal.fresh_line()
        return line

    def _prompt(self) -> None:
        mode = self._session.mode
        shown = "" if mode is PermissionMode.DEFAULT else f"{mode} "
        self._terminal.fresh_line()
        self._terminal.write(f"{shown}> ")

    def _interrupted_at_prompt(self) -> None:
        self._terminal.key_hit()
        self._interrupts.reset()
        if self._warned or self._interrupts.last_signal != signal.SIGINT:
            self._lines.put_nowait(None)
            return
        self._warned = True
        self._terminal.line("ctrl-c again, or ctrl-d, to leave", "dim")
        self._prompt()

    def _interrupted_at_work(self) -> None:
        self._terminal.key_hit()
        if self._interrupts.last_signal != signal.SIGINT:
            self._leaving = True
        self._session.interrupt()

    async def _take(self, text: str) -> None:
        if text in _LEAVE:
            self._leaving = True
        elif text.startswith("/"):
            await self._command(text)
        elif text:
            await self._work(text)

    async def _work(self, text: str) -> None:
        self._running = True
        self._interrupts.reset()
        self._interrupts.on_first = self._interrupted_at_work
        try:
            error = (await self._session.run(text)).error
        except TurnloopError as raised:  # before there was a run; the next prompt may fare better
            error = raised
        finally:
            self._running = False
        self._terminal.fresh_line()
        if error is not None:
            say(str(error), error.hint)

    async def _command(self, text: str) -> None:
        name, _, arguments = text.partition(" ")
        registry = self._session.environment.plugins.registries.slash_commands
        if name == "/help":
            self._terminal.line(HELP)
            for entry in registry:
                self._terminal.line(f"  /{entry.name:<24} {entry.help}")
        elif name in _MODES:
            self._session.mode = _MODES[name]
        else:
            try:
                entry = registry.get(name[1:])
                run = load_object(entry.load, registry.owner(entry.name))
                await run(arguments.strip(), self._session)
            except UnknownNameError:
                say(f"there is no command {name}", "/help lists them")
            except TurnloopError as error:
                say(str(error), error.hint)
            except Exception as error:  # noqa: BLE001 - a plugin's command must not end the session
                say(f"{name} broke down: {type(error).__name__}: {error}", "see: tl plugins")
