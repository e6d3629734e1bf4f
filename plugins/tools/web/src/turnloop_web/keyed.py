"""Engines that want a key: Brave Search and Tavily."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

import anyio

from turnloop_core.api import TurnloopError, dataclass, excerpt
from turnloop_web.hits import Hit, hits_of, rate_limited, unreadable
from turnloop_web.wire import Answer, Request, ask

_MOST = 2_000_000  # bytes of an answer
_TOTAL_S = 25.0
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Brave:
    """Brave Search. `base` is its address, `key_name` the variable that the key came from."""

    key: str
    key_name: str
    base: str = "https://api.search.brave.com"

    @property
    def address(self) -> str:
        return self.base

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        url = f"{self.base}/res/v1/web/search?q={quote(query, safe='')}&count={count}"
        headers = {"accept": _JSON, "x-subscription-token": self.key}
        answer = await _asked(Request(url, _whole, headers=headers))
        if answer.status == 422 and b"SUBSCRIPTION_TOKEN" in answer.body:
            raise _wrong_key(self.key_name, self.base)
        data = _checked(answer, self.base, self.key_name, spent=(402,))
        web = data.get("web")
        if web is None and data.get("type") == "search":  # no section, no results
            return []
        return _listed(web, self.base, ("title", "url", "description"))


@dataclass(frozen=True, slots=True)
class Tavily:
    """Tavily. `base` is its address, `key_name` the variable that the key came from."""

    key: str
    key_name: str
    base: str = "https://api.tavily.com"

    @property
    def address(self) -> str:
        return self.base

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        content = json.dumps({"query": query, "max_results": count}).encode()
        headers = {
            "accept": _JSON,
            "content-type": _JSON,
            "authorization": f"Bearer {self.key}",
        }
        request = Request(
            f"{self.base}/search", _whole, method="POST", headers=headers, content=content
        )
        answer = await _asked(request)
        data = _checked(answer, self.base, self.key_name, spent=(402, 432, 433))
        return _listed(data, self.base, ("title", "url", "content"))


def _whole(*_: object) -> int:
    return _MOST


async def _asked(request: Request) -> Answer:
    with anyio.move_on_after(_TOTAL_S):
        return await ask(request)
    raise TimeoutError(
        f"{urlsplit(request.url).hostname} gave no results within {_TOTAL_S:g} seconds. Search "
        "once more later."
    )


def _checked(answer: Answer, who: str, key_name: str, *, spent: tuple[int, ...]) -> dict[str, Any]:
    """The object that an answer holds.

    Args:
        answer: what came.
        who: the engine, for messages.
        key_name: the variable of the key.
        spent: statuses that mean that the plan's searches are used up.
    """
    status = answer.status
    if status == 429:
        after = answer.headers.get("retry-after", "").strip()[:40]
        raise rate_limited(who, f" (retry after {after} seconds)" if after.isdecimal() else "")
    if status in (401, 403):
        raise _wrong_key(key_name, who)
    if status in spent:
        raise TurnloopError(
            f"{who} says that the searches of this key's plan are used up (HTTP {status})",
            hint="Go on without searching. The user can change the plan, or search.backend.",
        )
    if status >= 500:
        raise TurnloopError(
            f"{who} has a fault (HTTP {status})", hint="Search once more later, or do without."
        )
    if status != 200:
        raise TurnloopError(
            f"{who} did not take the search (HTTP {status}): "
            f"{excerpt(answer.body.decode(errors='replace'))}",
            hint="Use a shorter query; if that does not help, the user can check search.base_url.",
        )
    try:
        data = json.loads(answer.body)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise unreadable(who, "it is not a JSON object")
    return data


def _listed(data: Any, who: str, names: tuple[str, str, str]) -> list[Hit]:
    entries = data.get("results") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise unreadable(who, "it has no list of results")
    hits = hits_of(entries, *names)
    if entries and not hits:
        raise unreadable(who, "its results have no addresses")
    return hits


def _wrong_key(key_name: str, who: str) -> TurnloopError:
    return TurnloopError(
        f"{who} does not accept the key in {key_name}",
        hint="Go on without searching. The user can put a valid key there, or choose another "
        "search.backend.",
    )
