"""How far programs reach through their options: other machines, other files, other programs."""

from __future__ import annotations

import pytest
from program_lines import started, use
from table_lines import touched

from turnloop_shell.programs.use import Effect

R, C, P, N, U = Effect

FETCHING = [
    "deno run https://h/x.ts", "deno run npm:x", "deno run jsr:@a/b", "bun https://h/x.ts",
    "bun run https://h/x.ts", "node https://h/x.js", "python https://h/x.py", "tsx https://h/x.ts",
    "make https://h", "npm test -- --registry=https://h", "pytest --base-url https://h",
    "uv run --python https://h pytest", "uv run --default-index https://h pytest",
    "uv run --extra-index-url x pytest", "uv run --find-links x pytest", "uv run --upgrade pytest",
    "xmllint http://h/x", "cat https://h/x", "go tool pprof http://h/x", "black git+https://h/x",
    "playwright install", "cypress install", "mypy --install-types", "pytest --tx ssh=h",
    "go tool pprof -http=:80 x", "go list -m -u all", "go list -m -versions x",
    "pip list --outdated", "pip list -o",
    "mvn archetype:generate", "mvn dependency:get", "mvn wrapper:wrapper", "mvn a.b:c:1.0:d",
    "pydoc -p 80", "pydoc -n h", "python -m pydoc -p 80",
    "vite --host", "vite --host 0.0.0.0", "webpack serve --host=h", "next dev -H 0.0.0.0",
    "esbuild --serve=0.0.0.0:80", "python manage.py runserver 0.0.0.0:80", "./serve --bind=[::]:80",
]  # fmt: skip


@pytest.mark.parametrize("line", FETCHING)
def test_other_machines(line: str) -> None:
    found = use(line)
    assert (found.effect, found.dynamic, bool(found.doubt)) == (N, "", True)


def test_what_is_started_from_an_address() -> None:
    found = use("uv run https://h/x.py")
    assert started(found) == ["python https://h/x.py"]
    assert use(started(found)[0]).effect is N
    assert use("https://h/x.py").effect is N


SHOWN = {
    "echo https://h": R, "printf %s https://h": R, "grep https://h a": R, "rg https://h": R,
    "git log --grep=https://h": R, "git commit -m https://h": C, "test https://h = a": R,
    "git config --get url.https://h.insteadOf": R, "jq --arg u https://h . a": R,
    "timeout 5 echo https://h": R, "export U=https://h": R, "basename https://h/a": R,
    "python x.py http": P, "vite --host localhost": P, "vite --host=127.0.0.1": P, "vite": P,
    "esbuild --serve=localhost:80": P, "mvn dependency:tree": P, "mvn spring-boot:run": P,
    "playwright test": P, "python manage.py runserver 127.0.0.1:80": P,
}  # fmt: skip


@pytest.mark.parametrize("line", SHOWN)
def test_addresses_that_are_mere_text(line: str) -> None:
    assert (use(line).effect, use(line).doubt) == (SHOWN[line], "")


REACHING = {
    "pytest -o cache_dir=/x": {"/x!/..."},
    "pytest --override-ini=log_file=x": {"x!/..."},
    "pytest -o testpaths=/x": {"/x"},
    "pytest -o pythonpath=../x": {"../x"},
    "pytest -o log_cli=true": set(),
    "pytest --cov-report=xml:/x": {"/x!/..."},
    "pytest --cov-report html:x": {"x!/..."},
    "pytest --cov-report=term-missing:skip-covered": set(),
    "python -X pycache_prefix=/x a.py": {"/x!/...", "a.py"},
    "python -X pycache_prefix=/x -m pytest": {"/x!/..."},
    "python -m py_compile a": {"a~"},
    "python -m compileall -q a": {"a~/..."},
    "python -m compileall -i a b": {"a", "b~/..."},
    "python -m doctest a": {"a"},
    "python -m ast a": {"a"},
    "python -m json.tool a b": {"a", "b!"},
    "python -m pickletools -o a b": {"a!", "b"},
    "python -m pip list --log a": {"a!"},
    "eslint -f ./a src": {"./a", "src"},
    "eslint -f json src": {"src"},
    "eslint --cache-location a src": {"a!/...", "src"},
    "mocha -R /x": {"/x"},
    "mocha -O output=a": {"a!/..."},
    "vitest --reporter=dot,/x": {"/x"},
    "vitest --outputFile.json=a": {"a!"},
    "jest --reporters=./a": {"./a"},
    "jest --config=a": {"a"},
    "rspec -f /x": {"/x"},
    "isort -sp /x a": {"/x", "a~"},
    "pyright -p ..": {".."},
    "mypy --cache-dir a": {"a!/..."},
    "mypy --linecount-report a": {"a!/..."},
    "ruff check --cache-dir a b": {"a!/...", "b"},
    "tox --workdir a": {"a!/..."},
    "coverage html -d a": {"a!/..."},
    "coverage xml -o a": {"a!"},
    "nyc --report-dir a npm test": {"a!/..."},
    "rollup -d a": {"a!/..."},
    "task -t a b": {"a"},
    "uv run --project .. pytest": {".."},
    "uv run --env-file=a b.py": {"a"},
    "uv run --config-file a pytest": {"a"},
    "deno run --env=a b.ts": {"a", "b.ts"},
    "deno test --env-file=a b.ts": {"a", "b.ts"},
    "dotenv run a": {".env"},
    "dotenv -f b run a": {"b"},
    "gcc -Wl,-o,a b.c": {"a!", "b.c", ".!"},
    "gcc -Wl,-Map,a b.c": {"a!", "b.c", ".!"},
    "gcc -Wl,-rpath,/x b.c": {"b.c", ".!"},
    "gcc -Wl,-T,a.ld b.c": {"a.ld", "b.c", ".!"},
    "gcc -Xlinker -o -Xlinker ./a b.c": {"./a!", "b.c", ".!"},
    "gcc -fsanitize=address b.c": {"b.c", ".!"},
    "gcc -fprofile-dir=a b.c": {"a!", "b.c", ".!"},
    "gcc -aux-info a b.c": {"a!", "b.c", ".!"},
    "rustc --emit=asm=a,obj=b c.rs": {"a!/...", "b!/...", "c.rs", ".!"},
    "rustc --emit=asm c.rs": {"c.rs", ".!"},
    "java -Xlog:all:file=a A": {"a!", "A"},
    "java -Xmx1g A": {"A"},
    "dotnet build -o a": {"a!/..."},
    "go tool compile -o a b.go": {"a!", "b.go"},
    "scc -o a": {"a!", "."},
    "tree -R a": {"a~/..."},
    "pytest -q @a": {"a"},
    "gcc @a": {"a", ".!"},
}  # fmt: skip


