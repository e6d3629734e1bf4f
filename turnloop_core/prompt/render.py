"""The system prompt: sections in order, then the project's own instructions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from turnloop_core.context import SectionContext
from turnloop_core.errors import PluginError, UnknownNameError
from turnloop_core.prompt.core import SAFETY_MINIMAL, STYLE, VARIANTS
from turnloop_core.prompt.instructions import InstructionFile, render_instructions
from turnloop_core.registry import SectionEntry, did_you_mean, load_object

_FULL = ("default", "careful")


def core_sections() -> tuple[SectionEntry, ...]:
    """Core's own sections. Plugins' sections stand between or behind them by their order."""
    module = "turnloop_core.prompt.core"
    return (
        SectionEntry("core.task", 100, load=f"{module}:task", variants=VARIANTS),
        SectionEntry("core.work", 200, load=f"{module}:work", variants=_FULL),
        SectionEntry("core.tools", 300, load=f"{module}:tools", variants=_FULL),
        SectionEntry("core.safety", 400, load=f"{module}:safety", variants=_FULL),
        SectionEntry("core.safety.minimal", 400, text=SAFETY_MINIMAL, variants=("minimal",)),
        SectionEntry("core.style", 500, text=STYLE, variants=_FULL),
    )


def known_variants(entries: Iterable[SectionEntry]) -> tuple[str, ...]:
    """The system variants that some section is for, sorted."""
    return tuple(sorted({variant for entry in entries for variant in entry.variants}))


def render_system(
    entries: Iterable[SectionEntry],
    context: SectionContext,
    instructions: Sequence[InstructionFile] = (),
) -> str:
    """The system prompt. The same arguments give the same text.

    Args:
        entries: all sections, core's own among them.
        context: scope, variant, tools and model.
        instructions: files with instructions, outermost first.

    Raises:
        UnknownNameError: no section is for that variant.
        PluginError: a section cannot be loaded, or raises.
    """
    sections = sorted(entries, key=lambda entry: (entry.order, entry.name))
    variants = known_variants(sections)
    if context.variant not in variants:
        raise UnknownNameError(
            f"no system variant is called {context.variant!r}",
            hint=did_you_mean(context.variant, variants),
        )
    wanted = [e for e in sections if not e.variants or context.variant in e.variants]
    texts = [_render(entry, context) for entry in wanted]
    texts.append(render_instructions(instructions))
    return "\n\n".join(text for text in map(str.strip, texts) if text)


def _render(entry: SectionEntry, context: SectionContext) -> str:
    if not entry.load:
        return entry.text
    render = load_object(entry.load)
    try:
        text = render(context)
    except Exception as error:  # whatever a foreign section raises
        raise PluginError(
            f"prompt section {entry.name}: {type(error).__name__}: {error}", hint="run: tl plugins"
        ) from error
    if not isinstance(text, str):
        raise PluginError(f"prompt section {entry.name}: {entry.load} did not return a text")
    return text
