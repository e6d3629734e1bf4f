"""`tl` through click: help, subcommands, and the words for what was typed wrong."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from turnloop_core import __version__
from turnloop_core.errors import EXIT_INTERRUPTED, EXIT_USAGE, UsageError
from turnloop_core.frontend.lazy import LazyGroup
from turnloop_core.frontend.options import OPTIONS, Option, Top, wanted_off
from turnloop_core.frontend.places import load_quietly
from turnloop_core.nearest import best
from turnloop_core.registry import CommandEntry

if TYPE_CHECKING:
    from turnloop_core.plugins import Plugins

HELP = """A coding agent for the terminal: it reads, edits and runs things in a folder, under
permission, until the work is done.

Without a prompt on a terminal, lines are read one after the other. Text that is piped in is added
to the prompt.
"""
EPILOG = """Exit status: 0 done, 1 failed, 2 used wrongly, 3 stopped by a limit, 4 done but calls
were refused for want of consent, 5 provider unreachable or not authorised, 130 interrupted.
"""
_HERE = "turnloop_core.frontend.commands"
CORE_COMMANDS = (
    CommandEntry(
        "config", "Show the settings, and where each comes from.", f"{_HERE}.config:config"
    ),
    CommandEntry("debug", "Look at recorded traffic of providers.", f"{_HERE}.debug:debug"),
    CommandEntry(
        "doctor", "Check this machine, the settings and the provider.", f"{_HERE}.doctor:doctor"
    ),
    CommandEntry(
        "permissions", "Try and explain permission rules.", f"{_HERE}.permissions:permissions"
    ),
    CommandEntry("plugins", "List plugins, and what happened to each.", f"{_HERE}.plugins:plugins"),
    CommandEntry("sessions", "List recorded sessions, newest first.", f"{_HERE}.sessions:sessions"),
    CommandEntry("trust", "Trust this folder's settings.", f"{_HERE}.trust:trust"),
)


def run(arguments: Sequence[str]) -> int:
    """Parse and run; the exit status.

    Raises:
        TurnloopError: what was typed wrong, or what the command raised.
    """
    group = make_group(arguments)
    try:
        # Not `main()`: it would end the process by itself where a reader left or a key was hit.
        with group.make_context("tl", list(arguments)) as ctx:
            status = group.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as help_:
        click.echo(help_.format_message(), err=True)  # a group without its command
        return EXIT_USAGE
    except click.Abort:
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        raise _in_our_words(error) from error
    return status if isinstance(status, int) else 0


def make_group(arguments: Sequence[str] = ()) -> LazyGroup:
    """The group, for one command line."""

    def find_plugins(ctx: click.Context) -> Plugins:
        # Help is asked for before the other options are looked at: `-x` is read from the words.
        off = ctx.params.get("disabled") or wanted_off(arguments)
        return load_quietly(off, ctx.params.get("cwd"))

    version = click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_say_version,
        help="Show the version.",
    )
    return LazyGroup(
        core=CORE_COMMANDS,
        find_plugins=find_plugins,
        params=[*(_declare(option) for option in OPTIONS), version],
        callback=_begin,
        help=HELP,
        epilog=EPILOG,
    )


def _declare(option: Option) -> click.Option:
    kinds: dict[str, dict[str, Any]] = {
        "flag": {"is_flag": True},
        "value": {},
        "many": {"multiple": True},
        "whole": {"type": click.IntRange(min=1)},
        "optional": {"is_flag": False, "flag_value": ""},
        "choice": {"type": click.Choice(option.choices)},
    }
    return click.Option(
        [*option.flags, option.field],
        help=option.help,
        metavar=option.metavar or None,
        **kinds[option.kind],
    )


def _say_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"turnloop {__version__}")
        ctx.exit()


@click.pass_context
def _begin(ctx: click.Context, /, **values: Any) -> int:
    gc.enable()  # what comes now may take long
    top = Top(**values)
    if ctx.invoked_subcommand is None:
        from turnloop_core.frontend.start import start

        return start(top)
    if top.prompt is not None:
        raise UsageError(
            f"a prompt does not go with the command {ctx.invoked_subcommand}",
            hint='put a prompt of several words in quotes: tl -p "..."',
        )
    ctx.obj = top
    return 0


def _in_our_words(error: click.ClickException) -> UsageError:
    ctx = getattr(error, "ctx", None)
    where = ctx.command_path if ctx is not None else "tl"
    if isinstance(error, click.NoSuchOption):
        return UsageError(
            f"{where} has no option {error.option_name}", hint=_other_option(error.option_name, ctx)
        )
    message = error.format_message().rstrip(".")
    return UsageError(message[:1].lower() + message[1:], hint=f"see {where} --help")


def _other_option(name: str, ctx: click.Context | None) -> str:
    """What was meant: an option of `tl`, which stands before the command, or one of like name."""
    where = ctx.command_path if ctx is not None else "tl"
    if ctx is not None and ctx.parent is not None:
        for option in OPTIONS:
            if name in option.flags and option.field != "prompt":
                example = f"{name} {option.metavar}".strip()
                return f"put it before the command: tl {example} {ctx.info_name}"
    words = {
        flag.lstrip("-"): flag
        for parameter in (ctx.command.get_params(ctx) if ctx is not None else ())
        if isinstance(parameter, click.Option)
        for flag in parameter.opts
        if flag.startswith("--")
    }
    near = best(name.lstrip("-"), tuple(words))
    return f"did you mean {words[near]}?" if near else f"see {where} --help"
