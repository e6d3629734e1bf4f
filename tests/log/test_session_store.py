import os
import re

import pytest

from log.random_logs import as_bytes, number
from turnloop_core.errors import UnknownNameError, UsageError
from turnloop_core.log.records import NudgeRecord, PrefixRecord, PromptRecord, SessionRecord
from turnloop_core.log.store import SessionInfo, SessionStore
from turnloop_core.log.writer import LogWriter
from turnloop_core.types.view import Prefix


@pytest.fixture
def store(tmp_path):
    return SessionStore(tmp_path / "sessions")


@pytest.fixture
def root(tmp_path):
    return tmp_path / "My Project!"


def put(store, root, session, *bodies, updated=1_000.0):
    path = store.path_for(root, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_bytes(number([SessionRecord(session, str(root), str(root), "0"), *bodies])))
    os.utime(path, (updated, updated))
    return path


def test_ids_sort_by_time_and_differ(store):
    assert re.fullmatch(r"20261130-175432-[0-9a-f]{6}", store.new_id(lambda: 1796061272.5))
    assert len({store.new_id(lambda: 1.0) for _ in range(50)}) == 50
    assert store.new_id(lambda: 1.0) < store.new_id(lambda: 2.0)


def test_each_root_has_its_own_folder(store, tmp_path, root):
    one, other = tmp_path / "a" / "app", tmp_path / "b" / "app"
    assert store.path_for(one, "s").parent != store.path_for(other, "s").parent
    assert re.fullmatch(r"my-project-[0-9a-f]{12}", store.folder(root).name)
    assert re.fullmatch(r"root-[0-9a-f]{12}", store.folder(tmp_path / "äö").name)
    assert store.path_for(root, "20261130-175432-ab12cd") == (
        store.folder(root) / "20261130-175432-ab12cd.jsonl"
    )


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_to_a_root_is_that_root(store, tmp_path, root):
    root.mkdir()
    (tmp_path / "link").symlink_to(root)
    assert store.folder(tmp_path / "link") == store.folder(root)


@pytest.mark.parametrize("session", ["", ".", "..", "../x", "a/b", "a\\b", "a\0", "x" * 201, "-x"])
def test_an_id_that_is_no_file_name_is_refused(store, root, session):
    with pytest.raises(UsageError, match="no session id"):
        store.path_for(root, session)


def test_find_by_id_and_by_beginning(store, root, tmp_path):
    first = put(store, root, "20261130-100000-aaaaaa")
    second = put(store, root, "20261130-110000-bbbbbb")
    other = put(store, tmp_path / "other", "20261129-100000-cccccc")
    assert store.find("20261130-100000-aaaaaa", root) == first
    assert store.find("20261130-11", root) == second
    assert store.find("20261129", root) == other


def test_this_root_comes_first(store, root, tmp_path):
    here = put(store, root, "20261130-100000-aaaaaa")
    put(store, tmp_path / "other", "20261130-110000-bbbbbb")
    assert store.find("20261130", root) == here


def test_an_exact_id_is_not_ambiguous(store, root):
    exact = put(store, root, "one")
    put(store, root, "one-more")
    assert store.find("one", root) == exact


def test_an_ambiguous_beginning_names_the_candidates(store, root):
    put(store, root, "20261130-100000-aaaaaa")
    put(store, root, "20261130-110000-bbbbbb")
    with pytest.raises(UsageError) as caught:
        store.find("20261130", root)
    assert str(caught.value) == (
        "2 sessions begin with '20261130': 20261130-100000-aaaaaa, 20261130-110000-bbbbbb"
    )
    assert not isinstance(caught.value, UnknownNameError)


@pytest.mark.parametrize("wanted", ["20261130-100001-aaaaaa", "../../etc/passwd", ""])
def test_an_unknown_id_names_what_is_near(store, root, wanted):
    put(store, root, "20261130-100000-aaaaaa")
    with pytest.raises(UnknownNameError, match="there is no session") as caught:
        store.find(wanted, root)
    near = "did you mean 20261130-100000-aaaaaa?"
    assert caught.value.hint == (near if "2026" in wanted else "`tl sessions` lists what there is")


def test_the_latest_is_the_one_last_written(store, root):
    assert store.latest(root) is None
    old = put(store, root, "b", updated=5_000.0)
    put(store, root, "c", updated=4_000.0)
    empty = store.path_for(root, "z")
    empty.touch()
    assert store.latest(root) == old


def test_a_list_says_what_each_session_is(store, root, tmp_path):
    prefix = PrefixRecord(Prefix("system"), "start", "local", "m-1")
    prompt = PromptRecord("\n  Fix the test\nand more")
    one = put(store, root, "one", prefix, prompt, PromptRecord("later"), updated=2_000.0)
    two = put(store, tmp_path / "other", "two", updated=3_000.0)
    first = SessionInfo(
        "one",
        one,
        str(root),
        1_001.0,
        2_000.0,
        "Fix the test",
        one.stat().st_size,
        "local/m-1",
    )
    second = SessionInfo(
        "two", two, str(tmp_path / "other"), 1_001.0, 3_000.0, "", two.stat().st_size, ""
    )
    assert store.list() == (second, first)
    assert store.list(root) == (first,)


def test_a_list_survives_damage(store, root):
    path = put(store, root, "one", NudgeRecord("x", "y"), PromptRecord("title"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"\0\0\0\n" + b'{"v": \n[1]\n{"kind":["prompt"],"t":"x"}\n' + lines[2])
    (info,) = store.list(root)
    assert (info.id, info.root, info.title) == ("one", "", "title")
    path.write_bytes(b"\0" * 100)
    os.utime(path, (7.0, 7.0))
    assert store.list(root) == (SessionInfo("one", path, "", 7.0, 7.0, "", 100, ""),)


def test_the_title_of_a_prompt_that_is_longer_than_what_is_read(store, root):
    put(store, root, "one", PromptRecord('Review "this" äöü: ' + "\\\n\u20ac" * 40_000))
    assert [info.title for info in store.list(root)] == ['Review "this" äöü: \\']


def test_a_store_that_is_not_there_holds_nothing(store, root):
    assert store.list() == ()
    assert store.list(root) == ()
    assert not store.base.exists()


def test_a_writer_fills_the_store(store, root):
    path = store.path_for(root, "s")
    with LogWriter.create(path, SessionRecord("s", str(root), str(root), "0")) as log:
        log.append(PromptRecord("hello"))
    assert [(info.id, info.title) for info in store.list(root)] == [("s", "hello")]
