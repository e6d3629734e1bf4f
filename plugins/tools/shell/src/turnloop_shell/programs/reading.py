"""Options, read as programs read them: clustered, glued, shortened, ended by `--`.

Words that are not known (variables, substitutions, wildcards) may be options where the text in
front of the unknown part leaves that open. Then `Given.known` is False, and the word still counts
as an operand. Wildcards stand for names of files, and few files begin with a dash; so `*.py` is an
operand and nothing else, unless an option of the program could run code out of such a name. A word
that nobody knows is taken for a possible option, unless no option of the program matters.
"""

from __future__ import annotations

from collections.abc import Sequence

from turnloop_shell.programs.options import DANGER, Given, Option, Role, Spec, tables_of
from turnloop_shell.programs.use import Effect
from turnloop_shell.syntax.words import WILDCARDS, Literal, Word

_CODE = frozenset({Role.CODE, Role.ACTION, Role.REFUSED, Role.FOREIGN})


def read_options(words: Sequence[Word], spec: Spec) -> Given:
    """Tell options, their values and operands apart. `words` are those after the program."""
    return _Reader(words, spec).read()


class _Reader:
    """One pass over the words."""

    def __init__(self, words: Sequence[Word], spec: Spec) -> None:
        self._words = words
        self._spec = spec
        self._place = 0
        self._options: list[Option] = []
        self._operands: list[Word] = []
        self._doubt = ""

    def read(self) -> Given:
        if self._spec.literal:
            self._rest()
        elif self._spec.bundled and self._words:
            self._bundle()
        while self._place < len(self._words):
            word = self._next()
            if word.known and word.text == "--":
                self._rest()
            elif self._dashed(word):
                self._option(word)
            else:
                self._operand(word)
        return Given(
            tuple(self._options), tuple(self._operands), not self._doubt, doubt=self._doubt
        )

    def _next(self) -> Word:
        self._place += 1
        return self._words[self._place - 1]

    def _rest(self) -> None:
        self._operands += self._words[self._place :]
        self._place = len(self._words)

    @staticmethod
    def _dashed(word: Word) -> bool:
        return word.prefix.startswith("-") and not (word.known and word.text == "-")

    def _operand(self, word: Word) -> None:
        if not word.known and not word.prefix and self._may_be_option(word):
            self._doubtful(word.source)
        self._operands.append(word)
        if self._spec.stops:
            self._rest()

    def _may_be_option(self, word: Word) -> bool:
        """Whether a word without a known beginning has to be taken for a possible option."""
        if _harmless(self._spec):
            return False
        first = next(part for part in word.parts if not isinstance(part, Literal) or part.text)
        if not isinstance(first, Literal):
            return True
        risky = _roles(self._spec)
        if Role.PROGRAM in risky and _ends_wild(word):
            # Only a bare `*` can give `--pre=sh`: no program on the path is called `x.py`.
            return True
        return not _CODE.isdisjoint(risky)

    def _doubtful(self, text: str) -> None:
        self._doubt = self._doubt or text

    def _unknown(self, name: str, word: Word, value: Word | None = None) -> None:
        self._options.append(Option(name, value, None, known=False))
        if not self._spec.lenient or not word.known:
            self._doubtful(word.source or word.text)

    def _option(self, word: Word) -> None:
        text = word.prefix
        if text.startswith("--"):
            self._long(word, text, 2)
        elif self._spec.numbers and word.known and text[1:].isdigit():
            self._options.append(Option(text[1:], None, None, known=True))
        elif not self._single(word, text):
            self._cluster(word, text)

    def _single(self, word: Word, text: str) -> bool:
        """Read a long option with one dash; False if it is none."""
        name = text[1:].partition("=")[0]
        if not self._spec.single_dash or len(name) < 2 or name not in _long_names(self._spec):
            return False
        self._long(word, text, 1)
        return True

    def _long(self, word: Word, text: str, dashes: int) -> None:
        name, glued, _ = text[dashes:].partition("=")
        value = word.without(dashes + len(name) + 1) if glued else None
        if not glued and not word.known:  # the name itself is not all there
            self._unknown(name, word)
            return
        full, certain = self._full(name)
        if full is None:
            self._unknown(name, word, value)
            return
        if not certain:
            self._doubtful(word.source)
        if full in self._spec.pairs:
            value = (self._value(), self._value())[1]
        elif full in self._spec.values and value is None:
            value = self._value()
        self._options.append(Option(full, value, self._role(full), known=certain))

    def _full(self, name: str) -> tuple[str | None, bool]:
        """The option that a possibly shortened name stands for, and whether that is certain."""
        names = _long_names(self._spec)
        if name in names:
            return name, True
        found = [full for full in names if full.startswith(name)] if self._spec.shortened else []
        if not found or not name:
            return None, False
        found.sort(key=lambda full: (DANGER.index(self._role(full)), full))
        return found[0], len(found) == 1

    def _role(self, name: str) -> Role | None:
        return next((table[name] for table in tables_of(self._spec) if name in table), None)

    def _value(self) -> Word | None:
        if self._place >= len(self._words):
            return None
        value = self._next()
        if _splits(value):
            self._doubtful(value.source)
        return value

    def _cluster(self, word: Word, text: str) -> None:
        """Short options in one word, the last of which may have its value glued on."""
        spec = self._spec
        for place, letter in enumerate(text[1:], 1):
            left = place + 1 < len(text) or not word.known
            pair = text[place : place + 2]
            if spec.single_dash and len(pair) == 2 and pair in spec.values:  # `zip -rTTcode`
                left = place + 2 < len(text) or not word.known
                value = word.without(place + 2) if left else self._value()
                self._options.append(Option(pair, value, spec.values[pair], known=True))
                return
            if letter in spec.values:
                value = word.without(place + 1) if left else self._value()
                self._options.append(Option(letter, value, spec.values[letter], known=True))
                return
            if letter in spec.optional:
                value = word.without(place + 1) if left else None
                self._options.append(Option(letter, value, spec.optional[letter], known=True))
                return
            if letter in spec.flags or letter in spec.flag_roles:
                self._options.append(Option(letter, None, spec.flag_roles.get(letter), known=True))
            else:
                glued = word.without(place + 1) if left else None
                self._unknown(letter, word, glued)
                if spec.single_dash:  # `-foo`: one option, no cluster
                    return
        if not word.known:
            self._unknown("", word)

    def _bundle(self) -> None:
        """The old style: letters without a dash, their values in the words that follow."""
        word = self._words[0]
        letters = word.text
        if not word.known or letters.startswith("-") or not letters:
            return
        self._next()
        for letter in letters:
            if letter in self._spec.values:
                value = self._value()
                self._options.append(Option(letter, value, self._spec.values[letter], known=True))
            elif letter in self._spec.flags or letter in (
                *self._spec.flag_roles,
                *self._spec.optional,
            ):
                self._options.append(Option(letter, None, self._role(letter), known=True))
            else:
                self._unknown(letter, word)


def _splits(word: Word) -> bool:
    """Whether the shell may make none or several words of it."""
    return word.wild or any(not isinstance(p, Literal) and not p.quoted for p in word.parts)


def _ends_wild(word: Word) -> bool:
    last = word.parts[-1]
    text = last.text if isinstance(last, Literal) and not last.quoted else ""
    return not isinstance(last, Literal) or text[-1:] in WILDCARDS | {"]"}


def _harmless(spec: Spec) -> bool:
    """Whether no option does more than change what a reading program shows."""
    return spec.effect is Effect.READS and not spec.cases and _roles(spec) <= {Role.TEXT}


def _roles(spec: Spec) -> set[Role]:
    return {role for table in tables_of(spec) for role in table.values()}


def _long_names(spec: Spec) -> set[str]:
    tables = (spec.long, *tables_of(spec))
    return {name for table in tables for name in table if len(name) > 1}
