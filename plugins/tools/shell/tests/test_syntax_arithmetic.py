"""Where the shell calculates: the values of names are read again, and commands in them run."""

from __future__ import annotations

from pathlib import Path
from shutil import which

import pytest
from shell_bash import Bash, commands, covers
from shell_lines import Lines

from turnloop_shell.syntax.parse import parse

AGAIN = "arithmetic in it may run code that stands in a value"
DESCRIPTOR = "an element of an array takes the descriptor of a redirection in it"


@pytest.mark.parametrize(
    "line",
    [
        "((n))",
        "(( 1 + $n ))",
        "((i++))",
        "i=$((i+1))",
        "a $[n]",
        "a $((`b`))",
        "a ${q[n]} b",
        "a ${#q[n]}",
        "a ${q[$n]:-c}",
        "a ${q:n}",
        "a ${q: -n}",
        "a ${q:0:n}",
        "a ${q[@]:n}",
        "a ${@:n}",
        "a ${?:n}",
        "a ${#:n}",
        'a "${x:-${q[n]}}"',
        "q[n]=1",
        "q[$n]+=1 a",
        "q=([n]=1)",
        "q=(1 [ n ]=2)",
        "declare -a q=([n]=1)",
        "[[ $n -eq 1 ]]",
        "[[ 1 -lt n ]]",
        "[[ -n a && ( ! n -ge 1 ) ]]",
        "[[ -v q[n] ]]",
        "for ((i=0;i<3;i++)); do a; done",
        "a <<E\n$((n))\nE",
        "a `b $((n))`",
        "! ((n))",
        "a $(b; ((n)))",
        "RANDOM=$n",
        "OPTIND='x'",
        "a \\\n$((n))",
    ],
)
def test_a_line_that_calculates_with_names_says_so(line: str) -> None:
    script = parse(line)
    assert (script.evaluates, script.doubts) == (True, ())


@pytest.mark.parametrize(
    "line",
    [
        "((1 + 2))",
        "a $((1<<2)) $[3] $((0x1f))",
        "a ${q[0]} ${q[@]} ${#q[*]} ${q:1} ${q: -1} ${q:-n} ${q:=n} ${q:+n} ${q:?n} ${q#n:m}",
        "q[0]=n q[1]=m",
        "q=(n [0]=m [a-z]*.c)",
        "[[ n == 1 && 2 -eq 3 || -n n ]]",
        "[[ -v n ]]",
        "[[ n == -eq ]]",
        "[ $n -eq 1 ]",
        "for n in a b; do c $n; done",
        "a '$((n))' \\$\\(\\(n\\)\\)",
        "OPTIND=1 RANDOM=42",
        "a # $((n))",
        "n[1] $x",
    ],
)
def test_a_line_that_does_not_is_free_of_it(line: str) -> None:
    script = parse(line)
    assert (script.evaluates, script.doubts) == (False, ())


@pytest.mark.parametrize(
    "line",
    [
        "[[ 'x[$(rm y)]' -eq 1 ]]",
        "[[ 1 -ne 'x[$(rm y)]' ]]",
        '[[ "x[\\$(rm y)]" -lt 1 ]]',
        "[[ x\\[1\\] -le 1 ]]",
        "[[ $'x[\\x24(rm y)]' -gt 1 ]]",
        "[[ -n a && ! ( 1 -ge 'x[`rm y`]' ) ]]",
        "[[ ${n:-'x[$(rm y)]'} -eq 1 ]]",
        "[[ $(echo 'x[$(rm y)]') -eq 1 ]]",
        "[[ 'x[$(rm y)]' \\\n -e\\\nq 1 ]]",
        "[[ -v x['$(rm y)'] ]]",
        "[[ -v 'x[$(rm y)]' ]]",
        "[[ ! -v $n ]]",
        "[[ -R 'x[$(rm y)]' ]]",
        "(( $(echo 'x[$(rm y)]') ))",
        "(( x[\\$(rm y)] ))",
        'a $(("x[\\$(rm y)]"))',
        "a ${q[$(echo 'x[$(rm y)]')]}",
        "a ${q[${n-'x[$(rm y)]'}]}",
        "a ${q:$(echo 'x[`rm y`]')}",
        "q=(['x[$(rm y)]']=1)",
        "q=(a [\n'x[$(rm y)]' ]+=1)",
        "q['x[$(rm y)]']=1",
        "for ((i='x[$(rm y)]';0;)); do a; done",
        "a ${n:='x[$(rm y)]'} $((n))",
        'a "$((n))" "${n=x[\\$(rm y)]}"',
    ],
)
def test_an_expression_with_code_in_quotes_is_a_doubt(line: str) -> None:
    assert AGAIN in parse(line).doubts


@pytest.mark.parametrize("line", ["a {q['x[$(rm y)]']}>f", "exec {q[n]}<f", "{q[0]}>&1 a"])
def test_a_descriptor_in_an_element_is_a_doubt(line: str) -> None:
    assert DESCRIPTOR in parse(line).doubts


@pytest.mark.parametrize(
    "line",
    [
        "[[ $# -lt 1 || ${#q[@]} -gt 0 || $(wc -l < f) -ge 10 ]]",
        "[[ $(grep -c '^[a-z]' f) -gt 0 && -v q[0] && -v m[key] ]]",
        "(( $(grep -c '[a-z]' f) + $(wc -l < g) ))",
        "a $(( $(awk '{print $1}' f) * 2 )) $((10#$n)) $((q[i] + q[$j]))",
        "declare -A m=(['a b']=1 [\"c\"]='$x')",
        "m['a b']=c q[i+1]='x[y]'",
        "[[ 'x[$(rm y)]' == 1 ]]",
        "a {q[0]} > f",
        "a ${n:='x[$(rm y)]'}",
        "a ${n:=x} $((n))",
    ],
)
def test_ordinary_calculations_are_no_doubt(line: str) -> None:
    assert parse(line).doubts == ()


@pytest.mark.skipif(which("bash") is None or which("sh") is None, reason="bash is the oracle")
def test_what_bash_runs_out_of_values_was_foreseen(tmp_path: Path) -> None:
    bash, foreseen, ran = Bash(tmp_path), 0, 0
    for seed in range(300):
        line = Lines(seed).calculated()
        script, seen = parse(line), bash.run(line)
        found = list(commands(script.body))
        hidden = [c for c in seen.calls if not any(covers(s.words, c) for s in found)]
        if hidden:
            assert script.evaluates or script.doubts, (line, hidden)
        ran += bool(hidden)
        foreseen += script.evaluates and not script.doubts
    assert ran > 100
    assert foreseen > 100
