"""git: global options, subcommands, and all its options that run something."""

from __future__ import annotations

import pytest
from program_lines import codes, forms, reads, started, use, writes

from turnloop_shell.programs.use import Effect

READS = [
    "git",
    "git status -sb",
    "git log --oneline -n 3",
    "git log -p --stat --format='%h %s'",
    "git log --author=x --since=1.week -- src",
    "git diff",
    "git diff --cached --text",
    "git diff HEAD~1 src/a.py",
    "git show HEAD",
    "git blame -L 1,5 a.py",
    "git grep -n TODO",
    "git ls-files",
    "git rev-parse --show-toplevel",
    "git branch",
    "git branch -a",
    "git branch -vv",
    "git branch --show-current",
    "git branch --list 'x*'",
    "git tag",
    "git tag -l 'v*'",
    "git remote -v",
    "git remote get-url origin",
    "git config --get user.name",
    "git config user.name",
    "git config --list --show-origin",
    "git stash list",
    "git stash show -p",
    "git reflog",
    "git worktree list",
    "git describe --tags",
    "git cat-file -p HEAD",
    "git merge-base a b",
    "git shortlog -sn",
    "git submodule status",
    "git notes show",
    "git bisect log",
    "git clean -n",
    "git clean --dry-run -d",
    "git --version",
    "git --exec-path",
    "git push --help",
    "git --no-pager log",
    "git -c color.ui=always log",
    "git -c core.pager=cat log",
    "git -c core.fsmonitor=false status",
    "git --no-optional-locks status",
]


@pytest.mark.parametrize("line", READS)
def test_reading_commands_only_read(line: str) -> None:
    found = use(line)
    assert (found.effect, found.dynamic, found.doubt, found.code) == (Effect.READS, "", "", ())


CHANGES = [
    "git add -A",
    "git commit -m x",
    'git commit -m "$(cat x)"',
    'git commit -am "$M"',
    "git commit --amend --no-edit",
    "git checkout -b x",
    "git checkout main",
    "git switch -c x",
    "git restore a",
    "git merge x",
    "git rebase main",
    "git rebase -i HEAD~2",
    "git stash",
    "git stash pop",
    "git reset --hard",
    "git tag v1",
    "git tag -a v1 -m x",
    "git branch x",
    "git branch -D x",
    "git branch -u origin/x",
    "git rm a",
    "git mv a b",
    "git cherry-pick x",
    "git revert x",
    "git init",
    "git apply x",
    "git am --abort",
    "git worktree add x",
    "git notes add -m x",
    "git reflog expire --all",
    "git bisect start",
    "git bisect bad",
    "git log --output=x",
    "git diff --outp x",
    "git archive -o x HEAD",
    "git format-patch -o x HEAD~1",
    "git gc",
]


@pytest.mark.parametrize("line", CHANGES)
def test_local_history_changes_the_project(line: str) -> None:
    found = use(line)
    assert (found.effect, found.dynamic, found.doubt) == (Effect.CHANGES, "", "")


@pytest.mark.parametrize(
    "line",
    [
        "git push",
        "git fetch",
        "git pull --rebase",
        "git clone https://x/y",
        "git ls-remote",
        "git remote add o x",
        "git remote update",
        "git submodule update --init",
        "git submodule add x",
        "git archive --remote=x HEAD",
        "git archive --remo=x HEAD",
        "git lfs pull",
        "git request-pull a b",
    ],
)
def test_other_machines(line: str) -> None:
    assert use(line).effect is Effect.NETWORK


@pytest.mark.parametrize(
    "line",
    ["git config user.name x", "git filter-branch x", "git st", "git submodule init", "git x y"],
)
def test_what_reaches_further_is_not_known(line: str) -> None:
    found = use(line)
    assert (found.effect, found.dynamic) == (Effect.UNKNOWN, "")
    assert found.doubt


