"""A click group that lists its commands without importing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from turnloop_core.errors import ClashError, PluginError, UnknownNameError
from turnloop_core.registry import CommandEntry, did_you_mean, load_object

if TYPE_CHECKING:
    from turnloop_core.plugins import Plugins


class LazyGroup(click.Group):
    """Commands of core and of plugins, by name and help; one is imported when it is called.

    A name of core's cannot be taken by a plugin.

    Args:
        core: core's own commands.
        find_plugins: loads the plugins; called once, and only when core has no such command.
    """

    def __init__(
        self,
        *,
        core: Sequence[CommandEntry],
        find_plugins: Callable[[click.Context], Plugins],
        params: list[click.Parameter],
        callback: Callable[..., object],
        help: str,  # noqa: A002 - click's name
        epilog: str,
    ) -> None:
        super().__init__(
            name="tl",
            params=params,
            callback=callback,
            help=help,
            epilog=epilog,
            invoke_without_command=True,
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )
        self._core = {entry.name: entry for entry in core}
        self._find_plugins = find_plugins
        self._plugins: Plugins | None = None

    def plugins(self, ctx: click.Context) -> Plugins:
        if self._plugins is None:
            self._plugins = self._find_plugins(ctx)
        return self._plugins

    def entries(self, ctx: click.Context) -> dict[str, CommandEntry]:
        """All commands that can be called, by name."""
        theirs = {entry.name: entry for entry in self.plugins(ctx).registries.commands}
        return dict(sorted({**theirs, **self._core}.items()))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries(ctx))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._core:
            return _load(self._core[cmd_name], "")
        registry = self.plugins(ctx).registries.commands
        try:
            entry = registry.get(cmd_name)
        except ClashError:
            raise
        except UnknownNameError:
            return None
        return _load(entry, registry.owner(cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        command = self.get_command(ctx, args[0])
        if command is None:
            raise self._unknown(ctx, args)
        return args[0], command, args[1:]

    def _unknown(self, ctx: click.Context, args: list[str]) -> UnknownNameError:
        words = " ".join(args)
        if ctx.params.get("prompt") is not None:
            whole = f"{ctx.params['prompt']} {words}"
            return UnknownNameError(
                f"no command is called {args[0]!r}",
                hint=f'put the whole prompt in quotes: tl -p "{whole}"',
            )
        hint = f'to send it as a prompt: tl -p "{words}"'
        if len(args[0].split()) < 2:
            hint = f"{did_you_mean(args[0], self.list_commands(ctx))}\n{hint}"
        return UnknownNameError(f"no command is called {args[0]!r}", hint=hint)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(entry.name, entry.help) for entry in self.entries(ctx).values()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
        broken = [r for r in self.plugins(ctx).records if r.status in ("failed", "incompatible")]
        if broken:
            names = ", ".join(record.found.name for record in broken)
            formatter.write_paragraph()
            formatter.write_text(f"Did not load: {names}. See: tl plugins")


def _load(entry: CommandEntry, owner: str) -> click.Command:
    command = load_object(entry.load, owner)
    if not isinstance(command, click.Command):
        raise PluginError(
            f"plugin {owner}: {entry.load} is no click command", hint="report it to its author"
        )
    return command
