"""What a look at a command in the background shows, and with which arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnloop_shell import background
from turnloop_shell.output import News
from turnloop_shell.reading import OutputArguments


def test_arguments():
    assert OutputArguments.model_validate({}).id == ""
    assert OutputArguments.model_validate({"id": 3, "wait_s": None}).id == "bg3"
    assert OutputArguments.model_validate({"bash_id": " bg3 ", "kill": None}).id == "bg3"


def pieces(path: Path, *data: bytes) -> list[str]:
    """What looks show between which these bytes come."""
    news = News(path, lambda: None)
    shown = []
    for piece in data:
        news.feed(piece)
        shown.append(news.take(last=piece is data[-1]))
    news.close()
    return shown


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ([b"a\n", b"b\n"], ["a", "b"]),
        (["é".encode()[:1], "é".encode()[1:]], ["", "é"]),
        (["x日".encode()[:3], "日".encode()[2:] + b"y"], ["x", "日y"]),
        ([b"a\x1b[3", b"1mred\x1b[0m"], ["a", "red"]),
        ([b"a\x1b]0;ti", b"tle\x07b"], ["a", "b"]),
        ([b"a\x1b[31mred", b"more"], ["ared", "more"]),
        ([b"a\x1b(B", b"b"], ["a", "b"]),
        ([b"a\xc3"], ["a\\xc3"]),  # nothing comes after it
        ([b"caf\xe9 x", b"y"], ["caf\\xe9 x", "y"]),
    ],
)
def test_characters_and_codes_are_not_torn_apart_by_a_look(tmp_path, data, shown):
    assert pieces(tmp_path / "out.txt", *data) == shown
    assert (tmp_path / "out.txt").read_bytes() == b"".join(data)


def test_what_is_held_back_is_no_news(tmp_path):
    told = []
    news = News(tmp_path / "out.txt", lambda: told.append(1))
    news.feed(b"a\xc3")
    assert (news.size, len(told)) == (2, 1)
    assert (news.take(last=False), news.size) == ("a", 0)
    news.feed(b"\xa9")
    assert (news.take(last=False), news.size) == ("é", 0)
    news.close()


def test_the_limits_are_what_the_readme_says():
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    assert f"at most {background.MOST_RUNNING} at once" in readme