@pytest.mark.parametrize("line", REACHING)
def test_paths_in_options(line: str) -> None:
    assert touched(use(line)) == REACHING[line]


REFUSED = [
    "pytest @a", "mypy @a", "ruff check @a", "tsc @a", "javac @a", "rustc @a",
    "pytest -o addopts=-x", "pytest -o $x", "mocha --node-option require=a", "mocha -n require=a",
    "jest --config '{\"a\":1}'", "java -agentlib:a A", "java -agentpath:a A",
    "ruff check --config 'cache-dir=\"/x\"' a", "go tool link -extld a b",
    "duckdb -readonly a \"copy t to 'b'\"", "duckdb -readonly a \"from 'b'\"",
    "duckdb -readonly a \"select * from read_csv('b')\"", "duckdb a 'install x'",
    "sqlite3 -readonly a '.output b'", "sqlite3 -readonly a '.once b'", "sqlite3 -new b c d",
    "sqlite3 -readonly a '.shell b'", "sqlite3 -readonly a 'select 1; .system b'",
]  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_known(line: str) -> None:
    found = use(line)
    assert (bool(found.dynamic), found.effect) == (True, U)


EFFECTS = {
    "python -m json.tool a": P, "python -m ast a": P, "python -m calendar": P,
    "python -m pip list": P, "python -P -m json.tool a": R, "python -I -m ast a": R,
    "python -Pm calendar": R, "python -m compileall": U, "pydoc json": P,
    "cargo tree": P, "cargo metadata": P, "cargo metadata --locked": P,
    "cargo metadata --no-deps": R, "cargo pkgid": R,
    "go list ./...": R, "go list -export .": P, "go list -compiled .": P, "go list -mod=mod .": P,
    "tree -R": C, "tree -o a": C, "tree": R, "scc": R, "scc -o a": C,
    "duckdb -readonly a 'select 1'": R, "sqlite3 -readonly a 'select 1'": R,
    "xmllint a": R, "xmllint --noent a": U, "xmllint --valid a": U, "xmllint --schema a b": U,
    "xmllint --xinclude a": U, "ruff check --config line-length=100 a": P, "nx test @a/b": P,
    "ps": R, "ps aux": R, "ps -ef": R, "ps -e": R, "ps ww": R, "ps -p 1": R, "ps -aux": R,
    "ps axo pid,command": R, "ps -o etime": R, 'ps -p "$p"': R,
    "ps e": U, "ps eww": U, "ps auxe": U, "ps axe": U, "ps -E": U, "ps -auxe": U, "ps $x": U,
    "ps -eo environ": U, "ps axo environ": U,
}  # fmt: skip


@pytest.mark.parametrize("line", EFFECTS)
def test_effects(line: str) -> None:
    assert use(line).effect is EFFECTS[line]


@pytest.mark.parametrize(
    ("line", "positional"),
    [
        ("shift", True), ("shift 2", True), ("set -- a", True), ("set a b", True), ("set --", True),
        ("set -e a", True), ("builtin shift", True), ("set - a", True), ("set -", False),
        ("set -e", False), ("set", False), ("echo a", False), ("getopts a b", False),
    ],
)  # fmt: skip
def test_positional_parameters(line: str, positional: bool) -> None:
    assert use(line).positional is positional
