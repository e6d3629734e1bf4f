"""`IgnoreRules`: a walk with them sees what git sees, and what ripgrep sees."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings, strategies as st

from turnloop_core.api import IgnoreRules
from turnloop_core.testing.project import bare_environment
from turnloop_core.worktree.rule_files import user_file
from turnloop_core.worktree.scan import scan
from turnloop_core.worktree.tracked import find_repository

GIT, RG = shutil.which("git"), shutil.which("rg")


def walk(base: Path, root: Path | None = None, home: Path | None = None) -> list[str] | None:
    """The files that are not ignored; None when the base itself is."""
    rules = IgnoreRules.of(base, root or base, home)
    return None if rules is None else sorted(_files(base, "", rules))


def _files(base: Path, lead: str, rules: IgnoreRules) -> Iterator[str]:
    for entry in sorted(os.scandir(base / lead), key=lambda entry: entry.name):
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or rules.ignores(entry.name, folder=is_folder):
            continue
        if is_folder:
            names = [path.name for path in Path(entry.path).iterdir()]
            yield from _files(base, f"{lead}{entry.name}/", rules.below(entry.name, names))
        else:
            yield lead + entry.name


@contextmanager
def folder(files: dict[str, str]) -> Iterator[Path]:
    """A folder with these files; `home/` beside `root/`."""
    with TemporaryDirectory() as name:
        base = Path(name).resolve()
        (base / "home").mkdir()
        for path, text in files.items():
            place = base / "root" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        yield base / "root"


def git(place: Path, *arguments: str) -> str:
    home = next(above / "home" for above in place.parents if (above / "home").is_dir())
    done = subprocess.run(
        ("git", "-c", "core.quotePath=false", *arguments),
        cwd=place,
        env=bare_environment(home) | {"GIT_CONFIG_SYSTEM": os.devnull},
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    return done.stdout


def seen_by_git(place: Path) -> list[str]:
    told = git(place, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return sorted(name for name in told.split("\0")[:-1] if (place / name).is_file())


needs_git = pytest.mark.skipif(GIT is None, reason="git says what is right, and is not here")
needs_rg = pytest.mark.skipif(RG is None, reason="ripgrep says what is right, and is not here")


def test_all_places_of_rules_and_who_comes_first():
    files = {
        ".git/info/exclude": "*.excluded\n!a.user\n",
        ".gitignore": "*.log\n!a.excluded\nbuild/\n",
        "sub/.gitignore": "!b.log\n*.md\n",
        ".ignore": "!d.log\n*.txt\n",
        ".rgignore": "!keep.txt\n",
        **dict.fromkeys(("a.log", "a.excluded", "b.excluded", "a.user", "b.user", "build/x"), ""),
        **dict.fromkeys(("sub/a.log", "sub/b.log", "sub/c.md", "sub/d.log", "d.log"), ""),
        **dict.fromkeys(("a.txt", "keep.txt", "sub/keep.txt"), ""),
    }
    with folder(files) as root:
        rules = root.parent / "home" / ".config" / "git" / "ignore"
        rules.parent.mkdir(parents=True)
        rules.write_text("*.user\n")
        dots = [".gitignore", ".ignore", ".rgignore"]
        seen = ["a.excluded", "a.user", "d.log", "keep.txt"]
        below = [".gitignore", "b.log", "d.log", "keep.txt"]
        whole = [*dots, *seen, *(f"sub/{name}" for name in below)]
        assert walk(root, home=root.parent / "home") == whole
        assert walk(root / "sub", home=root.parent / "home") == below
        assert walk(root / "build") is None
        assert walk(root) == sorted([*whole, "b.user"])


def test_without_a_repository_rules_begin_at_the_root():
    files = {".gitignore": "*.log\nout/\n", "a.log": "", "in/b.log": "", "in/c": "", "out/d": ""}
    with folder(files) as root:
        assert walk(root / "in", root) == ["c"]
        assert walk(root / "out", root) is None
        assert walk(root / "in") == ["b.log", "c"]  # nothing above is known to belong to it
        assert walk(root / "in", root.parent / "home") == ["b.log", "c"]


def test_a_repository_within_has_rules_of_its_own():
    files = {
        ".git/HEAD": "",
        ".gitignore": "*.log\n",
        ".ignore": "*.txt\n",
        "inner/.git/info/exclude": "*.md\n",
        "inner/.gitignore": "own\n",
        **dict.fromkeys(("a.log", "inner/a.log", "inner/a.md", "inner/own", "inner/a.txt"), ""),
    }
    with folder(files) as root:
        assert walk(root) == [".gitignore", ".ignore", "inner/.gitignore", "inner/a.log"]
        assert walk(root / "inner", root) == [".gitignore", "a.log"]


@needs_git
def test_what_is_tracked_is_seen_and_nothing_else_in_its_folder():
    files = {
        ".gitignore": "build/\n*.log\n",
        "build/kept.js": "",
        "build/deep/er/kept.js": "",
        "build/other.js": "",
        "build/deep/other.js": "",
        "build/whole/a.js": "",
        "a.log": "",
        "b.log": "",
    }
    with folder(files) as root:
        git(root, "init", "--quiet")
        git(root, "add", "--force", "build/kept.js", "build/deep/er/kept.js", "a.log")
        seen = [".gitignore", "a.log", "build/deep/er/kept.js", "build/kept.js"]
        assert walk(root) == seen == seen_by_git(root)
        # Rules of searches hold for tracked files too, and may bring back what git ignores.
        (root / ".ignore").write_text("kept.js\n!b.log\n!whole/\n")
        assert walk(root) == [".gitignore", ".ignore", "a.log", "b.log", "build/whole/a.js"]


@needs_git
def test_a_linked_working_folder_and_a_submodule():
    files = {".gitignore": "*.log\n", "a": "", "forced.log": ""}
    with folder(files) as root:
        git(root, "init", "--quiet")
        (root / ".git" / "info" / "exclude").write_text("*.excluded\n")
        git(root, "add", "--force", ".")
        who = ("-c", "user.name=x", "-c", "user.email=x@y.z")
        git(root, *who, "commit", "--quiet", "-m", "x")
        linked = root.parent / "linked"
        git(root, "worktree", "add", "--quiet", str(linked))
        for name in ("new.log", "new.excluded", "new"):
            (linked / name).write_text("")
        assert walk(linked) == [".gitignore", "a", "forced.log", "new"] == seen_by_git(linked)
        outer = root.parent / "outer"
        outer.mkdir()
        git(outer, "init", "--quiet")
        allowed = ("-c", "protocol.file.allow=always")
        git(outer, *allowed, "submodule", "--quiet", "add", str(root), "sub")
        (outer / "sub" / "x.log").write_text("")
        (outer / ".gitignore").write_text("sub\n")  # it is tracked all the same
        inner = [".gitignore", "a", "forced.log"]
        assert walk(outer) == [".gitignore", ".gitmodules", *(f"sub/{name}" for name in inner)]
        assert walk(outer / "sub", outer) == inner


NAME = st.text("ab.", min_size=1, max_size=3).filter(lambda name: name.strip("."))
PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)
PIECE = st.sampled_from(
    ["a", "b", ".", "*", "?", "/", "/**/", "[ab]", "[!a]", "!", "ab", "a.", "*."]
)
LINE = st.lists(PIECE, min_size=1, max_size=4).map("".join)
RULES = st.lists(LINE, min_size=1, max_size=5).map("\n".join)
# What is well formed; in other lines ripgrep and git differ.
PART = st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "ab", "**", "*.b", ".a", "a*", r"\b"])
PLAIN = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(PART, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "/"]),
)
# From where paths in the user's rules are meant, ripgrep and git differ too.
NAMED = st.lists(PART.filter(lambda part: part != "**"), min_size=1, max_size=3).map("\n".join)
PLAINLY = st.lists(PLAIN, min_size=1, max_size=5).map("\n".join)
WHERE = st.one_of(st.just(""), PATH)


def tree(paths: set[str], rules: dict[str, str]) -> dict[str, str]:
    """Files that can lie side by side, and rules in the folders that there are."""
    folders = {"/".join(path.split("/")[:n]) for path in paths for n in range(path.count("/") + 1)}
    files = dict.fromkeys((path for path in paths if path not in folders), "")
    for place, text in rules.items():
        where, _, name = place.rpartition("|")
        if where in folders:
            files[f"{where}/{name}".lstrip("/")] = text
    return files


@needs_git
@settings(max_examples=80, deadline=None)
@example(paths={"a/b", "b/a"}, rules={"|.gitignore": "a"}, forced={"a/b"}, user="!a", base="a")
@given(
    paths=st.sets(PATH, min_size=1, max_size=12),
    rules=st.dictionaries(WHERE.map(lambda p: f"{p}|.gitignore"), RULES, max_size=3),
    forced=st.sets(PATH, max_size=2),
    user=RULES,
    base=WHERE,
)
def test_a_walk_sees_what_git_sees(paths, rules, forced, user, base):
    with folder(tree(paths | forced, rules)) as root:
        root.mkdir(exist_ok=True)
        home = root.parent / "home"
        (home / ".gitconfig").write_text('[user]\n\tname = x\n[core]\n\texcludesFile = "~/mine"\n')
        (home / "mine").write_text(user)
        git(root, "init", "--quiet")
        for path in forced:
            if (root / path).is_file():
                git(root, "add", "--force", "--", f":(literal){path}")
        start = root / base if (root / base).is_dir() else root
        seen = walk(start, root, home)
        if seen is None:
            asked = ("git", "check-ignore", "--quiet", "--no-index", ".")
            environment = bare_environment(home)
            assert subprocess.run(asked, cwd=start, env=environment).returncode == 0
        else:
            assert seen == seen_by_git(start)


@needs_rg
@settings(max_examples=80, deadline=None)
@example(paths={"b/a", "a"}, rules={"|.gitignore": "b", "|.ignore": "!b"}, nested=set(), user="a")
@example(paths={"b/a"}, rules={"|.rgignore": "!a", "b|.ignore": "a"}, nested=set(), user="b.")
@given(
    # Of a name with a dot at its end ripgrep knows no name.
    paths=st.sets(PATH.filter(lambda path: "./" not in f"{path}/"), min_size=1, max_size=12),
    rules=st.dictionaries(
        st.builds(
            "|".join, st.tuples(WHERE, st.sampled_from([".gitignore", ".ignore", ".rgignore"]))
        ),
        PLAINLY,
        max_size=5,
    ),
    nested=st.sets(WHERE, max_size=2),
    user=NAMED,
)
def test_a_walk_sees_what_ripgrep_sees(paths, rules, nested, user):
    files = tree(paths, rules)
    with folder(files) as root:
        root.mkdir(exist_ok=True)
        home = root.parent / "home"
        (home / ".config" / "git").mkdir(parents=True)
        (home / ".config" / "git" / "ignore").write_text(user)
        for place in nested:
            if (root / place).is_dir():
                (root / place / ".git").mkdir(exist_ok=True)
        told = subprocess.run(
            ("rg", "--no-config", "--files", "--null", "--hidden", "--no-require-git", "-g!.git"),
            cwd=root,
            env=bare_environment(home),
            capture_output=True,
            encoding="utf-8",
        )
        assert walk(root, home=home) == sorted(told.stdout.split("\0")[:-1])


@pytest.mark.parametrize(
    ("settings_text", "expected"),
    [
        (None, ".config/git/ignore"),
        ("[core]\n\texcludesFile = ~/mine\n", "mine"),
        ('[CORE] EXCLUDESFILE = "~/my \\"rules\\"" ; mine\n', 'my "rules"'),
        ("[core]\nexcludesfile=~/a\n[user]\nexcludesfile=~/b\n[core]\nexcludesfile=~/c # c\n", "c"),
        ('[core "x"]\n\texcludesfile = ~/no\n', ".config/git/ignore"),
        ("[alias]\n\tx = excludesfile\n", ".config/git/ignore"),
        ("[core]\n\texcludesfile =\n", None),
        ("[core]\n\texcludesfile = relative\n", None),
    ],
)
def test_where_the_users_rules_are(tmp_path, settings_text, expected):
    if settings_text is not None:
        (tmp_path / ".gitconfig").write_text(settings_text)
    found = user_file(tmp_path)
    assert found == (None if expected is None else str(tmp_path / expected))


def test_where_the_users_rules_are_by_xdg(tmp_path):
    xdg = tmp_path / "xdg"
    assert user_file(tmp_path, xdg) == str(xdg / "git" / "ignore")
    (xdg / "git").mkdir(parents=True)
    (xdg / "git" / "config").write_text("[core]\nexcludesFile = /far/away\n")
    assert user_file(tmp_path, xdg) == "/far/away"
    (tmp_path / ".gitconfig").write_text("[core]\nexcludesFile = ~/nearer\n")
    assert user_file(tmp_path, xdg) == str(tmp_path / "nearer")


def test_the_users_own_file_may_be_a_link_and_a_projects_may_not():
    with folder({".git/HEAD": "", "a.log": "", "a.txt": "", "rules": "*.txt\n"}) as root:
        home = root.parent / "home"
        (home / "dotfiles").write_text("*.log\n")
        (home / ".config" / "git").mkdir(parents=True)
        (home / ".config" / "git" / "ignore").symlink_to(home / "dotfiles")
        (root / ".gitignore").symlink_to("rules")
        assert walk(root, home=home) == [".gitignore", "a.txt", "rules"]
        rules = scan(root, home=home).rules
        assert [rules.ignore(name) for name in ("a.log", "a.txt")] == [True, False]
        (home / ".gitconfig").write_text("[core]\nexcludesfile = ~/none\n")
        assert not scan(root, home=home).rules.ignore("a.log")


def test_pipes_in_place_of_what_is_read_hold_up_nobody():
    with folder(
        {".git/HEAD": "", ".git/info/x": "", ".gitignore": "a\n", "a": "", "b": ""}
    ) as root:
        for name in (".git/index", ".git/config", ".git/info/exclude", ".ignore", ".rgignore"):
            os.mkfifo(root / name)
        os.mkfifo(root.parent / "home" / ".gitconfig")
        seen = walk(root, home=root.parent / "home")
        assert seen is not None
        assert {"a", "b"} & set(seen) == {"b"}


def test_an_index_that_is_nonsense_tracks_nothing():
    with folder({".git/index": "DIRC\0\0\0\2\0\0\0\7short", ".gitignore": "a\n", "a": ""}) as root:
        repository = find_repository(root)
        assert repository is not None
        assert repository.read_index(root).files == frozenset()
        assert walk(root) == [".gitignore"]
