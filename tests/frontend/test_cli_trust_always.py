"""An answer of "always" in a folder that nobody trusts, from the answer to the starts after it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

from talking import Talk

CHOICES = "[a]lways"
WRITE = {"name": "Write", "arguments": {"file_path": "new.txt", "content": "x\n"}}
SCRIPT = [{"calls": [WRITE]}, {"text": "Done."}]
FILES = {"a": "settings.local.json", "ap": "settings.json"}


def settings(tl, name: str) -> Path:
    path: Path = tl.cwd / ".turnloop" / name
    return path


def answer(tl, talk, word: str) -> str:
    """Have the file written on a terminal, and say `word`; what was shown."""
    tl.script(SCRIPT)
    terminal = talk()
    terminal.type("go\n")
    terminal.wait(CHOICES)
    terminal.type(f"{word}\n")
    terminal.wait("Done.")
    terminal.wait("> ")
    terminal.type("/quit\n")
    assert terminal.end() == 0
    return str(terminal.seen)


def writes(tl):
    """Whether a run without a terminal writes the file, which nobody can be asked about."""
    (tl.cwd / "new.txt").unlink(missing_ok=True)
    tl.script(SCRIPT)
    ran = tl("-p", "go")
    return (tl.cwd / "new.txt").exists(), ran.err


@pytest.mark.parametrize("word", ["a", "ap"])
def test_the_rule_counts_at_the_next_start_until_somebody_changes_it(tl, talk, word):
    assert writes(tl)[0] is False
    seen = answer(tl, talk, word)
    assert "holds for this session only" not in seen
    assert "tl trust" not in seen
    written, err = writes(tl)
    assert written is True
    assert "do not count" not in err
    assert tl("trust", "--list").out == f"{tl.cwd}  (not trusted; what you saved there counts)\n"
    assert json.loads(tl("config", "--json").out)["trusted"] is False
    path = settings(tl, FILES[word])
    saved = json.loads(path.read_text())
    assert saved == {"permissions": {"allow": ["Edit(new.txt)"]}}
    path.write_text(json.dumps({"permissions": {"allow": ["Edit(new.txt)", "Bash"]}}))
    written, err = writes(tl)
    assert written is False
    assert "these settings of it do not count: permissions.allow" in err
    path.write_text(json.dumps({**saved, "model": "theirs"}))
    written, err = writes(tl)
    assert written is True
    assert "these settings of it do not count: model" in err
    forgotten = tl("trust", "--forget").out
    assert forgotten == f"{tl.cwd} was not trusted; what you saved there counts no longer.\n"
    assert tl("trust", "--forget").out == f"{tl.cwd} was not trusted.\n"
    assert tl("trust", "--list").out == ""
    assert writes(tl)[0] is False


def test_no_rule_is_saved_beside_others_that_nobody_approved(tl, request):
    path = settings(tl, "settings.local.json")
    path.parent.mkdir()
    path.write_text('{"permissions": {"allow": ["Bash"]}}')
    tl.script(SCRIPT)
    terminal = Talk(tl)
    request.addfinalizer(terminal.kill)
    terminal.wait("ne[v]er: ")
    terminal.type("n\n")
    terminal.wait("> ")
    terminal.type("go\n")
    terminal.wait(CHOICES)
    terminal.type("a\n")
    terminal.wait("Edit(new.txt) holds for this session only: the folder is not trusted")
    terminal.wait("tl trust; or save it for all projects")
    terminal.wait("Done.")
    assert path.read_text() == '{"permissions": {"allow": ["Bash"]}}'
    assert (tl.cwd / "new.txt").exists()
    assert writes(tl)[0] is False
