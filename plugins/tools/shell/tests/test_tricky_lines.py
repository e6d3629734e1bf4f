"""Lines that would get round a rule if their parts were not followed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from judging import Court, cases, court


@pytest.fixture(scope="module")
def judge() -> Iterator[Court]:
    with court() as made:
        yield made


TRICKS = r"""
ask   f() { shift; rm -rf $1; }; f a /
ask   f() { while [ $# -gt 0 ]; do rm -rf "$1"; shift; done; }; f src /
ask   f() { set -- /etc/x; echo x > $1; }; f a
ask   f() { eval set -- /etc/passwd; cat $1; }; f x
ask   f() { git log; }; PATH=./bin f
ask   f() { ls; }; LD_PRELOAD=x f
deny  f() { cat "$X"; }; X=.env f
ask   f() { sh; }; f < notes.txt
allow f() { pytest; }; CI=1 f
ask   rm -rf $(date +%n/)
ask   cat $(date +%n.env)
ask   cat "$(git rev-parse src/../.env)"
ask   cat "$(git branch --show-current)"
allow git switch $(git branch --show-current)
allow git diff $(git merge-base main HEAD)
allow echo x > out-$(date +%Y%m%d).txt
ask   exec {PATH}<src/a.py; git log
ask   ((PATH=1)); git log
ask   (( x = PATH++ )); git log
ask   :(){ :|:& };:
ask   f(){ f|f& };f
ask   ln -s ../.git/config src/c; echo x > src/c
ask   ln .git/HEAD src/c; echo x >> src/c
ask   cp -d src/link b; ln -s ../.git src/g; tee src/g/config
allow ln -s ../notes.txt src/c; echo x > src/c
ask   python src/a.py /etc/passwd
ask   python src/a.py --in=../x
deny  python src/a.py .env
deny  ./run.sh --key=/home/x/.ssh/id_rsa
ask   npm test -- /etc/x
ask   jest --outputFile=.git/config
allow python src/a.py --flag 3 --out=build/x
allow pytest -q tests/test_a.py::test_x -k 'a or b' -o log_cli=true
ask   npx tsc --noEmit
ask   echo x | tee s.sh; sh s.sh
ask   cp src/a.py c; ./c
"""

ARITHMETIC = r"""
ask   n='x[$(rm y)]'; ((n))
ask   n='x[$(rm y)]'; eval '((n))'
ask   a='x[$'; b='(rm y)]'; n=$a$b; ((n))
ask   read n <<< 'x[`rm y`]'; ((n))
ask   read n < notes.txt; echo $((n))
ask   echo $(( $(cat notes.txt) ))
ask   n=$(cat notes.txt); [[ $n -eq 1 ]]
ask   n=$(expr "$(cat notes.txt)" : '\\(.*\\)'); ((n))
ask   n=$(wc -l *.txt); ((n))
ask   n=$(grep -c x *.txt); ((n))
ask   set -- "$(cat notes.txt)"; (($1))
ask   f() { echo $(($1)); }; f "$(cat notes.txt)"
ask   set -- "$(cat notes.txt)"; echo $((1 + $@))
ask   ((++PATH)); git log
ask   (( x = --PATH )); git log
ask   (( PATH\n=1 )); git log
allow (( PATHS == 1 )) || n=$(grep -c x notes.txt); ((n))
allow echo $(( $(wc -l < notes.txt) + 1 ))
allow start=$(date +%s); pytest -q; echo $(( $(date +%s) - start ))s
allow for ((i=0;i<3;i++)); do echo $i; done
allow n=$(ls | wc -l); echo $((n+1))
allow n=5; while [ $n -gt 3 ]; do awk '{print $1}' notes.txt; ((n--)); done
allow a=(1 2); echo ${a[0]}; s=abc; echo ${s:0:2} ${s%c}
"""


@pytest.mark.parametrize(("verdict", "line"), cases(TRICKS + ARITHMETIC.lstrip()))
def test_tricks_in_auto_mode(judge: Court, verdict: str, line: str) -> None:
    decision = judge.decide(line, "auto")
    assert decision.verdict.value == verdict, decision.reason


def test_code_on_the_input_of_a_function_is_judged(judge: Court) -> None:
    rules = {"allow": ["Bash(*)"], "deny": ["Bash(rm *)"]}
    assert judge.decide("f() { sh; }; f <<< 'rm -rf x'", **rules).verdict.value == "deny"
    assert judge.decide("f() { sh; }; f <<< 'ls'", **rules).verdict.value == "allow"
