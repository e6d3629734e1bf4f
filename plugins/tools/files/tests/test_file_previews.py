"""What the user is shown of a write before it is done."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from turnloop_core.registry import load_object
from turnloop_core.testing.contexts import factory_context, registered
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.watch import watched
from turnloop_files import plugin, preview

FILES = {"a.txt": "one\ntwo\nthree\n"}


def look(name: str, files: Any = FILES, prepare: Any = None, **arguments: Any) -> str:
    """The preview, for which nothing may have been changed."""
    with temporary_project(files) as project:
        if prepare is not None:
            prepare(project)
        tool = load_object(registered(plugin, "register_tools")[name].load)(
            factory_context(project, name)
        )
        before = project.snapshot()
        with watched() as seen:
            text = tool.preview(tool.arguments.model_validate(arguments), project.scope)
        assert not [path for path, writing in seen.opened_below(project.root) if writing]
        assert not seen.other
        assert project.snapshot() == before
    return str(text)


def write(content: str, path: str = "a.txt", **more: Any) -> str:
    return look("Write", file_path=path, content=content, **more)


def edit(old: str, new: str, path: str = "a.txt", **more: Any) -> str:
    return look("Edit", file_path=path, old_string=old, new_string=new, **more)


def test_a_new_file_shows_its_head() -> None:
    assert write("x\ny\n", "new/b.txt") == "(a new file)\n+x\n+y"
    assert write("", "b.txt") == "(a new file, empty)"


def test_of_a_long_file_the_rest_is_counted() -> None:
    lines = write("".join(f"{n}\n" for n in range(1_000)), "b.txt").split("\n")
    assert (len(lines), lines[-1]) == (preview.MOST_LINES + 2, "(600 more lines)")
    huge = write("x" * 5_000_000 + "\nlast\n", "b.txt")
    assert len(huge) < 5_000
    assert huge.endswith("(1 more lines)")


def test_an_existing_file_shows_what_changes() -> None:
    told = "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    assert write("one\n2\nthree\n") == told
    assert edit("two", "2") == told
    assert write("one\ntwo\nthree\n") == "(nothing would change)"
    assert edit("two", "two") == "(nothing would change)"


def test_an_edit_that_does_not_fit_says_so() -> None:
    told = "(as the file stands, this edit does not fit: nothing would be written)"
    assert edit("four", "4") == told
    assert edit("o", "0") == told  # in several places
    assert edit("one", "1", "missing.txt") == ""
    assert edit("", "1") == ""


def test_what_is_no_text_is_not_shown() -> None:
    binary = {"a.txt": b"\x00\x01\x02"}
    assert write("x\n", files=binary) == "(a file that is no text is replaced)\n+x"
    assert edit("a", "b", files=binary) == ""


def test_a_file_beyond_the_bound_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "LARGEST", 5)
    assert write("x\n") == "(a large file is replaced)\n+x"
    assert edit("one", "1") == ""


def link(project: Any) -> None:
    (project.outside / "secret.txt").write_text("secret\n")
    project.path("a.txt").unlink()
    project.path("a.txt").symlink_to(project.outside / "secret.txt")


def test_through_a_link_the_real_file_is_shown_as_it_would_be_written() -> None:
    assert "-secret" in write("x\n", prepare=link)


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_a_pipe_is_not_waited_for() -> None:
    def pipe(project: Any) -> None:
        project.path("a.txt").unlink()
        os.mkfifo(project.path("a.txt"))

    from turnloop_core.errors import PathChangedError

    with temporary_project(FILES) as project:
        pipe(project)
        tool = load_object("turnloop_files.write:create")(factory_context(project, "Write"))
        args = tool.arguments.model_validate({"file_path": "a.txt", "content": "x"})
        with pytest.raises(PathChangedError):
            tool.preview(args, project.scope)
