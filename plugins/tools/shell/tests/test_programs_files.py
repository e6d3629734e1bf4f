"""`find`, `fd`, `sed`, `awk`: what they write and run."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from program_lines import codes, reads, started, use, writes

from turnloop_shell.programs.awk_program import read_program
from turnloop_shell.programs.sed_script import Unread, read_script
from turnloop_shell.programs.use import Effect


@pytest.mark.parametrize(
    ("line", "read", "written"),
    [
        ("find", ["."], []),
        ("find . -name '*.py'", ["."], []),
        ("find src lib -type f", ["src", "lib"], []),
        ("find -L src -maxdepth 2 -print0", ["src"], []),
        ("find / -name id_rsa", ["/"], []),
        ("find . -newer x -samefile y", [".", "x", "y"], []),
        ("find . -newermt yesterday", ["."], []),
        ("find . \\( -name a -o -name b \\) -prune -o -print", ["."], []),
        ("find . ! -path './x/*' -size +1k -mtime -3", ["."], []),
        ('find . -name "$X"', ["."], []),
        ("find . -delete", [], ["."]),
        ("find src -name x -delete", [], ["src"]),
        ("find . -fprint out", ["."], ["out"]),
        ("find . -fprintf out %p -fls out2", ["."], ["out", "out2"]),
        ("fd x", ["."], []),
        ("fd x src lib", ["src", "lib"], []),
        ("fd -e py --search-path src", ["src"], []),
    ],
)
def test_what_is_searched_and_written(line: str, read: list[str], written: list[str]) -> None:
    found = use(line)
    effect = Effect.CHANGES if written else Effect.READS
    assert (reads(found), writes(found), found.dynamic, found.effect) == (read, written, "", effect)


@pytest.mark.parametrize(
    ("line", "programs"),
    [
        ("find . -exec rm -f {} +", ["rm -f ./{}"]),
        ("find . -exec rm -f {} \\;", ["rm -f ./{}"]),
        ("find src -exec rm x{}y ';'", ["rm xsrc/{}y"]),
        ("find . -exec rm + x \\;", ["rm + x"]),
        ("find . -execdir rm {} +", ["rm ./{}"]),
        ("find . -ok rm {} \\;", ["rm ./{}"]),
        ("find . -okdir rm {} \\; -print", ["rm ./{}"]),
        ("find . -exec a {} + -exec b {} \\;", ["a ./{}", "b ./{}"]),
        ("find a b -exec rm {} +", ["rm {}"]),
        ("find . -exec rm -rf build", ["rm -rf build"]),
        ("fd -x rm", ["rm"]),
        ("fd x -X rm -f", ["rm -f"]),
        ("fd --exec rm {} ", ["rm {}"]),
        ("fd --exec-batch=rm -f", ["rm -f"]),
        ("fd -Hx rm {/}", ["rm {/}"]),
        ("fd -xrm", ["rm"]),
    ],
)
def test_what_runs_for_each_file(line: str, programs: list[str]) -> None:
    assert started(use(line)) == programs


def test_the_file_is_not_known() -> None:
    found = use("find src -exec sh -c 'rm {}' \\;").runs[0]
    assert [word.known for word in found.words] == [True, True, False]
    assert found.words[2].prefix == "rm src/"


@pytest.mark.parametrize(
    "line",
    [
        "find . -frob",
        "find . $X",
        'find "$X" -name y',
        "find . -name $X",
        "find -files0-from x",
        "find . -exec",
        "fd --frob x",
        "fd -x rm ';' -X y",
    ],
)
def test_what_find_may_do_otherwise(line: str) -> None:
    assert use(line).dynamic


@pytest.mark.parametrize(
    ("line", "read", "written"),
    [
        ("sed -n 1,5p x", ["x"], []),
        ("sed s/a/b/ x y", ["x", "y"], []),
        ("sed 's/[^/]*$//' x", ["x"], []),
        ("sed -E 's#(a|b)#[\\1]#gI' x", ["x"], []),
        ("sed ':a;N;$!ba;s/\\n/ /g' x", ["x"], []),
        ("sed '/a/,/b/{s/x/y/;p;}' x", ["x"], []),
        ("sed -e 1d -e '$d' x", ["x"], []),
        ("sed 'y/abc/def/;s|a|b|' x", ["x"], []),
        ("sed '/^#/d' x", ["x"], []),
        ("sed 'a\\\nhello; e rm' x", ["x"], []),
        ("sed '1i hello' x", ["x"], []),
        ("sed '0~3d;1~2p' x", ["x"], []),
        ("sed 'r other' x", ["x", "other"], []),
        ("sed -s -n '$=' x", ["x"], []),
        ("sed --quiet --regexp-ext --expression=p x", ["x"], []),
        ("sed -i s/a/b/ x", ["x"], ["x"]),
        ("sed -i.bak s/a/b/ x", ["x"], ["x", "x.bak"]),
        ("sed -i '' s/a/b/ x", ["x"], ["x"]),
        ("sed --in-place s/a/b/ x", ["x"], ["x"]),
        ("sed --in-pl=.b s/a/b/ x", ["x"], ["x", "x.b"]),
        ("sed -Ei s/a/b/ x", ["x"], ["x"]),
        ("sed -i'bak/*' s/a/b/ x", ["x"], ["x", "bak/*"]),
        ("sed s/a/b/ -i x", ["x"], ["x"]),
        ("sed 's/a/b/w /tmp/out' x", ["x"], ["/tmp/out"]),
        ("sed 's/a/b/gpw out' x", ["x"], ["out"]),
        ("sed '1w copy.txt' x", ["x"], ["copy.txt"]),
        ("sed '/a/W copy.txt' x", ["x"], ["copy.txt"]),
        ("sed -e p -e 'w out' x", ["x"], ["out"]),
        ("sed 's|a|b|;w out' x", ["x"], ["out"]),
        ("sed '/x/{w out\n}' x", ["x"], ["out"]),
        ("sed 'w /dev/stdout' x", ["x"], []),
    ],
)
def test_files_of_sed(line: str, read: list[str], written: list[str]) -> None:
    found = use(line)
    effect = Effect.CHANGES if written else Effect.READS
    assert (reads(found), writes(found), found.dynamic, found.effect) == (read, written, "", effect)


@pytest.mark.parametrize(
    "script",
    [
        "{}",
        "1{}",
        "$!{}",
        "/a/{}",
        "p;{}",
        "/x/{{{}\n}}",
        "s/a/b/;{}",
        "1,/x/{}",
        "\\,x,{}",
        "y/a/b/\n{}",
        ":a;{}",
        "ba\n{}",
        "a text\n{}",
        "s/[/]/x/;{}",
        "s/a\\/b/c/;{}",
        "#c\n{}",
        "{{p;}};{}",
        "2!{}",
    ],
)
def test_commands_of_sed_that_run_code(script: str) -> None:
    for option in ("", "-n -e ", "--expression=", "-ne"):
        found = use(f"sed {option}'{script.format('e rm -rf build')}' x")
        assert codes(found) == ["rm -rf build"], option


@pytest.mark.parametrize(
    "line",
    [
        "sed s/a/b/e x",
        "sed 's/a/b/ge' x",
        "sed 's,a,b,;e' x",
        "sed 1e x",
        "sed -f x y",
        "sed --file=x y",
        'sed "$X" y',
        'sed "s/a/$X/" y',
        'sed -e p -e "$X" y',
        "sed -e p $X",
        "sed k x",
        "sed s/a/b x",
        "sed --frob x",
        "sed -n $X",
        "sed 's/a/b/q' x",
        "sed p,p x",
    ],
)
def test_what_sed_does_is_not_known(line: str) -> None:
    assert use(line).dynamic


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="spwe1,/{}[];\\\n a!$^", max_size=14))
def test_no_command_of_sed_is_overlooked(start: str) -> None:
    """Whatever stands in front: a line `e x` is found, is text of `a`, or nothing is understood."""
    try:
        script = read_script(f"{start}\ne x")
    except Unread:
        return
    swallowed = start.rstrip("\n").endswith("\\") or "a" in start or "\\\n" in start
    assert script.code or script.runs or swallowed


@pytest.mark.parametrize(
    ("program", "written"),
    [
        ("{print $1}", []),
        ("$2 > 5 {print $1}", []),
        ("{ if ($1 > 5 && /x|y/) print }", []),
        ("{print ($1 > 2)}", []),
        ("{print a[$1 > 2]}", []),
        ("NR>1 {s+=$3} END {print s/NR, s}", []),
        ("/a|b/ || $1 ~ /c|d/", []),
        ('{gsub(/[|>@]/, "x"); print}', []),
        ("length > 80", []),
        ('{ printf("%d\\n", 3 > 2) }', []),
        ('{print "a | b > c"}', []),
        ("# system\n{print}", []),
        ("{print $0; x = 3 > 2}", []),
        ('{print > "/tmp/out"}', ["/tmp/out"]),
        ('{print $1, $2 >> "log"; next}', ["log"]),
        ('{printf "%s", $1 > "out"}', ["out"]),
        ('{print > "/dev/stderr"}', []),
    ],
)
def test_programs_of_awk(program: str, written: list[str]) -> None:
    found = read_program(program)
    assert (found.writes, found.reason) == (written, "")


@pytest.mark.parametrize(
    "program",
    [
        'BEGIN{system("rm -rf build")}',
        'BEGIN { system ( "rm -rf build" ) }',
        '{print | "rm -rf build"}',
        '{print $1 |& "rm -rf build"}',
        'BEGIN {"rm -rf build" | getline x}',
        '/"/ {system("rm -rf build")}',
        '{x = 1 / 2; system("rm -rf build")}',
        '{if (x) /"/; system("rm -rf build"); y = "/"}',
    ],
)
def test_code_in_programs_of_awk(program: str) -> None:
    found = read_program(program)
    assert found.reason
    assert "rm -rf build" in found.code


@pytest.mark.parametrize(
    "program",
    [
        "{print > $1}",
        '{print > "a" b}',
        "{while ((getline l < f) > 0) print l}",
        '@load "x"',
        "{@f()}",
        'BEGIN{ARGV[1]="/etc/passwd"}',
        '{print > "/inet/tcp/0/x/1"}',
        '{print > "a\\x2f"}',
        "{system(x)}",
        '{x = "a',
        "{ x++ /a/ system }",
        "/[/]/",
    ],
)
def test_what_a_program_of_awk_does_is_not_known(program: str) -> None:
    assert read_program(program).reason


@pytest.mark.parametrize(
    "line",
    [
        "awk -f p.awk x",
        "awk -fp.awk x",
        "gawk --file=p x",
        "gawk -i inplace '{print}' x",
        "gawk -l x y",
        "gawk -E x",
        'awk "$P" x',
        'awk "{print $X}" y',
        "gawk -o '1' x",
        "gawk --profile=x 1",
        "mawk -W exec x",
        "gawk -e 'BEGIN{system(1)}'",
        "gawk --source '@load \"x\"'",
        "awk $X",
        "awk --frob x",
    ],
)
def test_options_of_awk(line: str) -> None:
    assert use(line).dynamic


def test_operands_of_awk() -> None:
    found = use("awk -F'|' -v n=3 '$2 > n {print $1}' OFS=, data.txt -")
    assert (reads(found), found.dynamic, found.effect) == (["data.txt"], "", Effect.READS)
    assert writes(use("gawk -i inplace 1 x")) == ["x"]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='ab/"\\ ;{}()[]\n#', max_size=12))
def test_no_call_in_awk_is_overlooked(start: str) -> None:
    """Whatever stands in front, a call is found, or stands in a text, a pattern or a comment."""
    found = read_program(f'{start}\nBEGIN {{ system("x") }}')
    assert found.reason
