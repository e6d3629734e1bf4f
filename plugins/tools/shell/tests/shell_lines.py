"""Random words and command lines for tests.

No generated text holds a slash, so that it names nothing outside of the folder in which it runs.
"""

from __future__ import annotations

import re
from random import Random

from shell_bash import PROGRAMS

SPECIAL = "'\"\\$`(){}<>;&|\n# !*?[]=~,-"


class Lines:
    """Makes words and lines; the same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.heredocs: list[str] = []
        self.names = 0
        self.flat = False  # no newline may come now: a heredoc outside waits for its body

    def pick(self, *choices: str) -> str:
        """One of them."""
        return self.random.choice(choices)

    # Words whose value is known before they run.

    def letters(self, extra: str = "") -> str:
        """A few characters that mean nothing to the shell."""
        some = self.random.choices("abcxyzAZ019_.:=@%+,-é" + extra, k=self.random.randint(1, 4))
        return "".join(some)

    def piece(self, *, braces: bool = True) -> str:
        """A piece of a word, in some quoting."""
        forms = [
            self.letters,
            self.letters,
            lambda: "'" + self.letters(' "\\$`;&|<>(){}#*?!~\n\t') + "'",
            lambda: '"' + self.letters(" ';&|<>(){}#*?~\n\t") + '"',
            lambda: '"' + self.pick("\\$x", "\\`", '\\"', "\\\\", "\\a", "a$", "a\\\nb", "") + '"',
            lambda: "\\" + self.random.choice("ab $`'\"\\;&|<>(){}#*?!~[]^-=é"),
            lambda: "$'" + "".join(self._escape() for _ in range(self.random.randint(0, 3))) + "'",
            lambda: '$"' + self.letters(" '") + '"',
            lambda: self.pick("''", '""', "''", "\\\n"),
            lambda: self.pick("{}", "{x}", "{", "}", "#", "$", "a{b", "c}d", "{a,b", "{1..b}", "^"),
        ]
        if braces:
            forms += [self._braces] * 2
        return self.random.choice(forms)()

    def _escape(self) -> str:
        return self.pick(
            "\\x61",
            "\\x7",
            "\\141",
            "\\12",
            "\\u0062",
            "\\u62",
            "\\U00000063",
            "\\cA",
            "\\e",
            "\\t",
            "\\n",
            "\\\\",
            "\\'",
            '\\"',
            "\\?",
            "\\q",
            "x",
            " ",
            "é",
            "\\u00e9",
            "\\xc3\\xa9",
            "\\0",
            "\\\n",
        )

    def _braces(self) -> str:
        kind = self.random.randrange(4)
        if kind == 0:
            inner = [self.known(braces=self.random.random() < 0.3) for _ in range(3)]
            return "{" + ",".join(inner[: self.random.randint(1, 3)]) + "}"
        if kind == 1:
            ends = [
                str(self.random.randint(-3, 12)).zfill(self.random.choice([0, 2])) for _ in "ab"
            ]
            return "{" + "..".join(ends) + self.pick("", "..2", "..-3", "..0", "..x") + "}"
        if kind == 2:
            return (
                "{"
                + self.pick("a..d", "d..a", "A..C", "a..c..2", "a..1", "a...c", "..", "a..")
                + "}"
            )
        return self.pick(
            "{,}", "{,x}", "{a,{b,c}d}", "{{a,b}}", "{a,b}{c,d}", "{'a,b',c}", "{a\\,b,c}"
        )

    def known(self, *, braces: bool = True) -> str:
        """A word of such pieces."""
        count = self.random.choice([1, 1, 2, 2, 3])
        found = "".join(self.piece(braces=braces) for _ in range(count))
        return "x" + found if found[:1] in {"#", "^"} else found

    # Lines.

    def line(self, depth: int = 2) -> str:
        """A line of commands, with the bodies of its heredocs."""
        self.names = 0
        return self.listing(depth, top=True)

    def listing(self, depth: int, *, top: bool = False) -> str:
        """Commands with separators between them."""
        found = self.chain(depth)
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            separator = self.pick("; ", ";", "\n", " & ", "\n\n", " # it's; a `comment` $(a \"\n")
            if self.heredocs and "\n" not in separator:
                separator = self.pick("; ", " & ", ";")
            found += self._bodies(separator) + self.chain(depth)
        return found + self._bodies("\n") if self.heredocs else found

    def _bodies(self, separator: str) -> str:
        if "\n" not in separator or not self.heredocs:
            return separator
        found = separator[: separator.index("\n") + 1] + "".join(self.heredocs)
        self.heredocs = []
        return found

    def chain(self, depth: int) -> str:
        """Commands joined by `|`, `&&` and `||`."""
        found = self._prefix() + self.command(depth)
        for _ in range(self.random.choice([0, 0, 0, 1, 1, 2])):
            joint = self.pick(" && ", "&&", " || ", " | ", "|", " |& ")
            if not self.heredocs and not self.flat and self.random.random() < 0.1:
                joint += "\n"
            # Behind a bar `time` is a program and `!` an error.
            found += joint + ("" if "&&" not in joint and "||" not in joint else self._prefix())
            found += self.command(depth)
        return found

    def _prefix(self) -> str:
        return self.pick("", "", "", "", "", "", "", "! ", "time ", "time -p ")

    def command(self, depth: int) -> str:
        """A simple or a compound command."""
        if depth <= 0 or self.random.random() < 0.5:
            return self.simple(depth)
        inner = depth - 1
        forms = [
            lambda: "{ " + self._part(inner) + "; }",
            lambda: "( " + self._part(inner) + " )",
            lambda: (
                f"if {self._part(inner)}; then {self._part(inner)}; else {self._part(inner)}; fi"
            ),
            lambda: (
                f"if {self._part(inner)}{self._newline()}then {self._part(inner)}"
                f"{self._newline()}fi"
            ),
            lambda: f"for x in {self.known()} {self.argument(inner)}; do {self._part(inner)}; done",
            lambda: f"for ((i=0;i<$({self._part(inner)})2;i++)); do {self._part(inner)}; done",
            lambda: f"while {self._part(inner)}; do {self._part(inner)}; break; done",
            lambda: f"until {self._part(inner)}; do {self._part(inner)}; break; done",
            lambda: (
                f"case {self.argument(inner)} in {self.pick('', '(')}x|{self.argument(inner)})"
                f" {self._part(inner)};; *) {self._part(inner)};; esac"
            ),
            lambda: self._function(inner),
            lambda: f"[[ {self.pick('-n ', '', '! ')}{self.argument(inner)} ]]",
            lambda: f"[[ x {self.pick('==', '!=', '=~', '<')} {self.argument(inner)} && -n y ]]",
            lambda: f"(( {self.pick('1', '1<<2', 'x[1]')} + $({self._part(inner)})1 ))",
        ]
        found = self.random.choice(forms)()
        if self.random.random() < 0.2 and not found.endswith(";"):
            found += " " + self.redirect(inner)
        return found

    def _part(self, depth: int) -> str:
        """A list inside of another construct; its heredocs stay in it."""
        outer, self.heredocs = self.heredocs, []
        flat, self.flat = self.flat, self.flat or bool(outer)
        found = self.chain(depth)
        if self.random.random() < 0.3:
            found += self.pick("; ", " & ") + self.chain(depth)
        if self.heredocs:
            found += self._bodies("\n") + "a"
        self.heredocs, self.flat = outer, flat
        return found

    def _newline(self) -> str:
        return "; " if self.flat or self.heredocs else "\n"

    def _function(self, depth: int) -> str:
        self.names += 1
        name = f"fn{self.names}"
        head = self.pick(f"{name}()", f"{name} ( )", f"function {name}", f"function {name}()")
        return head + " { " + self._part(depth) + "; }; " + name

    def program(self) -> str:
        """The name of a stub, in some quoting."""
        name = self.random.choice(PROGRAMS)
        code = f"\\x{ord(name):x}"
        return self.pick(
            name,
            name,
            name,
            f'"{name}"',
            f"'{name}'",
            f"{name}''",
            f'""{name}',
            f"$'{code}'",
            f"$'\\{ord(name):o}'",
            f"\\{name}",
            f'$"{name}"',
            f"{{{name},x}}",
            f"{name}\\\n",
        )

    def simple(self, depth: int) -> str:
        """A simple command."""
        row = [self.program()]
        for _ in range(self.random.choice([0, 1, 1, 2, 3])):
            row.append(self.argument(depth))
        if self.random.random() < 0.25:
            row.insert(self.random.randint(0, len(row)), self.redirect(depth))
        if self.random.random() < 0.1:
            row.insert(0, self.pick("x", "y", "x[1]") + "=" + self.argument(depth))
        if self.random.random() < 0.05:
            row.insert(0, f"arr=({self.argument(depth)} {self.argument(depth)})")
        return self.pick(" ", " ", "  ", " \\\n ").join(row)

    def argument(self, depth: int) -> str:
        """A word, perhaps with commands in it."""
        if depth <= 0 or self.random.random() < 0.65:
            return self.known()
        inner = depth - 1
        code = self._part(inner)
        flat = self.random.choice(PROGRAMS) + " " + self.pick("x", "y z", "é")
        return self.pick(
            f"$({code})",
            f'"$({code})"',
            f'"x$({code})"y',
            f"$( {code}{self._newline()})",
            f"`{flat}`",
            f'"`{flat}`"',
            f"<({code})",
            f"${{u:-$({code})}}",
            f'"${{u:-$({code})}}"',
            f"\"${{u:-'$({flat})'}}\"",
            f"${{u:-x'}}'$({code})}}",
            f'"${{u#"$({code})"}}"',
            f"${{z[$({code})1]}}",
            f"$(( 1 + $({code}) ))",
            f"$[ 1 + $({code}) ]",
            f"$(({code}))" if "(" in code else f"$( ({code}) )",
            "$HOME",
            '"$1"',
            '"$@"',
            "${x}",
            '"${x}"',
            "$?",
            "*",
            "${#x}",
            "${x%y}",
        )

    def redirect(self, depth: int) -> str:
        """A redirection into the scratch folder, or a text."""
        kind = self.random.random()
        if kind < 0.3 and not self.flat:
            return self._heredoc(depth)
        if kind < 0.45:
            return "<<<" + self.pick("", " ") + self.argument(depth)
        if kind < 0.7:
            return self.pick("2>&1", ">&2", "1>&2", "2>&-", "<&-", "3<&0")
        operator = self.pick(">", ">>", ">|", "&>", "&>>", "2>", "{fd}>", "<>", ">&")
        return (
            operator
            + self.pick("", " ")
            + self.pick("out1", "'out2'", "o\\ut3", '"out4"', "o''ut5")
        )

    def _heredoc(self, depth: int) -> str:
        self.names += 1
        name = f"END{self.names}"
        shown = self.pick(name, name, f"'{name}'", f'"{name}"', f"\\{name}", f"E''{name[1:]}")
        tabs = self.pick("", "-")
        lines = [
            self.pick(
                "text", "it's", 'a "b', "# c", "$HOME", "a \\$(b)", "\\", "a\\\nb", " " + name
            )
        ]
        if depth > 0 and shown == name:
            flat, self.flat = self.flat, True
            lines.append(f"x $({self.simple(0)}) `a {self.names}` y")
            self.flat = flat
        elif shown != name:
            lines.append("$(a never) `b never`")
        body = "".join(
            f"{tab}{line}\n" for line in lines for tab in [self.pick("", "\t") if tabs else ""]
        )
        # A backslash at the end of an expanded body would join the delimiter to it.
        if body.endswith("\\\n"):
            body += "x\n"
        self.heredocs.append(body + name + "\n")
        return "<<" + tabs + self.pick("", " ") + shown

    def continued(self, line: str) -> str:
        """The line with backslashes before newlines put somewhere into it."""
        text = list(line)
        for _ in range(self.random.randint(1, 3)):
            text.insert(self.random.randrange(len(text) + 1), self.pick("\\\n", "\\\n", "\\\\\n"))
        return "".join(text)

    def backticked(self, line: str) -> str:
        """The line as the code of backticks, which may stand in quotes or in a heredoc."""
        before, after = self.pick(
            ("a `", "`"),
            ("`", "`"),
            ('a "`', '`"'),
            ('a "x`', '`y"'),
            ("a <<END0\nx `", "` y\nEND0\n"),
            ("a ${u:-`", "`}"),
            ("\"${u:-'`", "`'}\""),
            ("x[`", "`1]=a"),
            ("a $(b `", "`)"),
        )
        marks = '\\`$"' if before[-1] in "\"'x" and '"' in before else "\\`$"
        return before + "".join("\\" + c if c in marks else c for c in line) + after

    def stringed(self, line: str) -> str:
        """The line as a substitution between single quotes that stand in a quoted expansion."""
        line = re.sub(r"['\"}]", "", line)
        operator = self.pick(":-", "-", ":=", "#", "%", "/", ":")
        return f"a \"${{u{operator}'$({line}\n)'}}\""

    def calculated(self) -> str:
        """A line that calculates with a value in which a command stands."""
        inner = self.pick("x[$(b)]", "x[`b`]", "x[$(b 1)]+1", "x[y[$(b)]]", "1+x[$(b)]")
        escaped = re.sub(r"[$`]", r"\\\g<0>", inner)
        name, value = self.pick("n", "m"), self.pick("n", "$n", "${n}", "n+1", "1+$n", "(n)")
        given = self.pick(
            f"n='{inner}'; ",
            f'n="{escaped}"; ',
            f"for n in '{inner}'; do ",
            f"read n <<< '{inner}'; ",
            f": ${{n:='{inner}'}}; ",
            f"printf -v n %s '{inner}'; ",
            "",
        )
        if not given:
            value = self.pick(
                f"'{inner}'",
                f'"{escaped}"',
                f"$(echo '{inner}')",
                f"${{u:-'{inner}'}}",
                f'${{u-"{escaped}"}}',
                escaped,
                inner,
            )
        found = self.pick(
            f"(({value}))",
            f"(( {name} = {value} + 1 ))",
            f"a $(({value}))",
            f"a $[{value}]",
            f"a ${{q[{value}]}}",
            f"a ${{q[@]:{value}}}",
            f"a ${{HOME:{value}}}",
            f'a "${{HOME:0:{value}}}"',
            f"a ${{?:{value}}}",
            f"q[{value}]=1",
            f"q=([{value}]=1)",
            f"q+=(1 [{value}]+=1)",
            f"[[ {value} -eq 1 ]]",
            f"[[ -n a && ! 1 -lt {value} ]]",
            f"[[ -v q[{value}] ]]",
            f"for ((i={value};0;)); do a; done",
            f"while ((0 && {value}, {value})); do break; done",
            f"a <<< $(({value}))",
            f"a {{q[{value}]}}>out1",
            f"RANDOM={value}",
        )
        return given + found + ("; done" if "do " in given else "")

    def broken(self, line: str) -> str:
        """The line with some characters changed, as nobody would write it."""
        text = list(line)
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randrange(len(text) + 1)
            if self.random.random() < 0.4 and text:
                del text[min(at, len(text) - 1)]
            else:
                text.insert(at, self.random.choice(SPECIAL))
        return "".join(text)
