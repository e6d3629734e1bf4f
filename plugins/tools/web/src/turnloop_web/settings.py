"""The section `search` of settings."""

from __future__ import annotations

from typing import Literal

from turnloop_core.api import dataclass

MOST_RESULTS = 20  # what the keyed engines give for one request


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Who is asked when the model searches the web.

    Attributes:
        backend: `ddgs` needs no key; `brave` and `tavily` do; `none` switches searching off.
        api_key_env: name of the variable that holds the key.
        base_url: where the keyed engine is, in place of its own address.
        max_results: how many results are shown, at most 20.
    """

    backend: Literal["ddgs", "brave", "tavily", "none"] = "ddgs"
    api_key_env: str = ""
    base_url: str = ""
    max_results: int = 10

    def __post_init__(self) -> None:
        if not 1 <= self.max_results <= MOST_RESULTS:
            raise ValueError(f"search.max_results is a number from 1 to {MOST_RESULTS}")
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            raise ValueError("search.base_url is an address that begins with http:// or https://")
