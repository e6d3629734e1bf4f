"""Keys: origin, masking, and what children get."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings, strategies as st

from turnloop_core.config.dotenv import parse_dotenv
from turnloop_core.config.secrets import Secrets
from turnloop_core.errors import SettingsError

KEY = "sk-0123456789"
PROVIDERS = {
    "providers": {
        "a": {"kind": "k", "api_key_env": "A_KEY"},
        "b": {"kind": "k", "api_key_env": "B_KEY"},
        "free": {"kind": "k", "api_key_env": None},
        "also free": {"kind": "k", "api_key_env": ""},
    },
    "search": {"deep": [{"api_key_env": "S_KEY"}]},
}


def secrets(world, environment: dict[str, str], dotenv: str = "", *, trusted: bool = True):
    if dotenv:
        world.write("env", dotenv)
    loaded = world.load(defaults=[("p", PROVIDERS)], sections={"search": None}, trusted=trusted)
    return Secrets.load(loaded, environment)


def test_names_are_those_that_settings_refer_to(world) -> None:
    got = secrets(world, {"OTHER_KEY": KEY}, f"OTHER_KEY={KEY}\n")
    assert got.names == ("A_KEY", "B_KEY", "S_KEY")
    assert got.get("OTHER_KEY") is None
    assert got.origin("OTHER_KEY") == ""


def test_the_environment_wins_over_the_file(world) -> None:
    got = secrets(world, {"A_KEY": "from-environment"}, "\nA_KEY=from-file\nB_KEY=from-file\n")
    assert (got.get("A_KEY"), got.origin("A_KEY")) == ("from-environment", "environment")
    assert (got.get("B_KEY"), got.origin("B_KEY")) == ("from-file", f"{world.path('env')}:3")
    assert got.describe("A_KEY") == "A_KEY from the environment"
    assert got.describe("B_KEY") == f"B_KEY from {world.path('env')}:3"
    assert (got.get("S_KEY"), got.describe("S_KEY")) == (None, "S_KEY is not set")


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_blank_counts_as_not_set(world, blank: str) -> None:
    got = secrets(world, {"A_KEY": blank, "B_KEY": blank}, "A_KEY=from-file\nB_KEY=' '\n")
    assert got.get("A_KEY") == "from-file"
    assert got.get("B_KEY") is None
    assert got.describe("B_KEY") == (
        "B_KEY is blank in the environment, which counts as not set, "
        f"and {world.path('env')} does not set it"
    )


def test_blanks_around_a_key_do_not_reach_a_header(world) -> None:
    assert secrets(world, {"A_KEY": f" {KEY}\n"}).get("A_KEY") == KEY


def test_the_file_of_an_untrusted_project_does_not_count_and_is_named(world) -> None:
    got = secrets(world, {}, f"A_KEY={KEY}\nUNRELATED=1\n", trusted=False)
    assert got.get("A_KEY") is None
    why = "this folder is not trusted, and its .env could choose the key that is used"
    place = f"{world.path('env')}:1"
    assert [str(i) for i in got.ignored] == [f"{place}: A_KEY is ignored: {why}"]
    # where the environment has the key, the file would not count in a trusted project either
    assert secrets(world, {"A_KEY": "own"}, f"A_KEY={KEY}\n", trusted=False).ignored == ()


def test_malformed_lines_are_reported_by_number_without_their_text(world) -> None:
    got = secrets(world, {}, f"{KEY}\nA_KEY='{KEY}\n")
    path = world.path("env")
    assert got.problems == (
        f"{path}:1: not of the form NAME=value",
        f"{path}:2: a quote that does not close",
    )


def test_a_file_that_cannot_be_read_is_an_error(world) -> None:
    world.path("env").mkdir()
    with pytest.raises(SettingsError, match="it is a folder"):
        secrets(world, {})


def test_values_are_masked_and_never_shown(world) -> None:
    got = secrets(world, {"A_KEY": KEY, "B_KEY": KEY + "-longer", "S_KEY": "short"})
    assert got.mask(f"x {KEY}-longer {KEY}{KEY} short") == (
        "x [value of B_KEY] [value of A_KEY][value of A_KEY] short"
    )
    assert got.mask("nothing here") == "nothing here"
    assert KEY not in repr(got) + str(got)


def test_a_key_in_the_place_of_a_name_is_refused_without_being_shown(world) -> None:
    path = world.write("user", {"providers": {"a": {"api_key_env": "sk-live-123456"}}})
    with pytest.raises(SettingsError) as caught:
        Secrets.load(world.load(), {})
    assert str(caught.value) == (f"{path}:4: providers.a.api_key_env: not the name of a variable")
    assert "sk-live" not in caught.value.hint


def test_children_do_not_inherit_keys(world) -> None:
    environment = {
        "PATH": "/bin",
        "A_KEY": KEY,
        "B_KEY": "",
        "COPY": KEY,
        "AUTH": f"Bearer {KEY}",
        "OTHER": "x",
    }
    got = secrets(world, environment)
    assert got.child_environment() == {"PATH": "/bin", "OTHER": "x"}
    assert environment["A_KEY"] == KEY


def test_without_any_key_nothing_is_masked() -> None:
    got = Secrets((), {"X": "1"})
    assert (got.mask("text"), got.child_environment()) == ("text", {"X": "1"})


VALUES = {
    "A=b": "b",
    "A = b ": "b",
    "export A=b": "b",
    "export\tA=b": "b",
    "A=": "",
    "A= # nothing": "",
    "A=b # comment": "b",
    "A=b#c": "b#c",
    "A='b # c'": "b # c",
    "A='b\\n' # comment": "b\\n",
    'A="b\\n\\"c\\"\\\\"': 'b\n"c"\\',
    'A="b\\q"': "b\\q",
    'A="$HOME"': "$HOME",
    "A=$HOME": "$HOME",
    "A='b\nc'": "b\nc",
    'A="b\n\nc"': "b\n\nc",
    "A=b=c": "b=c",
    "A=b\r\n": "b",
    "\ufeffA=b": "b",
    "A=b\nA=c": "c",
    "# x\n\n  A=b": "b",
}


@pytest.mark.parametrize("text", VALUES)
def test_dotenv_values(text: str) -> None:
    found, problems = parse_dotenv(text)
    assert ({name: a.value for name, a in found.items()}, problems) == ({"A": VALUES[text]}, ())


PROBLEMS = {
    "A": (1, "not of the form NAME=value"),
    "\n=b": (2, "not of the form NAME=value"),
    "1A=b": (1, "not of the form NAME=value"),
    "A B=c": (1, "not of the form NAME=value"),
    "A='b'c": (1, "something follows the closing quote"),
    "A='b": (1, "a quote that does not close"),
}


@pytest.mark.parametrize("text", PROBLEMS)
def test_dotenv_problems_do_not_hide_the_other_lines(text: str) -> None:
    found, problems = parse_dotenv(f"{text}\nZ=1\n")
    assert problems == (PROBLEMS[text],)
    assert {name: a.value for name, a in found.items()} == {"Z": "1"}


def test_dotenv_values_have_no_repr() -> None:
    found, _ = parse_dotenv(f"A={KEY}")
    assert KEY not in repr(found)


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=30))
@example(" \n")
def test_whatever_is_written_in_double_quotes_is_read_back(value: str) -> None:
    written = value.replace("\\", "\\\\").replace('"', '\\"')
    found, problems = parse_dotenv(f'A="{written}"\nB=1')
    assert problems == ()
    assert (found["A"].value, found["B"].value) == (value, "1")


LONG = "zq9-abcdefghijklmnopqrstuvwxyz0123456789"


@given(
    before=st.text(alphabet="ab \n", max_size=9),
    cut=st.integers(0, len(LONG)),
    after=st.text(alphabet="ab \n", max_size=9),
)
def test_half_of_a_key_is_masked_where_a_tool_cut_it(before: str, cut: int, after: str) -> None:
    """A window ends within the key, and the next begins there."""
    got = Secrets(("A_KEY",), {"A_KEY": LONG})
    for part in (LONG[:cut], LONG[cut:]):
        shown = got.mask(f"{before}{part}-{after}")
        if len(part) >= len(LONG) / 2:
            assert part not in shown
            assert "value of A_KEY]" in shown
        else:
            assert shown == f"{before}{part}-{after}"


def test_a_key_that_looks_like_its_mask() -> None:
    got = Secrets(("A_KEY",), {"A_KEY": "part of the value of A_KEY and more"})
    assert got.mask("x part of the value of A_KEY") == "x [part of the value of A_KEY]"
