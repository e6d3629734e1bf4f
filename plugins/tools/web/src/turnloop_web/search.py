"""WebSearch: addresses and snippets for a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from turnloop_core.api import (
    CallContext,
    Descriptions,
    FactoryContext,
    Result,
    Scope,
    Searched,
    Subject,
    SubjectKind,
    TurnloopError,
)
from turnloop_web.hits import Engine, shown
from turnloop_web.settings import SearchSettings

LONGEST = 400  # characters of a query; engines cut or refuse longer ones

DESCRIPTIONS = Descriptions(
    terse="Search the web.",
    normal="Search the web: titles, addresses, snippets. WebFetch reads the pages.",
    verbose=(
        "Search the web. The result is a numbered list of titles, addresses and short snippets; "
        "read a page with WebFetch before you rely on it. Engines understand "
        'site:example.org, "exact words" and -without. "Rate limited", "markup changed" and "no '
        'results" are different answers: only the last one means that nothing was found.'
    ),
)


class SearchArguments(BaseModel):
    """Arguments of WebSearch."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(description="words")

    @field_validator("query")
    @classmethod
    def _query(cls, value: str) -> str:
        folded = " ".join(value.split())
        if not folded or not folded.isprintable():
            raise ValueError("a query needs words")
        if len(folded) > LONGEST:
            raise ValueError(f"at most {LONGEST} characters")
        return folded


class WebSearch:
    """Searches.

    Args:
        settings: who is asked.
        secret: name of a variable -> its value.
        engine: asks in place of what the settings say.
    """

    name = "WebSearch"
    arguments = SearchArguments
    descriptions = DESCRIPTIONS

    def __init__(self, settings: SearchSettings, secret: Any, engine: Engine | None = None) -> None:
        self._settings = settings
        self._secret = secret
        self._engine = engine

    def subjects(self, args: SearchArguments, scope: Scope) -> Sequence[Subject]:
        return (Subject(SubjectKind.SEARCH, args.query, display=args.query),)

    async def run(self, args: SearchArguments, context: CallContext) -> Result:
        engine = self._engine or chosen(self._settings, self._secret)
        most = self._settings.max_results
        hits = list(await engine.search(args.query, most))[:most]
        fact = Searched(args.query, engine.address, len(hits))
        if not hits:
            said = f"no results for {args.query!r} ({engine.address}). Try fewer or other words."
            return Result.say(said, display=f"no results for {args.query}", facts=(fact,))
        text = shown(hits, args.query, engine.address)
        return Result.say(text, display=f"{len(hits)} results for {args.query}", facts=(fact,))


def chosen(settings: SearchSettings, secret: Any) -> Engine:
    """The engine that the settings name.

    Raises:
        TurnloopError: searching is switched off, or its key is missing.
    """
    backend, name = settings.backend, settings.api_key_env
    if backend == "none":
        raise TurnloopError(
            'searching the web is switched off (search.backend is "none")',
            hint="Go on without it, or fetch a known address with WebFetch.",
        )
    if backend == "ddgs":
        from turnloop_web.metasearch import Metasearch

        return Metasearch()
    key = secret(name) if name else None
    if not key:
        missing = f"the variable {name} is not set" if name else "search.api_key_env names none"
        raise TurnloopError(
            f"{backend} needs a key, and {missing}",
            hint="Go on without searching. The user can set search.api_key_env to the name of a "
            'variable that holds the key, or search.backend to "ddgs", which needs none.',
        )
    from turnloop_web.keyed import Brave, Tavily

    made = Brave(key, name) if backend == "brave" else Tavily(key, name)
    if not settings.base_url:
        return made
    from dataclasses import replace

    return replace(made, base=settings.base_url.rstrip("/"))


def create(context: FactoryContext) -> WebSearch:
    """The tool."""
    settings = context.settings
    if not isinstance(settings, SearchSettings):  # nobody configured anything
        settings = SearchSettings()
    return WebSearch(settings, context.secret)