DYNAMIC = [
    "git -c core.pager='x y' log",
    "git -c core.editor=./x commit",
    "git -c CORE.sshCommand=./x fetch",
    "git -c core.fsmonitor=./x status",
    "git -c core.fsmonitor=true status",
    "git -c core.hooksPath=h commit",
    "git -c diff.external=./x diff",
    "git -c diff.foo.textconv=./x diff",
    "git -c filter.a.clean=./x add b",
    "git -c credential.helper=./x fetch",
    "git -c gpg.program=./x commit",
    "git -c protocol.ext.allow=always fetch",
    "git -c include.path=x log",
    "git -c http.proxy=x fetch",
    "git -c safe.directory=x log",
    "git -c core.worktree=/ status",
    "git -c url.x.insteadOf=y fetch",
    "git -c made.up=1 log",
    "git -c alias.st=status st",
    'git -c "$X" log',
    "git -c $X log",
    "git --config-env=core.pager=X log",
    "git --config-env core.pager=X log",
    "git --exec-path=./b status",
    "git --git-dir=x log",
    "git --git-dir x log",
    "git --work-tree=/ status",
    "git --work-tree / status",
    "git --bare log",
    "git --frob log",
    'git "$X" log',
    "git $X",
    "git log --ext-diff",
    "git log --ext",
    "git show --textconv",
    "git diff --textc",
    "git grep -O x",
    "git grep -O./x.sh TODO",
    "git grep -nO./x.sh TODO",
    "git grep --open-files-in-pager=x TODO",
    "git grep --open x",
    "git log $X",
    'git log "$X"',
    'git fetch "$X"',
    'git grep "$X"',
    "git fetch ext::sh",
    "git clone 'ext::sh -c x' y",
    "git push fd::1",
    "git remote add x ext::sh",
    "git submodule add ext::sh",
    "git clone --template=x y",
    "git clone -c core.pager=x y",
    "git clone --conf core.pager=x y",
    "git init --template=x",
    "git difftool",
    "git mergetool",
    "git instaweb",
    "git daemon",
    "git send-email x",
    "git config core.pager ./x",
    "git config --global alias.x y",
    "git config --edit",
    "git config edit",
    "git config --frob x y",
    "git bisect visualize",
    "git cat-file --filters HEAD:x",
    "git hook run x",
    "git help -w x",
]


@pytest.mark.parametrize("line", DYNAMIC)
def test_what_may_run_a_program_is_dynamic(line: str) -> None:
    assert use(line).dynamic


@pytest.mark.parametrize(
    "line",
    [
        "git fetch --upload-pack='{}' . HEAD",
        "git fetch --upload-pack '{}' .",
        "git fetch --upl='{}' .",
        "git pull --upload-pack='{}'",
        "git ls-remote --upload-p='{}' .",
        "git ls-remote --exec='{}' .",
        "git clone -u '{}' a b",
        "git clone -u'{}' a b",
        "git clone --upload-pack='{}' a",
        "git push --receive-pack='{}' .",
        "git push --exec '{}' .",
        "git push --rec='{}' .",
        "git archive --remote=. --exec='{}' HEAD",
        "git rebase -x '{}' HEAD~1",
        "git rebase -x'{}' HEAD~1",
        "git rebase -i --exec='{}' HEAD~1",
        "git rebase --ex '{}' HEAD~1",
        "git submodule foreach '{}'",
        "git submodule foreach --recursive '{}'",
        "git submodule --quiet foreach -q '{}'",
        "git filter-branch --tree-filter '{}' HEAD",
        "git filter-branch --msg-f='{}' HEAD",
        "git difftool -x '{}'",
        "git difftool --extcmd='{}'",
        "git -c alias.x='!{}' x",
        "git -c core.pager='{}' log",
        "git -c core.sshCommand='{}' fetch",
        "git config alias.x '!{}'",
        "git config core.editor '{}'",
        "git send-email --sendmail-cmd='{}' x",
    ],
)
def test_code_that_git_runs_is_seen(line: str) -> None:
    assert codes(use(line.format("rm -rf build"))) == ["rm -rf build"]


def test_programs_that_git_starts() -> None:
    assert started(use("git bisect run rm -rf build")) == ["rm -rf build"]
    assert started(use("git submodule foreach rm build")) == ["rm build"]


@pytest.mark.parametrize(
    "front",
    [
        "--no-pager",
        "-p",
        "-C sub",
        "-C a -C b",
        "-c a.b=c",
        "--git-dir=x",
        "--git-dir x",
        "--work-tree x",
        "--namespace=x",
        "--namespace x",
        "--literal-pathspecs --no-optional-locks",
        "--exec-path=x",
        "--config-env=a=b",
        "--frob",
        "-c alias.x='!y' --no-pager",
    ],
)
def test_a_deny_rule_sees_past_global_options(front: str) -> None:
    assert "git push --force" in forms(use(f"git {front} push --force"))


def test_an_alias_on_the_line_is_written_out() -> None:
    assert "git push --force x" in forms(use("git -c alias.p='push --force' p x"))


