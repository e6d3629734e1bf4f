"""Rules in words: what they bind, what is odd about them, and what they come to here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from turnloop_core.frontend.commands.output import table, write
from turnloop_core.frontend.commands.permissions_calls import Tools
from turnloop_core.frontend.commands.permissions_list import OF_CORE, binds_nothing
from turnloop_core.frontend.commands.permissions_samples import Sample, kind_of, samples
from turnloop_core.frontend.commands.permissions_setup import builder_for, engine_for, options_for
from turnloop_core.frontend.commands.permissions_show import show
from turnloop_core.frontend.commands.permissions_single import judge_single
from turnloop_core.frontend.options import Top
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import Rule, RuleKind, parse_rule
from turnloop_core.permissions.text import printable
from turnloop_core.types.subjects import PUBLIC_NAMES, Decision, SubjectKind, Verdict

ORDER = (
    "A call is taken apart into what it touches: paths, commands, addresses. Each part is decided",
    "by itself, and the strictest decision holds for the call.",
    "For each part, the first of these that speaks decides:",
    "  1. a deny rule: denied, in every mode",
    "  2. plan mode: denied, unless it is proved to change nothing",
    "  3. bypass mode: allowed (asked where a deny rule of yours cannot be compared beforehand)",
    "  4. an allow rule: allowed",
    "  5. an ask rule: asked",
    "  6. the mode: as its table says (tl permissions list)",
    "No rule is stronger for being more specific: an allow rule silences an ask rule.",
    "Allow rules match narrowly: the real path, the command as it is. Deny and ask rules match",
    "widely: the path as written too, the command behind its wrapper or named with its folder.",
    "What cannot be known before it runs is covered only by an allow rule that names exactly it.",
    "Checks of plugins come last, and may only tighten.",
)

_MEANS = {
    SubjectKind.READ: "reading, by every tool and by commands whose files are known",
    SubjectKind.WRITE: "writing, by every tool and by commands whose files are known",
    SubjectKind.COMMAND: "commands: each simple command of a line is matched by itself",
    SubjectKind.URL: "fetching addresses, each hop of a redirect by itself",
    SubjectKind.SEARCH: "questions to a search engine",
    SubjectKind.MCP: "tools of MCP servers",
    SubjectKind.TOOL: "what one tool touches, and no other",
}


def order() -> None:
    """In which order rules and modes speak."""
    for line in ORDER:
        write(line)


def call(top: Top, tool: str, arguments: str) -> None:
    """How a call is decided here."""
    answer, engine = judge_single(top, tool, arguments, {})
    show(answer, engine)
    write(f"\n{_stage(answer.decision, engine, doubted=bool(answer.doubts))}")
    write("The whole order: tl permissions explain")


def _stage(decision: Decision, engine: Engine, *, doubted: bool) -> str:
    if doubted and not decision.rule:
        return "It would not run as it stands; the best that can be said of it is a question."
    if decision.rule:
        kinds: tuple[RuleKind, ...] = ("deny", "allow", "ask")
        verdict = {"deny": Verdict.DENY, "allow": Verdict.ALLOW, "ask": Verdict.ASK}
        kind = next(k for k in kinds if verdict[k] is decision.verdict)
        return f"An {kind} rule decided." if kind != "deny" else "A deny rule decided."
    if decision.source:
        return f"The check {decision.source} of a plugin decided."
    return f"No rule speaks of it: {engine.mode} mode decided."


def rule(top: Top, text: str) -> None:
    """What a rule means, what is odd about it, and what its examples come to here.

    Raises:
        SettingsError: it is no rule; says what would be right.
    """
    builder = builder_for(options_for(top))
    engine = engine_for(builder)
    parsed = parse_rule(text, "this command line")
    tools = Tools(builder)
    write(f"{printable(parsed.text)} is a rule.")
    kind = kind_of(parsed, tools)
    write(f"It binds {_MEANS[kind]}{_only(parsed, kind)}.")
    write(_anchor(parsed, kind, engine))
    for note in odd(parsed, kind, tools.names):
        write(f"  ! {note}")
    tried = samples(parsed, kind, engine.scope)
    if tried:
        write()
        heads = ("EXAMPLE", "NOW", "IN ALLOW", "IN DENY", "IN ASK", "WHY")
        table(heads, [_row(sample, parsed, engine) for sample in tried])


def _only(rule: Rule, kind: SubjectKind) -> str:
    if rule.name == "Write":
        return "; in allow only of the tool Write, in deny and ask of everything that writes"
    if rule.name.startswith("mcp__") or rule.name == PUBLIC_NAMES.get(kind):
        return ""
    return f" ({rule.name})"


def _anchor(rule: Rule, kind: SubjectKind, engine: Engine) -> str:
    """Where its pattern begins, in words."""
    pattern, root = rule.pattern, engine.scope.root
    if pattern is None:
        return "Without a pattern it covers all of that."
    match kind:
        case SubjectKind.COMMAND:
            return (
                "The pattern is compared with the whole command, quotes removed and blanks folded; "
                "`*` is any text within it."
            )
        case SubjectKind.URL:
            return "The host is exact (or all below `*.host`), and `*` stands in path and query."
        case SubjectKind.SEARCH:
            return "The pattern is compared with the question; `*` is any text."
        case _:
            return f"The pattern is a path {_from(pattern, root)}."


def _from(pattern: str, root: Path) -> str:
    if pattern.startswith("**/"):
        return f"at any depth: of {root} in allow, of the whole file system in deny and ask"
    if pattern == "~" or pattern.startswith("~/"):
        return "below the home folder"
    if pattern.startswith("/"):
        return "from the root of the file system"
    return f"below the project, {root}"


def odd(rule: Rule, kind: SubjectKind, tools: tuple[str, ...]) -> Iterator[str]:
    """What may not be what its author means."""
    pattern = rule.pattern or ""
    if nothing := binds_nothing(rule, tools):
        yield f"it {nothing}"
    if kind is SubjectKind.COMMAND:
        yield from _odd_command(rule.name, pattern)
    if kind is SubjectKind.URL and (not pattern or pattern == "*" or "://*." in pattern):
        yield "in allow it does not cover this machine and private networks; name their host"
    if kind in (SubjectKind.READ, SubjectKind.WRITE) and pattern:
        yield from _odd_path(rule, pattern)


def _odd_command(name: str, pattern: str) -> Iterator[str]:
    if not pattern.strip("* "):
        yield "in allow, with a deny rule of yours, commands that cannot be known are still asked"
        return
    if pattern.endswith(":*"):
        yield f"in allow the colon is a colon; write {name}({pattern[:-2]} *)"
    elif pattern.endswith(" *"):
        yield f"it does not cover `{pattern[:-2]}` alone; add {name}({pattern[:-2]}) for that"
    elif pattern.endswith("*") and (pattern[-2:-1].isalnum()):
        yield f"without a blank before `*` it also covers `{pattern[:-1]}x`"
    if pattern.startswith("*"):
        yield "it begins with `*`, so it says nothing of the program that is run"
    if any(mark in pattern for mark in ("&&", "||", ";", " | ")):
        yield "commands of a line are matched one by one: no single command holds such a mark"


def _odd_path(rule: Rule, pattern: str) -> Iterator[str]:
    if pattern.startswith("//"):
        yield "two slashes mean the same as one: the root of the file system"
    if rule.name not in OF_CORE:
        owner = "Read" if rule.name in ("Grep", "Glob") else "Read or Edit"
        yield f"it binds {rule.name} alone; to bind every tool, write {owner}({pattern})"
    if any(mark in pattern for mark in "[{"):
        yield "`[abc]` and `{a,b}` count in deny and ask; in allow they are plain characters"


def _row(sample: Sample, rule: Rule, engine: Engine) -> tuple[str, ...]:
    def verdict(engine: Engine) -> Decision:
        return engine.decide(sample.tool, (sample.subject,), read_only=True)

    now, allowing = verdict(engine), verdict(engine.with_rule("allow", rule))
    denying = verdict(engine.with_rule("deny", rule))
    asking = verdict(engine.with_rule("ask", rule))
    decided = now.rule or f"{engine.mode} mode"
    why = f"now by {decided}"
    if allowing.verdict is not Verdict.ALLOW:
        why += f"; in allow it changes nothing: {allowing.rule or engine.mode} comes first"
    elif now.verdict is Verdict.ALLOW and now.rule:
        why += "; an allow rule covers it already, and silences one in ask"
    verdicts = [d.verdict.value for d in (now, allowing, denying, asking)]
    return printable(sample.text), *verdicts, printable(why)
