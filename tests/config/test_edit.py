"""Saving one value keeps every other byte."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.config import files
from turnloop_core.config.edit import append_in, change_file, set_in
from turnloop_core.config.json_reader import parse_document
from turnloop_core.config.paths import parse_key
from turnloop_core.errors import SettingsError

EDITS: dict[str, tuple[str, str, Any, str]] = {
    "replace": ('{"b": 1, "a":  "x"}', "a", "y", '{"b": 1, "a":  "y"}'),
    "same value": ('{ "a":1 }', "a", 1, '{ "a":1 }'),
    "true is not 1": ('{"a": 1}', "a", True, '{"a": true}'),
    "add in one line": ('{"b": 1}', "a", 2, '{"b": 1, "a": 2}'),
    "add in lines": ('{\n    "b": 1\n}\n', "a", 2, '{\n    "b": 1,\n    "a": 2\n}\n'),
    "add with tabs": ('{\n\t"b": {}\n}', "b.c", 1, '{\n\t"b": {\n\t\t"c": 1\n\t}\n}'),
    "add nested": ('{\n  "b": 1\n}', "x.y", 1, '{\n  "b": 1,\n  "x": {\n    "y": 1\n  }\n}'),
    "into an inner object": (
        '{\n  "p": {\n    "a": 1\n  },\n  "q": 2\n}',
        "p.b",
        [1],
        '{\n  "p": {\n    "a": 1,\n    "b": [1]\n  },\n  "q": 2\n}',
    ),
    "into an inner line": (
        '{\n  "p": {"a": 1}\n}',
        "p.b",
        {"c": 1},
        '{\n  "p": {"a": 1, "b": {"c": 1}}\n}',
    ),
    "carriage returns": ('{\r\n  "b": 1\r\n}', "a", 2, '{\r\n  "b": 1,\r\n  "a": 2\r\n}'),
    "mark and final blanks": ('\ufeff{"b": 1}\n\n ', "b", 2, '\ufeff{"b": 2}\n\n '),
    "nothing there": ("", "a.b", 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'),
    "only blanks": ("\n\n", "a", 1, '{\n  "a": 1\n}\n'),
    "only a mark": ("\ufeff", "a", 1, '\ufeff{\n  "a": 1\n}\n'),
    "empty object": ("{}", "a", 1, '{\n  "a": 1\n}'),
    "quoted part": ('{"p": {"x.y": 1}}', 'p."x.y"', 2, '{"p": {"x.y": 2}}'),
    "letters stay letters": ('{"a": 1}', "a", "ä\n", '{"a": "ä\\n"}'),
    "key in escapes": ('{"\\u0061": 1}', "a", 2, '{"\\u0061": 2}'),
    "a long list in lines": (
        '{\n  "a": [\n    1\n  ]\n}',
        "a",
        ["x" * 50, "y" * 50],
        '{\n  "a": [\n    "' + "x" * 50 + '",\n    "' + "y" * 50 + '"\n  ]\n}',
    ),
}


@pytest.mark.parametrize("case", EDITS)
def test_sets_one_value(case: str) -> None:
    text, key, value, expected = EDITS[case]
    assert set_in(text, parse_key(key), value) == expected


APPENDS: dict[str, tuple[str, str]] = {
    '{"p": {"allow": ["a"]}}': '{"p": {"allow": ["a", "new"]}}',
    '{"p": {"allow": []}}': '{"p": {"allow": ["new"]}}',
    '{"p": {"allow": [\n  "a",\n  "b"\n]}}': '{"p": {"allow": [\n  "a",\n  "b",\n  "new"\n]}}',
    '{"p": {}}': '{"p": {\n  "allow": ["new"]\n}}',
    "": '{\n  "p": {\n    "allow": [\n      "new"\n    ]\n  }\n}\n',
    '{"p": {"allow": ["new"]}}': '{"p": {"allow": ["new"]}}',
}


@pytest.mark.parametrize("text", APPENDS)
def test_appends_to_a_list(text: str) -> None:
    assert append_in(text, ("p", "allow"), "new") == APPENDS[text]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
scalars = st.none() | st.booleans() | st.integers() | texts
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3), max_leaves=8
)
documents = st.dictionaries(texts, values, max_size=4)


def put(data: dict[str, Any], key: list[str], value: Any) -> dict[str, Any] | None:
    """The plain way to set a value; None when something is in the way."""
    copy = json.loads(json.dumps(data))
    here = copy
    for part in key[:-1]:
        here = here.setdefault(part, {})
        if not isinstance(here, dict):
            return None
    here[key[-1]] = value
    return copy


@settings(max_examples=200, deadline=None)
@given(documents, st.lists(texts, min_size=1, max_size=3), values, st.data())
def test_saving_changes_that_value_and_keeps_all_other_bytes(
    data: dict[str, Any], path: list[str], value: Any, pick: st.DataObject
) -> None:
    known = [k for k in data if isinstance(data[k], dict)]
    if known and pick.draw(st.booleans()):
        path = [pick.draw(st.sampled_from(known)), *path]
    indent = pick.draw(st.sampled_from([None, 0, 2, "\t"]))
    newline = pick.draw(st.sampled_from(["\n", "\r\n"]))
    text = json.dumps(data, indent=indent, ensure_ascii=pick.draw(st.booleans()))
    text = text.replace("\n", newline) + pick.draw(st.sampled_from(["", newline]))
    expected = put(data, path, value)
    if expected is None:
        with pytest.raises(SettingsError):
            set_in(text, path, value)
        return
    new = set_in(text, path, value)
    root = parse_document(new).root
    assert root is not None
    assert root.plain == expected
    assert list(root.plain) == list(expected)
    start = common(text, new)
    removed = text[start : len(text) - common(text[start:][::-1], new[start:][::-1])]
    if not _has(data, path):  # a new key only adds: nothing but blanks inside "{ }" may go
        assert not removed.strip()


def common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _has(data: Any, path: list[str]) -> bool:
    for part in path:
        if not isinstance(data, dict) or part not in data:
            return False
        data = data[part]
    return True


@settings(max_examples=100, deadline=None)
@given(st.lists(scalars, max_size=4), scalars, st.sampled_from([None, 1]))
def test_appending_adds_one_item_once(items: list[Any], item: Any, indent: int | None) -> None:
    text = json.dumps({"p": {"x": 1, "allow": items, "y": 2}}, indent=indent)
    new = append_in(text, ("p", "allow"), item)
    there = json.dumps(item) in [json.dumps(i) for i in items]
    assert json.loads(new) == {"p": {"x": 1, "allow": items + ([] if there else [item]), "y": 2}}
    assert append_in(new, ("p", "allow"), item) == new


def put_value(path: Path, key: str, value: Any) -> bool:
    return change_file(path, lambda text: set_in(text, key.split("."), value, str(path)))


def add_item(path: Path, key: str, item: Any) -> bool:
    return change_file(path, lambda text: append_in(text, key.split("."), item, str(path)))


BROKEN = '{\n  // mine\n  "permissions": {"deny": ["x"]},\n}\n'


@pytest.mark.parametrize("save", [put_value, add_item])
def test_a_file_that_does_not_parse_is_refused_and_untouched(tmp_path: Path, save) -> None:
    path = tmp_path / "settings.json"
    path.write_text(BROKEN)
    with pytest.raises(SettingsError) as caught:
        save(path, "permissions.allow", ["y"])
    assert str(caught.value) == f"{path}:2:3: a comment (//): JSON has none"
    assert path.read_text() == BROKEN
    assert [p.name for p in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    ("save", "key", "message"),
    [
        (put_value, "model.x", "2: model is no object, so model.x cannot be set"),
        (put_value, "list.x.y", "3: list is no object, so list.x.y cannot be set"),
        (add_item, "model", "2: model is no list"),
    ],
)
def test_what_is_in_the_way_is_named(tmp_path: Path, save, key: str, message: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n"model": "m",\n"list": []}')
    with pytest.raises(SettingsError) as caught:
        save(path, key, 1)
    assert str(caught.value) == f"{path}:{message}"


def test_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / ".turnloop" / "settings.json"
    put_value(path, "model", "m")
    assert path.read_text() == '{\n  "model": "m"\n}\n'
    assert add_item(path, "permissions.allow", "Edit(src/**)")
    assert not add_item(path, "permissions.allow", "Edit(src/**)")
    assert json.loads(path.read_text()) == {
        "model": "m",
        "permissions": {"allow": ["Edit(src/**)"]},
    }


def test_a_text_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    with pytest.raises(SettingsError):
        put_value(path, "model", "\ud800")
    assert path.read_text() == "{}"


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
def test_mode_stays(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    path.chmod(0o640)
    put_value(path, "model", "m")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_a_link_stays_and_its_target_is_changed(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "turnloop.json"
    target.parent.mkdir()
    target.write_text('{"theirs": 1}')
    path = tmp_path / "settings.json"
    path.symlink_to("dotfiles/turnloop.json")
    put_value(path, "model", "m")
    assert path.is_symlink()
    assert target.read_text() == '{"theirs": 1, "model": "m"}'
    assert [p.name for p in target.parent.iterdir()] == ["turnloop.json"]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.symlink_to(tmp_path / "else" / "where")
    with pytest.raises(SettingsError, match="a link to a file that does not exist"):
        put_value(path, "model", "m")
    assert not (tmp_path / "else").exists()


def test_saves_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n  "keep": true\n}\n')
    rules = [f"Bash(make {n})" for n in range(20)]
    threads = [
        threading.Thread(target=add_item, args=(path, "permissions.allow", rule)) for rule in rules
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    data = json.loads(path.read_text())
    assert data["keep"] is True
    assert sorted(data["permissions"]["allow"]) == sorted(rules)
    assert [p.name for p in tmp_path.iterdir()] == ["settings.json"]


def test_a_lock_that_is_never_released_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.05)
    path = tmp_path / "settings.json"
    with files.locked(path), pytest.raises(SettingsError, match="another process is saving"):
        put_value(path, "model", "m")
    assert not path.exists()


def test_a_disk_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"model": "old"}')

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(SettingsError, match="cannot be written: No space left on device"):
        put_value(path, "model", "new")
    assert path.read_text() == '{"model": "old"}'
    assert [p.name for p in tmp_path.iterdir()] == ["settings.json"]


KILLED_AT = """
import os, sys
from pathlib import Path
from turnloop_core.config import edit, files
def die(*arguments, **named):
    os._exit(9)
target, name = sys.argv[2].split(":")
setattr({"os": os, "Path": Path}[target], name, die)
edit.change_file(Path(sys.argv[1]), lambda text: edit.set_in(text, ["model"], "new" * 1000))
"""


@pytest.mark.parametrize(
    ("moment", "new"), [("os:fsync", False), ("Path:replace", False), ("Path:unlink", True)]
)
def test_killed_while_saving_the_file_is_whole(tmp_path: Path, moment: str, new: bool) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"model": "old", "keep": 1}')
    done = subprocess.run([sys.executable, "-c", KILLED_AT, str(path), moment], timeout=60)
    assert done.returncode == 9
    model = "new" * 1000 if new else "old"
    assert json.loads(path.read_text()) == {"model": model, "keep": 1}
    put_value(path, "model", "later")  # what the dead one left is in nobody's way
    assert json.loads(path.read_text()) == {"model": "later", "keep": 1}
