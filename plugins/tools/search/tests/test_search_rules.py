"""Ignore rules of every kind, by Glob and by Grep, with ripgrep and without."""

from __future__ import annotations

import shutil
import subprocess
import time

import pytest

from turnloop_core.testing.project import bare_environment

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(desk, *arguments, place=None):
    subprocess.run(
        ("git", "-c", "user.name=x", "-c", "user.email=x@y.z", *arguments),
        cwd=place or desk.project.root,
        env=bare_environment(desk.project.home),
        check=True,
        capture_output=True,
        timeout=60,
    )


def marked(*names):
    return dict.fromkeys(names, "MARK\n")


def both(desk, **more):
    """What Grep finds, which is what Glob finds but for files of rules."""
    files = desk.files("MARK", **more)
    assert [name for name in desk.names("**/*", **more) if "ignore" not in name] == files
    return files


def test_rules_of_the_user_and_of_the_repository_alone(make_desk):
    desk = make_desk(marked("a.mine", "b.excluded", "c.txt"), git=True)
    git(desk, "rm", "-r", "--cached", "--quiet", ".")
    desk.project.home.joinpath(".gitconfig").write_text("[core]\n\texcludesFile = ~/rules\n")
    desk.project.home.joinpath("rules").write_text("*.mine\n")
    desk.project.write(".git/info/exclude", "*.excluded\n")
    assert both(desk) == ["c.txt"]
    assert "left out: 2 ignored files" in desk.grep("MARK").text
    desk.project.home.joinpath(".gitconfig").unlink()
    assert both(desk) == ["a.mine", "c.txt"]
    xdg = desk.project.outside / "xdg"
    (xdg / "git").mkdir(parents=True)
    (xdg / "git" / "ignore").write_text("c.*\n")
    desk.environment["XDG_CONFIG_HOME"] = str(xdg)
    assert both(desk) == ["a.mine"]


def test_settings_of_a_repository_run_nothing_and_lead_nowhere(make_desk):
    desk = make_desk(marked("a.txt"), git=True)
    proof, trap = desk.project.outside / "ran", desk.project.outside / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {proof}\n")
    trap.chmod(0o755)
    rules = desk.project.write("rules", "*\n")
    with desk.project.path(".git/config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {trap}\n\thooksPath = {trap.parent}\n\tworktree = /\n"
            f"\texcludesFile = {rules}\n[alias]\n\tls-files = !{trap}\n"
        )
    assert desk.files("MARK") == ["a.txt"]
    assert desk.names("*") == ["a.txt", "rules"]
    assert not proof.exists()


@pytest.mark.parametrize("repository", [True, False], ids=["repository", "plain folder"])
def test_rules_for_searches_come_first(make_desk, repository):
    files = {
        ".gitignore": "*.log\ngenerated/\n",
        ".ignore": "vendor/\n!kept.log\n!generated/\n",
        "sub/.rgignore": "!vendor/\nc.*\n",
        **marked(
            "a.log", "kept.log", "generated/x.py", "vendor/y.py", "sub/vendor/z.py", "sub/c.py"
        ),
    }
    desk = make_desk(files, git=repository)
    assert both(desk) == ["generated/x.py", "kept.log", "sub/vendor/z.py"]
    assert both(desk, path="vendor") == ["vendor/y.py"]
    assert both(desk, include_ignored=True) == sorted(
        name for name in files if "ignore" not in name
    )


def test_what_is_tracked_is_searched_whatever_git_ignores(make_desk):
    desk = make_desk(marked("build/kept.js", "forced.log"))
    git(desk, "init", "--quiet")
    git(desk, "add", "--force", ".")
    desk.project.write(".gitignore", "build/\n*.log\n")
    desk.project.write("build/new.js", "MARK\n")
    desk.project.write("build/deep/new.js", "MARK\n")
    assert both(desk) == ["build/kept.js", "forced.log"]
    note = "left out: 1 ignored file and 1 ignored folder (build/deep/)"
    assert note in desk.grep("MARK").text
    assert both(desk, path="build") == ["build/deep/new.js", "build/kept.js", "build/new.js"]


def test_a_linked_working_folder(make_desk):
    desk = make_desk({".gitignore": "*.log\n", **marked("a.txt")}, git=True)
    desk.project.write(".git/info/exclude", "*.excluded\n")
    linked = desk.project.root / "linked"
    git(desk, "worktree", "add", "--quiet", str(linked))
    for name in ("b.log", "b.excluded", "b.txt"):
        (linked / name).write_text("MARK\n")
    assert both(desk) == ["a.txt", "linked/a.txt", "linked/b.txt"]
    assert both(desk, path="linked") == ["linked/a.txt", "linked/b.txt"]


def test_a_folder_in_an_ignored_one_is_not_blind(make_desk):
    """A workspace within the ignored folder of a project, which is a repository of its own."""
    files = {".gitignore": ".work/\n", **marked("a.txt", ".work/one/b.py", ".work/one/x/c.py")}
    desk = make_desk(files, git=True)
    whole = [".work/one/b.py", ".work/one/x/c.py"]
    assert both(desk, path=".work/one") == whole
    assert desk.names(".work/one/**/*.py") == whole
    git(desk, "init", "--quiet", place=desk.project.path(".work/one"))
    assert both(desk, path=".work/one") == whole
    assert desk.files("MARK") == ["a.txt"]


def test_hostile_rules_hold_up_nothing(make_desk):
    name = "a" * 200
    rules = "*a" * 60 + "b\n" + "**/a*a*a*b/" * 30 + "x\n" + "?*?*?*b\n" * 3_000
    desk = make_desk({".gitignore": rules, **marked(name, f"d/{name}")})
    began = time.process_time()
    assert both(desk) == [name, f"d/{name}"]
    assert time.process_time() - began < 10  # backtracking would take longer than anybody waits


def test_a_literal_name_is_found_beside_others_of_that_name(make_desk):
    desk = make_desk({".gitignore": "/app.log\n", **marked("app.log", "sub/app.log")})
    assert desk.names("app.log") == ["app.log", "sub/app.log"]
