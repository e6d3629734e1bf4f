"""Items are encoded once, and the cache forgets what no view holds."""

from __future__ import annotations

from turnloop_core.transport.encoding import ItemCache, dumps
from turnloop_core.types.items import Item, Prompt


def _prompts(count: int, start: int = 0) -> list[Item]:
    return [Prompt(number, f"p{number}") for number in range(start, start + count)]


def test_each_item_is_encoded_once() -> None:
    calls: list[int] = []

    def encode(item: Item) -> int:
        calls.append(item.id)
        return item.id

    cache: ItemCache[int] = ItemCache()
    items = _prompts(5)
    assert cache.encoded(items[:3], encode) == [0, 1, 2]
    assert cache.encoded(items, encode) == [0, 1, 2, 3, 4]
    assert calls == [0, 1, 2, 3, 4]


def test_an_equal_item_is_another_item() -> None:
    cache: ItemCache[int] = ItemCache()
    made = iter(range(10))
    first, second = Prompt(1, "same"), Prompt(1, "same")
    assert cache.encoded([first, second, first], lambda _: next(made)) == [0, 1, 0]


def test_another_variant_encodes_afresh() -> None:
    cache: ItemCache[str] = ItemCache()
    items = _prompts(1)
    assert cache.encoded(items, lambda _: "one", "model-1") == ["one"]
    assert cache.encoded(items, lambda _: "two", "model-2") == ["two"]


def test_two_conversations_share_and_the_past_is_forgotten() -> None:
    cache: ItemCache[int] = ItemCache()
    for start in range(0, 100_000, 100):
        cache.encoded(_prompts(100, start), lambda item: item.id)
        assert len(cache) <= 500


def test_json_is_compact_and_always_utf8() -> None:
    assert dumps({"a": ["é", 1, None]}) == '{"a":["é",1,null]}'.encode()
    assert dumps("half \ud83d pair") == b'"half ? pair"'
