"""Whole lines, from the text to the verdict."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from judging import Court, cases, court


@pytest.fixture(scope="module")
def judge() -> Iterator[Court]:
    with court() as made:
        yield made


FOLDERS = r"""
allow cd src && rm -rf ../x
allow cd src && cd .. && rm -rf x
ask   cd src && cd .. && rm -rf ../x
allow cd src; rm -rf ../x
ask   rm -rf src; cd src; rm -rf ../x
ask   cd src; mv ../tests b; cd ../tests; rm ../../x
allow cd src\nls\ncd ..
ask   cd src\nls\ncd ..\nrm ../x
allow show() { cat "$1"; }; show src/a.py
deny  show() { cat "$1"; }; show src/a.py; show .env
ask   unused() { rm -rf /x; }
allow PYTHONPATH=src pytest -q
ask   PYTHONPATH=src:.. pytest -q
ask   cd src || cd /tmp; rm x
ask   cd nonexistent; rm -rf ../x
ask   if cd src; then rm ../x; fi
ask   while cd ..; do rm x; done
allow for d in src tests; do (cd $d && ls); done
ask   (cd /tmp && rm x)
ask   { cd /tmp; }; rm x
ask   ! cd /tmp; rm x
ask   time cd /tmp; rm x
ask   builtin cd /tmp; rm x
ask   eval cd /tmp; rm x
ask   f() { cd /tmp; }; f; rm x
ask   cd - ; rm x
ask   cd; rm x
ask   pushd /tmp && rm x
ask   CDPATH=/etc; cd src && rm x
ask   ls | cd /tmp
allow ls | (cd src && ls)
"""

VARIABLES = r"""
allow A=src; B=$A/a.py; cat $B
ask   A=/etc; B=$A/passwd; cat $B
deny  F=.env; cat $F
deny  X=.en; cat ${X}v
deny  for f in .e*; do cat "$f"; done
deny  f=x; while true; do cat "$f"; f=.env; done
deny  g() { cat "$f"; }; f=.env; g
ask   cat $F
ask   X=$X/a; cat $X
ask   X=~/x; cat $X
allow X='~/x'; cat $X
ask   HOME=/etc; cat ~/passwd
ask   read -r f < notes.txt; cat $f
ask   set -- -rf x; rm "$@"
ask   IFS=/; X=src/a.py; cat $X
ask   export PATH=./bin:$PATH; ls
ask   PAGER=./x; git log
allow pager=./x; git log
allow i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done
allow cat "$(git rev-parse --show-toplevel)/src/a.py"
allow cp notes.txt "$(pwd)/y"
ask   cp notes.txt "$(dirname /etc/x)/y"
allow git checkout -b fix/$(date +%F)
ask   git log $(echo --output=/etc/x)
"""

FILES_BELOW = r"""
allow rg foo
ask   rg --hidden foo
ask   rg -uu foo
ask   grep -rn foo .
allow grep -rn foo src
allow grep -rn --include='*.py' foo .
ask   grep -rn --include='*' foo .
allow ls -R
allow find . -name '*.py'
allow find . -name '*.py' | xargs grep foo
allow find . -name '*.py' | grep -v test | head -3 | xargs wc -l
allow find src -type f | xargs grep foo
ask   find . -type f | xargs grep foo
ask   find . -name '*.py' -o -name '.e*' | xargs grep foo
ask   find . ! -name '*.py' -exec cat {} +
allow find . -name '*.py' -exec grep foo {} +
ask   find . -name .env -exec cat {} +
ask   echo .env | xargs cat
ask   cat list | xargs cat
allow git ls-files | xargs wc -l
ask   find . -type f | while read -r f; do cat "$f"; done
allow git ls-files | while read -r f; do wc -l "$f"; done
allow find src -name '*.py' -print0 | while IFS= read -r -d '' f; do grep -n x "$f"; done
ask   echo .env | while read -r f; do cat "$f"; done
allow comm -12 <(sort notes.txt) <(sort src/a.py) | wc -l
allow diff <(git show HEAD:notes.txt) notes.txt
deny  cat <(cat .env)
ask   ! cd nonexistent && rm -rf ../x
allow find . -name '*.pyc' -delete
allow find . -name '*.pyc' | xargs rm -f
ask   find . -delete
ask   find . -name '*.json' -delete
ask   rm -rf .
ask   git clean -fdx
ask   tar czf x.tgz .
allow tar czf x.tgz src
deny  ls && cat < .env
deny  diff .env notes.txt
deny  xxd .env
deny  something --in=.env
deny  ln -s .env x && cat x
deny  . .env
"""

REPOSITORIES = r"""
allow git log
allow cd src && git log
ask   cd vendor/pack.git && git log
ask   cd vendor/module && git status
ask   git -C vendor/module status
allow git -C src status
ask   git -C .. status
"""

# Of these the last two stand for what a user meets every day.
EVERYDAY = r"""
allow git add -A && git commit -m "$(cat <<'EOF'\nfix: it's\n\n- a (b); c\nEOF\n)"
allow python3 -m pytest tests -q 2>&1 | tail -5
allow npm run build && npm test
allow make -j4
allow ./run.sh --fast
allow mkdir -p a/b && touch a/b/c && cp a/b/c d
allow cat <<'EOF' > src/new.py\nprint(1)\nEOF
ask   python3 - <<'EOF'\nprint(1)\nEOF
ask   echo a > /tmp/x
ask   git push
ask   npm ci
ask   kill 123
ask   mv .turnloop x
ask   sudo ls
allow timeout 60 pytest
allow DEBUG=1 pytest
allow FOO=1 make lint
ask   DESTDIR=/ make lint
allow set -euo pipefail; pytest
allow export CI=true; npm test
"""


@pytest.mark.parametrize(
    ("verdict", "line"), cases(FOLDERS + VARIABLES.lstrip() + FILES_BELOW.lstrip())
)
def test_lines_in_auto_mode(judge: Court, verdict: str, line: str) -> None:
    decision = judge.decide(line, "auto")
    assert decision.verdict.value == verdict, decision.reason


@pytest.mark.parametrize(
    ("verdict", "line"),
    cases(REPOSITORIES + EVERYDAY.lstrip()),
)
def test_everyday_lines_in_auto_mode(judge: Court, verdict: str, line: str) -> None:
    decision = judge.decide(line, "auto")
    assert decision.verdict.value == verdict, decision.reason


@pytest.mark.parametrize(
    ("verdict", "line", "allow"),
    [
        ("allow", "timeout 60 npm test", ["Bash(npm test)"]),
        ("allow", "timeout 60 npm test", ["Bash(timeout 60 npm test)"]),
        ("ask", "timeout 60 npm test", ["Bash(timeout *)"]),
        ("allow", "cd src && npm test", ["Bash(npm test)"]),
        ("ask", "cd /tmp && npm test", ["Bash(npm test)"]),
        ("allow", "cd /tmp && npm test", ["Bash(cd /tmp && npm test)"]),
        ("allow", "if true; then npm test; fi", ["Bash(npm test)"]),
        ("ask", "npm test | sh", ["Bash(npm test)"]),
        ("ask", "bash <<'E'\nls\nE", ["Bash(bash)"]),
        ("ask", 'eval "$X"', ["Bash(eval *)"]),
        ("allow", 'eval "$X"', ['Bash(eval "$X")']),
        ("ask", "cp a .git/hooks/pre-commit", ["Bash(cp *)"]),
        ("ask", "git config core.hooksPath x", ["Bash(git *)"]),
        ("ask", "tee < notes.txt > x", ["Bash(tee)"]),
        ("allow", "tee < notes.txt > x", ["Bash(tee)", "Edit(x)"]),
        ("allow", "python -c 'print(1)'", ["Bash(python *)"]),
        ("ask", "'git status'", ["Bash(git status)"]),
        ("ask", "git 'log x'", ["Bash(git log *)"]),
    ],
)
def test_lines_with_rules(judge: Court, verdict: str, line: str, allow: list[str]) -> None:
    decision = judge.decide(line, allow=allow)
    assert decision.verdict.value == verdict, decision.reason


@pytest.mark.parametrize(
    "line", ["python -c 'x'", "node -e x", "echo ls | sh", "python - <<E\nx\nE", "perl -e x"]
)
def test_code_that_cannot_be_looked_into_is_asked_about(judge: Court, line: str) -> None:
    deny = ["Bash(rm *)"]
    assert judge.decide(line, allow=["Bash(*)"], deny=deny).verdict.value == "ask"
    assert judge.decide(line, "bypass", deny=deny).verdict.value == "ask"
    assert judge.decide(line, "bypass").verdict.value == "allow"


@pytest.mark.parametrize(
    "program",
    ["git", "env", "sudo", "timeout 5", "sh", "find", "sed -n p", "rg x", "sort", "awk 1"],
)
def test_words_that_nobody_knows_may_be_options_that_run(judge: Court, program: str) -> None:
    line = f"cat list | xargs {program}"
    assert judge.decide(line, allow=["Bash(*)"], deny=["Bash(rm *)"]).verdict.value == "ask"
    listed = f"grep -rl x src | xargs {program}"
    if program in ("sed -n p", "rg x", "sort", "awk 1"):  # names that begin with a folder
        assert judge.decide(listed, "auto").verdict.value == "allow"


def test_what_is_installed_in_the_project_is_not_fetched() -> None:
    with court() as judge:
        tools = judge.project.root / "node_modules" / ".bin"
        tools.mkdir(parents=True)
        (tools / "tsc").write_text("")
        assert judge.decide("npx tsc --noEmit", "auto").verdict.value == "allow"
        for line in ("npx -p x tsc", "npx tsc@latest", "npx eslint", "npx --package=x tsc"):
            assert judge.decide(line, "auto").verdict.value == "ask"


def test_the_rules_that_are_proposed(judge: Court) -> None:
    def proposed(line: str) -> tuple[tuple[str, ...], ...]:
        return judge.engine().propose_rules("Bash", judge.decide(line))

    assert proposed("git log --oneline -5") == (
        ("Bash(git log --oneline -5)",),
        ("Bash(git log *)",),
    )
    assert proposed("git push origin main") == (
        ("Bash(git push origin main)",),
        ("Bash(git push *)",),
    )
    assert proposed("sed -n 1p src/a.py")[0] == ("Bash(sed -n 1p src/a.py)",)
    assert proposed('eval "$X"') == (('Bash(eval "$X")',),)
    assert proposed("cat list | xargs make")[-1] == ("Bash(cat list | xargs make)",)
    assert proposed("git status") == (("Bash(git status)",),)
    assert proposed("cd /tmp") == (("Bash(cd /tmp)",),)
    assert proposed("rm -rf build") == (("Bash(rm -rf build)",),)
    assert proposed("cp a b; make") == (("Bash(cp a b)", "Bash(make)"), ("Bash(cp a b; make)",))
    assert proposed("rm *.py") == ()
    assert proposed("cp x .git/config") == ()


@pytest.mark.parametrize(
    ("line", "sibling"),
    [
        ("sed -n 1p src/a.py", "sed -i s/x/y/ src/a.py"),
        ("sort src/a.py", "sort -o src/b.py src/a.py"),
        ("git branch -a", "git branch -D main"),
        ("git stash list", "git stash drop"),
        ("cat ~/x", "cat ~/y"),
        ("find . -name x", "find . -delete"),
    ],
)
def test_the_first_rule_that_is_proposed_allows_nothing_else(
    judge: Court, line: str, sibling: str
) -> None:
    engine = judge.engine()
    for rule in engine.propose_rules("Bash", judge.decide(line))[0]:
        engine = engine.with_rule("allow", rule)
    decided = [engine.decide("Bash", judge.subjects(x), read_only=False) for x in (line, sibling)]
    assert [decision.verdict.value for decision in decided] == ["allow", "ask"]


@pytest.mark.parametrize(
    "line",
    [
        "f() { f; f; }; f",
        "a() { b; b; }; b() { c; c; }; c() { d; d; }; d() { e; e; }; e() { a; a; }; a",
        "eval " * 200 + "ls",
        "$(" * 90 + "ls" + ")" * 90,
        "ls;" * 3000,
        "sh -c '" * 1 + "ls" + "'",
        "for a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do cat $a$b; done; done",
        "\0",
        "\ud800",
        "((((",
        "\n\n",
        "#",
        "&",
        "{",
        "x" * 100_000,
    ],
    ids=lambda line: ascii(line)[:30],
)
def test_no_line_is_too_much(judge: Court, line: str) -> None:
    assert judge.subjects(line)
    assert judge.decide(line, allow=["Bash(*)"], deny=["Bash(rm *)"]).verdict.value != ""


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("git log && rm -rf x", "deny"),
        ("git log; rm x", "deny"),
        ("git log\nrm x", "deny"),
        ("git log | xargs rm", "deny"),
        ("git log $(rm x)", "deny"),
        ("(rm x)", "deny"),
        ("env A=1 rm x", "deny"),
        ("timeout 5 rm x", "deny"),
        ("sh -c 'rm x'", "deny"),
        ("git log > ../outside.txt", "ask"),
        ("git log && (", "ask"),
        ("git log", "allow"),
        ("git log; echo 'rm x'", "allow"),
    ],
)
def test_shl_07_a_permitted_start_carries_nothing_along(
    judge: Court, line: str, verdict: str
) -> None:
    """SHL-07: rules are matched with each command, not with the beginning of the line."""
    decision = judge.decide(line, allow=["Bash(git log)", "Bash(echo *)"], deny=["Bash(rm *)"])
    assert decision.verdict.value == verdict, decision.reason