def test_a_part_of_git_is_git() -> None:
    assert forms(use("git-push --force"))[0] == "git push --force"
    assert use("/usr/lib/git-core/git-push x").effect is Effect.NETWORK


@pytest.mark.parametrize(
    "line",
    [
        "git push -f",
        "git push origin main -f",
        "git push origin --force",
        "git push -uf origin x",
        "git push origin +main",
    ],
)
def test_a_push_by_force_in_other_words(line: str) -> None:
    found = (line, *forms(use(line)))
    assert any(form.startswith("git push --force") for form in found)


@pytest.mark.parametrize(
    ("line", "read", "written"),
    [
        ("git show HEAD:.env", [".env"], []),
        ("git show :0:.env", [".env"], []),
        ("git diff --no-index /dev/null /etc/passwd", ["/dev/null", "/etc/passwd"], []),
        ("git diff --no-in a b", ["a", "b"], []),
        ("git diff /etc/passwd x", ["/etc/passwd", "x"], []),
        ("git blame a", ["a"], []),
        ("git log -Ox", ["x"], []),
        ("git log -O x", ["x"], []),
        ("git grep -f pats", ["pats", "."], []),
        ("git grep x -- src", ["src"], []),
        ("git commit -F msg", ["msg"], []),
        ("git commit --fi=msg", ["msg"], []),
        ("git commit -t tmpl", ["tmpl"], []),
        ("git add --pathspec-from-file=list", ["list"], []),
        ("git add .env", [".env"], []),
        ("git log --output=/tmp/x", [], ["/tmp/x"]),
        ("git archive -o out HEAD", [], ["out"]),
        ("git archive -oout HEAD", [], ["out"]),
        ("git checkout -- a b", [], ["a", "b"]),
        ("git checkout main", [], []),
        ("git checkout .", [], ["."]),
        ("git restore -s HEAD a", [], ["a"]),
        ("git rm -r a", [], ["a"]),
        ("git mv a b", ["a", "b"], ["a", "b"]),
        ("git clean -fdx", [], ["."]),
        ("git clean -fd src", [], ["src"]),
        ("git clean -n", [], []),
        ("git worktree add ../x -b y", [], ["../x"]),
        ("git worktree add -b y ../x", [], ["../x"]),
        ("git clone a b", [], ["b"]),
        ("git init sub", [], ["sub"]),
        ("git format-patch -o out HEAD~1", ["HEAD~1"], ["out"]),
        ("git bundle create out main", [], ["out"]),
        ("git config -f file user.name", ["file"], []),
        ("git config --file=file user.name x", ["file"], ["file"]),
        ("git -C sub diff a", ["sub", "sub/a"], []),
        ("git -C sub -C /abs diff a", ["/abs", "/abs/a"], []),
        ("git -C sub diff /a", ["sub", "/a"], []),
        ("git -C sub rm a", ["sub"], ["sub", "sub/a"]),
        ("git apply p", ["p"], ["."]),
    ],
)
def test_paths(line: str, read: list[str], written: list[str]) -> None:
    found = use(line)
    assert (reads(found), writes(found)) == (read, written)


def test_the_folder_of_another_repository() -> None:
    found = use("git -C a -C b status")
    assert found.within is not None
    assert (found.within.text, found.repository) == ("a/b", True)


def test_what_a_program_gets_runs_in_that_folder() -> None:
    folder = use("git -C sub bisect run rm x").runs[0].folder
    assert folder is not None
    assert folder.text == "sub"


@pytest.mark.parametrize(
    "line", ['git add "$f"', 'git checkout "$b"', 'git commit -m "$m"', 'git log -- "$f"',
             'git log --format="$f"', 'git rev-parse "$x"', 'git branch "$x"', 'git tag "$x"']
)  # fmt: skip
def test_an_unknown_operand_is_no_option_that_runs(line: str) -> None:
    assert use(line).dynamic == ""


@pytest.mark.parametrize(
    "name", ["log", "diff", "show", "fetch", "push", "clone", "grep", "rebase"]
)
def test_shortened_options_count_as_the_whole(name: str) -> None:
    from turnloop_shell.programs.git_tables import SUBS

    for option, role in SUBS[name].roles.items():
        if len(option) < 4 or role[-1] not in "dxw":
            continue
        for length in range(3, len(option) + 1):
            if option[:length] in SUBS[name].roles and option[:length] != option:
                continue
            found = use(f"git {name} --{option[:length]}=./x y")
            assert found.dynamic or found.code or writes(found), (option, length)
