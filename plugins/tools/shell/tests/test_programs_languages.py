"""Interpreters: files of the project, and code that nobody can look into."""

from __future__ import annotations

import pytest
from program_lines import forms, reads, use, writes

from turnloop_shell.programs.use import Effect

OPAQUE = [
    "python -c x",
    "python -cx",
    "python3 -uc x",
    "python3 -W ignore -c x",
    "python3.12 -Ic x",
    "pypy3 -c x",
    "python",
    "python -",
    "python /dev/stdin",
    "python -i",
    'python "$X"',
    'python -m "$X"',
    "python --frob x.py",
    "python -m timeit x",
    "python -m pdb x.py",
    "python -X presite=x y.py",
    "node -e x",
    "node -pe x",
    "node --eval=x",
    "node --print x",
    "node -r ./x y.js",
    "node --require=./x y.js",
    "node --import ./x y.js",
    "node --loader ./x y.js",
    "node --experimental-loader=./x y.js",
    "node --env-file=.env x.js",
    "node --title x y.js",
    "node --redirect-warnings=x y.js",
    "node",
    "node -i",
    'node "$X"',
    "tsx -e x",
    "deno eval x",
    "deno repl",
    "deno run --preload x y",
    "bun -e x",
    "bun --preload ./x y.ts",
    "bun exec x",
    "perl -e x",
    "perl -lne x",
    "perl -pi -e s/a/b/ f",
    "perl -E x",
    "perl -Mx y",
    "perl -I. y",
    "perl -d y",
    "perl",
    "ruby -e x",
    "ruby -rx y",
    "ruby -ne x f",
    "php -r x",
    "php -d auto_prepend_file=x y",
    "php -S localhost:80",
    "php -a",
    "lua -e x",
    "lua -l x y",
    "Rscript -e x",
    "osascript -e x",
    "tclsh",
    "expect -c x",
    "julia -e x",
    "julia -L x y",
    "elixir -e x",
    "elixir -S mix",
    "ts-node -e x",
    "groovy -e x",
    "groovy x",
    "m4 x",
    "dc -e '!rm x'",
    'dc -e "$X"',
    "irb",
]


@pytest.mark.parametrize("line", OPAQUE)
def test_code_that_nobody_can_look_into(line: str) -> None:
    found = use(line)
    assert found.opaque
    assert (found.effect, bool(found.doubt), found.dynamic) == (Effect.UNKNOWN, True, "")


@pytest.mark.parametrize("program", ["python", "node", "ruby", "perl", "php"])
def test_code_on_standard_input(program: str) -> None:
    assert use(program, "print(1)").opaque
    assert use(f"{program} -", "print(1)").opaque


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("python x.py -c y", "x.py"),
        ("python3 -u -W ignore x.py", "x.py"),
        ("python3 -X dev -B src/x.py", "src/x.py"),
        ("python -- x.py", "x.py"),
        ("python ../other/x.py", "../other/x.py"),
        ("node x.js -e y", "x.js"),
        ("node --max-old-space-size=4096 --enable-source-maps x.js", "x.js"),
        ("node --no-warnings --watch x.mjs", "x.mjs"),
        ("node --test a.test.js", "a.test.js"),
        ("tsx x.ts", "x.ts"),
        ("deno run x.ts", "x.ts"),
        ("bun x.ts", "x.ts"),
        ("perl -w x.pl", "x.pl"),
        ("ruby -w x.rb", "x.rb"),
        ("php x.php", "x.php"),
        ("php -f x.php", "x.php"),
        ("lua x.lua a", "x.lua"),
        ("Rscript --vanilla x.R", "x.R"),
        ("julia --project=. x.jl", "x.jl"),
        ("elixir x.exs", "x.exs"),
        ("ts-node x.ts", "x.ts"),
        ("tclsh x.tcl", "x.tcl"),
    ],
)
def test_a_file_of_the_project(line: str, script: str) -> None:
    found = use(line)
    assert (found.effect, reads(found), found.opaque, found.dynamic, found.doubt) == (
        Effect.PROJECT,
        [script],
        "",
        "",
        "",
    )


@pytest.mark.parametrize(
    "line",
    [
        "python -V",
        "python --version",
        "node -v",
        "node --version",
        "perl -v",
        "ruby --version",
        "php -v",
        "python --help",
        "deno --version",
        "bun --version",
        "node --check x.js",
        "ruby -c x.rb",
        "php -l x",
        "python -P -m json.tool x",
        "python -I -m pip list",
        "python -Pm tokenize x",
        "dc -e '1 2 + p'",
    ],
)
def test_looking_only_reads(line: str) -> None:
    found = use(line)
    assert (found.effect, found.opaque, found.doubt) == (Effect.READS, "", "")


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("python -m pytest -q", Effect.PROJECT),
        ("python -m unittest", Effect.PROJECT),
        ("python -Wd -m mypy src", Effect.PROJECT),
        ("python -mpytest", Effect.PROJECT),
        ("python -m venv .venv", Effect.PROJECT),
        ("python -m pip install x", Effect.NETWORK),
        ("python -m http.server", Effect.NETWORK),
        ("python -m twine upload x", Effect.NETWORK),
        ("python -m mystery", Effect.UNKNOWN),
        ("node --test", Effect.PROJECT),
        ("node --run test", Effect.PROJECT),
        ("deno test", Effect.PROJECT),
        ("deno run https://x/y.ts", Effect.NETWORK),
        ("deno install x", Effect.NETWORK),
        ("bun test", Effect.PROJECT),
        ("bun run build", Effect.PROJECT),
        ("bun install", Effect.NETWORK),
    ],
)
def test_effects(line: str, effect: Effect) -> None:
    found = use(line)
    assert (found.effect, found.opaque) == (effect, "")


def test_a_module_is_also_named_by_its_program() -> None:
    assert "pytest -q" in forms(use("python3 -m pytest -q"))
    assert "pip install x" in forms(use(".venv/bin/python -m pip install x"))


@pytest.mark.parametrize(
    ("line", "read", "written"),
    [
        ("perl -pi -e s/a/b/ .env", [".env"], [".env"]),
        ("perl -i.bak -pe s/a/b/ .env", [".env"], [".env"]),
        ("perl -ne print .env", [".env"], []),
        ("perl -e x .env", [], []),
        ("ruby -i -pe x .env", [".env"], [".env"]),
        ("node --env-file=.env x", [".env"], []),
        ("node --env-file .env x", [".env"], []),
        ("python -m json.tool a b", ["a"], ["b"]),
        ("python -m venv env", [], ["env"]),
        ("deno fmt src", ["src"], ["src"]),
    ],
)
def test_files(line: str, read: list[str], written: list[str]) -> None:
    found = use(line)
    assert ([r for r in reads(found) if r != "x"], writes(found)) == (read, written)


@pytest.mark.parametrize(
    "flags",
    ["-ne", "-lne", "-lane", "-0777 -ne", "-0777ne", "-l012e", "-pie", "-wle", "-Mx -e"],
)
def test_code_of_perl_in_any_cluster(flags: str) -> None:
    assert use(f"perl {flags} 'x' y").opaque or flags == "-pie"
    assert use("perl -i -pe 'x' y").opaque


@pytest.mark.parametrize("flags", ["-ne", "-lne", "-W2e", "-w0777e", "-anle"])
def test_code_of_ruby_in_any_cluster(flags: str) -> None:
    assert use(f"ruby {flags} 'x' y").opaque
