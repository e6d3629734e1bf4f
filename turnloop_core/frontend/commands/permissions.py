"""`tl permissions`: what is allowed here, and why, without running anything."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar

import click

from turnloop_core.errors import EXIT_DONE, EXIT_FAILED, EXIT_LIMIT, EXIT_REFUSED, UsageError
from turnloop_core.frontend.commands.output import say_json
from turnloop_core.frontend.options import MODES, Top

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_DECISIONS = {"allow": EXIT_DONE, "ask": EXIT_REFUSED, "deny": EXIT_LIMIT}


@click.group()
def permissions() -> None:
    """Try permission rules, list them, have them explained. Nothing is run."""


def _rule_option(kind: str) -> Callable[[Decorated], Decorated]:
    text = f"Add a rule to {kind}; may be given again."
    return click.option(f"--{kind}", multiple=True, metavar="RULE", help=text)


@permissions.command(short_help="Say what would be decided of a call.")
@click.argument("tool", required=False)
@click.argument("arguments", metavar="ARGS_JSON", required=False)
@click.option("--mode", type=click.Choice(MODES), help="The mode, instead of the settings'.")
@_rule_option("allow")
@_rule_option("deny")
@_rule_option("ask")
@click.option("--only", is_flag=True, help="No rules but those given here, shipped ones neither.")
@click.option("--cwd", metavar="D", help="The folder that the call would act in.")
@click.option("--home", metavar="D", help="The home folder, with its settings and trust.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--exit-code", is_flag=True, help="Exit status 0 for allow, 4 for ask, 3 for deny.")
@click.option("--batch", metavar="FILE", help="Judge each line of FILE; - is standard input.")
@click.pass_obj
def check(top: Top, /, tool: str | None, arguments: str | None, **given: Any) -> int:
    """Say what would be decided of a call of TOOL, for example:

        tl permissions check Bash '{"command": "git push"}' --mode auto

    The rules are those that hold here, the shipped ones among them, and those given. Nothing is
    run and no name is looked up. What only shows while a call runs may stand in ARGS_JSON:
    "resolved" and "connected" (addresses of the host), "redirect_chain", "approved_realpath".

    With --batch each line is one JSON object of id, mode, rules (allow, deny, ask), tool, args, cwd
    and home. Its rules are all that count for it: neither those of settings nor the shipped ones;
    its cwd is taken for the project. Each is answered with one line of id, decision, rule, reason
    and subjects, or of id, line, error and hint; then the exit status is 1.
    """
    if given["batch"] is not None:
        return _batch(top, given, tool)
    if tool is None:
        raise UsageError("which call is meant?", hint="tl permissions check TOOL ARGS_JSON")
    from turnloop_core.frontend.commands import permissions_show as showing
    from turnloop_core.frontend.commands.permissions_single import judge_single

    answer, engine = judge_single(top, tool, arguments, given)
    if given["as_json"] or top.json:
        say_json(**showing.as_json(answer, engine))
    else:
        showing.show(answer, engine)
    return _DECISIONS[answer.decision.verdict] if given["exit_code"] else EXIT_DONE


def _batch(top: Top, given: dict[str, Any], tool: str | None) -> int:
    if tool is not None or any(given[name] for name in ("mode", "allow", "deny", "ask", "only")):
        raise UsageError(
            "with --batch the lines name tools, modes and rules",
            hint="tl permissions check --batch FILE",
        )
    from turnloop_core.frontend.commands.permissions_batch import Batch, encode
    from turnloop_core.frontend.commands.permissions_setup import builder_for, options_for

    options = options_for(top, cwd=given["cwd"], home=given["home"])
    failed = False
    with _lines(given["batch"]) as lines:
        for answer in Batch(builder_for(options)).answers(lines):
            failed = failed or "error" in answer
            sys.stdout.write(encode(answer))
            sys.stdout.flush()  # whoever asks line by line waits for it
    return EXIT_FAILED if failed else EXIT_DONE


@contextmanager
def _lines(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        opened = open(name, "rb")  # noqa: SIM115, PTH123 - left below
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"--batch: {name}: {why}", hint="name a file of JSON lines") from None
    with opened:
        yield opened


@permissions.command(name="list", short_help="List the mode and all rules that hold here.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def list_(top: Top, as_json: bool) -> int:
    """List the mode, all rules that hold here with the shipped ones, and where each stands."""
    from turnloop_core.frontend.commands.permissions_list import listed, show

    found = listed(top)
    if as_json or top.json:
        say_json(**found)
    else:
        show(found)
    return EXIT_DONE


@permissions.command(short_help="Explain a rule, or how a call is decided.")
@click.argument("rule", required=False)
@click.argument("arguments", metavar="[ARGS_JSON]", required=False)
@click.pass_obj
def explain(top: Top, rule: str | None, arguments: str | None) -> int:
    """Explain RULE: what it binds, where its pattern begins, what is odd about it.

    With ARGS_JSON it names a tool, and it is explained how a call is decided; with nothing, in
    which order rules and modes speak.
    """
    from turnloop_core.frontend.commands import permissions_explain as explaining

    if rule is None:
        explaining.order()
    elif arguments is None:
        explaining.rule(top, rule)
    else:
        explaining.call(top, rule, arguments)
    return EXIT_DONE
