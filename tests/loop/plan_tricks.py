"""Tools and calls that try to change something in plan mode, and a project that would show it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from harness import FakeTool
from turnloop_core.api import Subject, SubjectKind
from turnloop_core.testing.fakes import call
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.results import Result
from turnloop_files.edit import Edit
from turnloop_files.seen import Copies
from turnloop_files.write import Write
from turnloop_shell.shells import Shell
from turnloop_shell.tool import Bash

FILES = {"notes.txt": "one\ntwo\n", "src/a.py": "x = 1\n", "link.txt": "", "go.sh": "touch made\n"}
# Every program that these name is a stub, which leaves a mark in the folder when it is run.
COMMANDS = r"""
touch made
echo x > made
echo x >> notes.txt
>made
: > notes.txt
echo x >| notes.txt
ls &> made
ls 2> made
ls > made 2>&1
ls >& made
rm notes.txt
\rm notes.txt
r''m notes.txt
"rm" notes.txt
/bin/../bin/rm notes.txt
$'rm' notes.txt
X=rm; $X notes.txt
cat notes.txt; touch made
cat notes.txt && touch made
cat notes.txt || touch made
cat notes.txt & touch made
cat notes.txt | tee made
cat notes.txt |& tee made
! touch made
(touch made)
{ touch made; }
if true; then touch made; fi
for f in a; do touch $f; done
while touch made; do break; done
case x in x) touch made;; esac
f() { touch made; }; f
ls() { touch made; }; ls
echo $(touch made)
echo `touch made`
echo "$(touch made)"
echo ${X:-$(touch made)}
echo $((a[$(touch made)]))
[[ -n $(touch made) ]]
cat <(touch made)
cat notes.txt > >(tee made)
cat <<< "$(touch made)"
env touch made
env -S 'touch made'
command touch made
builtin eval 'touch made'
eval touch made
exec touch made
exec > made
. ./go.sh
source go.sh
sh go.sh
./go.sh
sh -c 'touch made'
bash -c "touch made"
sudo touch made
nohup touch made
timeout 5 touch made
nice touch made
time touch made
xargs touch < notes.txt
find . -name notes.txt -delete
find . -exec rm {} +
find . -fprint made
sed -i s/one/1/ notes.txt
sed 'w made' notes.txt
awk 'BEGIN { print > "made" }'
sort -o made notes.txt
sort --output=made notes.txt
uniq notes.txt made
tee made
dd if=notes.txt of=made
cp notes.txt made
mv notes.txt made
ln -s notes.txt made
mkdir made
chmod 600 notes.txt
truncate -s 0 notes.txt
install notes.txt made
split notes.txt
tar cf made notes.txt
curl -o made http://127.0.0.1:1/
wget http://127.0.0.1:1/
git checkout .
git commit -m x
git -c alias.x='!touch made' x
git -c core.pager='touch made' log
git diff --output=made
git branch -D main
git stash
GIT_PAGER='touch made' git -p log
GIT_EXTERNAL_DIFF=./go.sh git diff
PATH=. ls
LD_PRELOAD=./x ls
BASH_ENV=go.sh bash -c true
rg --pre ./go.sh x
python3 -c 'open("made", "w")'
node -e 'require("fs")'
perl -e 'unlink "notes.txt"'
make
npm test
pytest
printf x > notes.txt
printf -v x y > made
set -o noclobber; echo x > made
trap 'touch made' EXIT
cd src && rm a.py
cd src; cd ..; rm notes.txt
pushd src; rm a.py
ls\n touch made
ls # x\ntouch made
cat <<E > made\nx\nE
cat <<'E'\nx\nE\ntouch made
"""

READS = ("ls", "cat", "head", "grep")


def commands() -> list[str]:
    return [line.replace(r"\n", "\n") for line in COMMANDS.strip().split("\n")]


def programs() -> set[str]:
    words = COMMANDS.replace("'", " ").replace('"', " ").replace("\\", " ").split()
    return {word for word in words if word.isalnum() and word.isascii()} | {"rm", "touch"}


class PlanBash(Bash):
    """With the flags that its plugin registers."""

    read_only = parallel_safe = False
    bulk_args = ()
    in_plan = True


class PlanWrite(Write):
    """With the flags that its plugin registers."""

    read_only = parallel_safe = False
    bulk_args = ()


class PlanEdit(Edit):
    """With the flags that its plugin registers."""

    read_only = parallel_safe = False
    bulk_args = ()


class Foreign(FakeTool):
    """A tool that writes, whatever it says of itself."""

    def __init__(self, name: str, *subjects: Subject, in_plan: bool) -> None:
        super().__init__(name, behaviour=self.write, read_only=False)
        self.named = subjects
        self.in_plan = in_plan

    def subjects(self, args: Any, scope: Any) -> Sequence[Subject]:
        return self.named

    def write(self, args: Any, context: Any) -> Result:
        (context.scope.root / f"made-by-{self.name}").write_text("x")
        return Result.say("written")


def read(path: str) -> Subject:
    return Subject(SubjectKind.READ, path, display=path)


@contextmanager
def stubs(project: Project) -> Iterator[dict[str, str]]:
    """Variables whose PATH has stubs only: what changes things leaves a mark, the rest does not."""
    folder = project.base / "bin"
    folder.mkdir()
    for name in programs() - set(READS) - {"true", "echo", "printf"}:
        stub = folder / name
        stub.write_text('#!/bin/sh\n: > "ran-${0##*/}"\n')
        stub.chmod(0o755)
    for name in READS:
        stub = folder / name
        stub.write_text("#!/bin/sh\nexit 0\n")
        stub.chmod(0o755)
    yield {"PATH": str(folder)}


def tools(shell: str) -> list[Any]:
    copies = Copies()
    lying = Subject(SubjectKind.COMMAND, "look", display="look", read_only=True, dynamic=True)
    return [
        PlanBash(Shell(shell, ("-c",), "bash")),
        PlanWrite(copies),
        PlanEdit(copies),
        Foreign("Nothing", in_plan=True),
        Foreign("Reading", read("/x"), in_plan=True),
        Foreign("Lying", lying, in_plan=True),
        Foreign("Hidden", in_plan=False),
        FakeTool("Mcp", subject=SubjectKind.MCP, read_only=False),
    ]


def calls(project: Project) -> list[Any]:
    """Every tool and every trick."""
    made = [call("Bash", {"command": command}) for command in commands()]
    made += [call("Bash", {"command": "touch made", "run_in_background": True})]
    for name in ("Write", "write", " WRITE "):
        for path in ("made", "notes.txt", "src/../made", "link.txt", str(project.outside / "made")):
            made.append(call(name, {"file_path": path, "content": "x"}))
    for name in ("Edit", "edit", "EDIT"):
        arguments = {"file_path": "notes.txt", "old_string": "one", "new_string": "1"}
        made.append(call(name, arguments))
        made.append(call(name, {**arguments, "file_path": "link.txt", "replace_all": True}))
    for name in ("Nothing", "Reading", "Lying", "Hidden", "hidden", "Mcp"):
        made.append(call(name, {"text": "x"}))
    return made


def state(project: Project) -> Mapping[str, str]:
    """All bytes of the project, and of what lies outside of it."""
    places = ("project", "outside")
    return {k: v for k, v in project.snapshot().items() if k.split("/")[0] in places}


@contextmanager
def plan_project() -> Iterator[tuple[Project, dict[str, str], str]]:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    with temporary_project(FILES) as project:
        (project.outside / "far.txt").write_text("far\none\n")
        project.path("link.txt").unlink()
        project.path("link.txt").symlink_to(project.outside / "far.txt")
        with stubs(project) as variables:
            yield project, variables, os.path.realpath(bash)
