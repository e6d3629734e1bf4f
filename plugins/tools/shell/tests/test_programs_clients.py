"""Programs that run commands elsewhere, or hold a way to a shell."""

from __future__ import annotations

import pytest
from program_lines import codes, forms, reads, started, use, writes

from turnloop_shell.programs.use import Effect

DYNAMIC = [
    "ssh -o ProxyCommand=x host",
    "ssh -oProxyCommand=x host",
    "ssh -o 'ProxyCommand x' host",
    "ssh -o LocalCommand=x host",
    "ssh -o KnownHostsCommand=x host",
    "ssh -o Include=x host",
    'ssh -o "$X" host',
    "ssh -F x host",
    "ssh host -o ProxyCommand=x",
    "ssh --frob host",
    "psql -c '\\! id'",
    "psql --command='\\! id'",
    "psql -c 'copy x to program $$y$$'",
    "psql -c '\\o |x'",
    "psql -f x",
    "psql --fil=x",
    'psql -c "$X"',
    "mysql -e 'system x'",
    "mysql --execute='\\! x'",
    "sqlite3 db '.shell x'",
    "sqlite3 -cmd '.system x' db y",
    "sqlite3 --cmd '.system x' db y",
    "sqlite3 db",
    "sqlite3 -init x db y",
    "sqlite3 db \"attach 'x' as y\"",
    'sqlite3 db "$X"',
    "vim x",
    "vi -c ':!x'",
    "nvim +x",
    "ed x",
    "emacs x",
    "nano x",
    "less '+!x' y",
    "less -k x y",
    "less -kx y",
    "less --lesskey-file=x y",
    "less --lesskey-c=x y",
    "less -o x y",
    "less -Nox y",
    "less --log-file x y",
    "less --LOG=x y",
    'less "$X"',
    "more '+!x' y",
    "man -P x y",
    "man -Px y",
    "man --pager=x y",
    "man --pag x y",
    "man -Hx y",
    "man --html y",
    "man --html=x y",
    "man -C x y",
    "man -M x y",
    "man -p t y",
    "tmux new-session x",
    "tmux send-keys x",
    "tmux ls \\; x",
    "screen x",
    "nc -e x y 1",
    "nc -lvpe 1 x",
    "nc -c x y 1",
    "ncat --exec x y",
    "ncat --sh-exec=x y",
    "ncat --lua-exec x y",
    "socat - EXEC:x",
    "socat - exec:x",
    "socat - SYSTEM:x",
    'socat - "$X"',
    "gdb x",
    "gdb -ex 'shell x'",
    "lldb x",
    "docker --frob exec x y",
]


@pytest.mark.parametrize("line", DYNAMIC)
def test_ways_to_a_shell_are_dynamic(line: str) -> None:
    assert use(line).dynamic


@pytest.mark.parametrize(
    "line",
    [
        "ssh -o ProxyCommand='{}' host",
        "ssh -o 'ProxyCommand {}' host",
        "psql -c '\\! {}'",
        "mysql -e 'system {}'",
        "sqlite3 db '.shell {}'",
        "sqlite3 -cmd '.shell {}' db x",
        "vim -c ':!{}' x",
        "vim '+!{}' x",
        "tmux new-session '{}'",
        "tmux send-keys -t a '{}' Enter",
        "gdb -ex 'shell {}' x",
        "man -P '{}' x",
        "ncat --sh-exec '{}' x",
    ],
)
def test_code_behind_such_a_way(line: str) -> None:
    assert "rm -rf build" in codes(use(line.format("rm -rf build")))


def test_programs_behind_such_a_way() -> None:
    assert "rm -rf build" in started(use("tmux new-session -d rm -rf build"))
    assert "rm -rf build" in started(use("screen -dm rm -rf build"))


@pytest.mark.parametrize(
    "line",
    [
        "ssh host rm -rf build",
        "ssh -p 22 -i key user@host rm -rf build",
        "ssh host 'rm -rf build'",
        "docker run --rm -it -v a:b -w /x img rm -rf build",
        "docker run --entrypoint rm img -rf build",
        "docker exec -it -u root web rm -rf build",
        "docker compose exec -T web rm -rf build",
        "docker-compose -f x.yml run --rm web rm -rf build",
        "podman --remote exec web rm -rf build",
        "kubectl -n ns exec pod -c web -- rm -rf build",
        "kubectl exec -it pod -- rm -rf build",
    ],
)
def test_a_command_elsewhere_binds_deny_rules_only(line: str) -> None:
    found = use(line)
    assert "rm -rf build" in forms(found)
    assert (started(found), codes(found), bool(found.opaque)) == ([], [], True)
    assert found.effect in (Effect.NETWORK, Effect.UNKNOWN)


@pytest.mark.parametrize(
    ("line", "effect", "read", "written"),
    [
        ("less x", Effect.READS, ["x"], []),
        ("less -RNS +G x y", Effect.READS, ["x", "y"], []),
        ("less +/pattern x", Effect.READS, ["x"], []),
        ("more x", Effect.READS, ["x"], []),
        ("man ls", Effect.READS, [], []),
        ("man 5 passwd", Effect.READS, [], []),
        ("man -k x", Effect.READS, [], []),
        ("man ./x.1", Effect.READS, ["./x.1"], []),
        ("tmux ls", Effect.READS, [], []),
        ("vim --version", Effect.READS, [], []),
        ("sqlite3 db 'select 1'", Effect.CHANGES, ["db"], ["db"]),
        ("sqlite3 -readonly -json db 'select 1'", Effect.READS, ["db"], []),
        ("sqlite3 :memory: 'select 1'", Effect.CHANGES, [], []),
        ("psql -c 'select 1' db", Effect.NETWORK, [], []),
        ("psql -c '\\dt+'", Effect.NETWORK, [], []),
        ("mysql -u x -e 'select 1'", Effect.NETWORK, [], []),
        ("nc -zv host 80", Effect.NETWORK, [], []),
        ("socat - TCP:host:80", Effect.NETWORK, [], []),
        ("ssh -o BatchMode=yes -i key host", Effect.NETWORK, ["key"], []),
    ],
)
def test_ordinary_use(line: str, effect: Effect, read: list[str], written: list[str]) -> None:
    found = use(line)
    assert (found.effect, reads(found), writes(found), found.dynamic) == (effect, read, written, "")
