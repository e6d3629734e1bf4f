"""Several edits in one call: all of them, or none."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from turnloop_core.api import ErrorKind, PermissionMode, SubjectKind, WroteFile
from turnloop_core.testing.contexts import registered
from turnloop_files import plugin
from turnloop_files.edit import Edit
from turnloop_files.edit_arguments import EditArguments
from turnloop_files.seen import Copies, digest_of

TEXT = "import a\n\ndef f(x):\n    return x\n\ndef g(x):\n    return x\n"


def test_all_are_made_in_one_write(make_desk):
    desk = make_desk({"a.py": TEXT})
    desk.read("a.py")
    result = desk.edit_all(
        "a.py", ("def g(x):", "def g(y):"), ("import a", "import a\nimport b"), ("f(x)", "f(z)")
    )
    now = TEXT.replace("g(x)", "g(y)").replace("f(x)", "f(z)").replace("a\n", "a\nimport b\n", 1)
    assert desk.bytes("a.py").decode() == now
    assert result.text == "edited a.py: 3 edits at lines 1, 4, 7"
    path = str(desk.project.path("a.py"))
    digest, before = digest_of(now.encode()), digest_of(TEXT.encode())
    assert result.facts == (WroteFile(path, len(now), digest, before=before),)
    assert result.display.startswith("--- a.py\n+++ a.py\n@@ ")
    assert "-def f(x):\n+def f(z):" in result.display
    assert "-def g(x):\n+def g(y):" in result.display


def test_each_is_matched_against_the_file_as_it_is(make_desk):
    desk = make_desk({"a": "one two\n"})
    assert desk.edit_all("a", ("one", "two"), ("two", "one")).ok  # an exchange
    assert desk.bytes("a") == b"two one\n"
    assert desk.edit_all("a", ("two", "one one"), ("one", "1")).ok  # unique before, not after
    assert desk.bytes("a") == b"one one 1\n"


def test_edits_may_touch(make_desk):
    desk = make_desk({"a": b"ab\r\ncd\r\n"})
    assert desk.edit_all("a", ("a", "1"), ("b\n", "2\n3\n"), ("cd", "4")).ok
    assert desk.bytes("a") == b"12\r\n3\r\n4\r\n"


def test_one_that_does_not_fit_stops_all_and_every_fault_is_told(make_desk):
    desk = make_desk({"a.py": TEXT})
    result = desk.edit_all(
        "a.py",
        ("import a", "import b"),
        ("return x", "return y"),
        ("def  g(x):", "def g(y):"),
        ("import zzz", "!"),
    )
    assert result.error is ErrorKind.TOOL_ERROR
    assert (desk.bytes("a.py").decode(), result.facts) == (TEXT, ())
    assert result.text == (
        "Nothing was written, none of the 4 edits was made.\n"
        "edit 2: old_string fits 2 places in a.py (lines 4, 7). "
        "Quote more lines around the one you mean, or set replace_all.\n"
        "edit 3: old_string is not in a.py. Ignoring white space it fits at line 6. "
        "White space differs: you sent 'def  g(x):', line 6 is 'def g(x):'.\n6\tdef g(x):\n"
        "edit 4: old_string is not in a.py. The nearest passage is at line 1. "
        "You sent 'import zzz'; line 1 differs.\n1\timport a\n"
        "Send all the edits again, with this mended."
    )


@pytest.mark.parametrize(
    "pairs",
    [
        (("one two", "1"), ("two three", "2")),
        (("two three", "2"), ("one two", "1")),
        (("one two three", "1"), ("two", "2")),
        (("two", "1"), ("two", "2")),
    ],
)
def test_edits_that_overlap_are_refused(make_desk, pairs):
    desk = make_desk({"a": "zero\none two three\n"})
    result = desk.edit_all("a", *pairs)
    assert result.error is ErrorKind.TOOL_ERROR
    assert "edits 1 and 2 overlap at line 2: every edit is matched against" in result.text
    assert desk.bytes("a") == b"zero\none two three\n"


def test_an_edit_of_what_another_brings_is_refused_with_the_reason(make_desk):
    desk = make_desk({"a": "one\n"})
    result = desk.edit_all("a", ("one", "two"), ("two", "three"))
    assert "edit 2: old_string is not in a. It stands in the new text of edit 1" in result.text
    assert desk.bytes("a") == b"one\n"


def test_sent_twice_it_is_already_applied(make_desk):
    desk = make_desk({"a.py": TEXT})
    pairs = (("import a", "import a\nimport b"), ("def g(x):", "def g(y):"))
    assert desk.edit_all("a.py", *pairs).ok
    now = desk.bytes("a.py")
    for _ in range(3):
        again = desk.edit_all("a.py", *pairs)
        assert (again.ok, again.facts, desk.bytes("a.py")) == (True, (), now)
        assert again.text == (
            "already applied: the new texts of all edits stand in a.py at lines 1, 7, and "
            "nothing was written. Read the file again if you are not sure, and move on."
        )


def test_those_that_are_applied_already_are_told_and_the_rest_is_made(make_desk):
    desk = make_desk({"a.py": TEXT})
    assert desk.edit("a.py", "def g(x):", "def g(y):").ok
    result = desk.edit_all(
        "a.py",
        ("import a", "import a\nimport b"),
        ("def g(x):", "def g(y):"),
        ("f(x)", "f(x)"),
        ("import a", "import a\nimport b"),
    )
    assert result.text == (
        "edited a.py: 1 edit at line 1\n"
        "[edit 2 was already applied: its new text stands at line 7]\n"
        "[edits 3, 4: no change, or the same as another]"
    )
    assert desk.bytes("a.py").decode() == (
        TEXT.replace("import a\n", "import a\nimport b\n").replace("g(x)", "g(y)")
    )


def test_edits_that_change_nothing(make_desk):
    result = make_desk({"a": "x\ny\n"}).edit_all("a", ("x", "x"), ("y", "y"))
    assert (result.text, result.ok, result.facts) == ("no change: a would stay as it is.", True, ())


def test_replace_all_holds_for_the_list_and_for_one(make_desk):
    desk = make_desk({"a": "x y x y\n"})
    result = desk.edit_all("a", ("x", "1"), ("y", "2"), replace_all=True)
    assert result.text == "edited a: 2 edits, 4 replacements at line 1"
    assert desk.bytes("a") == b"1 2 1 2\n"
    edits = [
        {"old_string": "1", "new_string": "x", "replace_all": True},
        {"old_string": "2", "new_string": "y"},
    ]
    assert "edit 2: old_string fits 2" in desk.call("Edit", file_path="a", edits=edits).text
    edits[1]["old_string"] = "2 1 2"
    edits[0]["old_string"] = "z"
    assert not desk.call("Edit", file_path="a", edits=edits).ok
    assert desk.bytes("a") == b"1 2 1 2\n"


def test_many_misfits_are_bounded_in_words(make_desk):
    desk = make_desk({"a": "".join(f"line number {n}\n" for n in range(500))})
    pairs = [(f"line numbr {n}", "x") for n in range(100)]
    result = desk.edit_all("a", *pairs)
    assert result.text.count("nearest passage") == 5
    rest = ", ".join(str(n) for n in range(6, 101))
    assert f"\nedits {rest}: misfits too, in no place or in several.\nSend" in result.text
    assert len(result.text) < 1_800


def test_many_that_overlap_are_bounded_in_words(make_desk):
    text = "".join(f"{n:03}," for n in range(100))
    desk = make_desk({"a": text})
    result = desk.edit_all("a", *((text[n * 4 : n * 4 + 7], "x") for n in range(99)))
    assert "\nSo do 93 other pairs.\n" in result.text
    assert len(result.text) < 900


def test_many_that_are_applied_already_are_bounded_in_words(make_desk):
    desk = make_desk({"a": "new text\nlast\n" + "".join(f"value_{n} = 2\n" for n in range(99))})
    pairs = [(f"value_{n} = 1", f"value_{n} = 2") for n in range(99)]
    result = desk.edit_all("a", ("last", "LAST"), *pairs)
    assert result.text.count("its new text stands at line") == 5
    assert result.text.endswith("98, 99, 100 were already applied too]")


def test_more_than_a_hundred_edits_are_refused():
    edits = [{"old_string": f"{n}", "new_string": "x"} for n in range(100)]
    EditArguments.model_validate({"file_path": "a", "edits": edits})
    with pytest.raises(ValidationError, match=r"101 edits are too many .* at most 100 at a time"):
        EditArguments.model_validate({"file_path": "a", "edits": [*edits, edits[0]]})


def test_a_false_claim_does_not_let_the_rest_through(make_desk):
    text = "class A:\n    pass\n"
    desk = make_desk({"a.py": text})
    result = desk.edit_all("a.py", ("class A:", "class B:"), ("value = compute(now)", "pass"))
    assert result.error is ErrorKind.TOOL_ERROR
    assert "none of the 2 edits was made" in result.text
    assert desk.bytes("a.py").decode() == text


def test_refusals_name_the_edit(make_desk):
    desk = make_desk({"a": "x\ny\n"})
    assert "old_string of edit 2 is empty." in desk.edit_all("a", ("x", "1"), ("", "2")).text
    assert "lone surrogate" in desk.edit_all("a", ("x", "\udc00"), ("y", "2")).text
    plan = desk.edit_all("a", ("x", "1"), ("y", "2"), mode=PermissionMode.PLAN)
    assert plan.error is ErrorKind.DENIED
    assert desk.bytes("a") == b"x\ny\n"


def test_a_list_of_one_is_answered_as_one(make_desk):
    desk = make_desk({"a": "x\nx\n"})
    assert desk.edit_all("a", ("x", "y")).text.startswith("old_string fits 2 places in a (lines")


def test_one_character_that_the_encoding_lacks_stops_all(make_desk):
    desk = make_desk({"a": b"caf\xe9 one two\n"})
    result = desk.edit_all("a", ("one", "1"), ("two", "→"))
    assert "has no '→'. Nothing was written." in result.text
    assert desk.bytes("a") == b"caf\xe9 one two\n"


def test_a_change_elsewhere_is_told_once(make_desk):
    desk = make_desk({"a": "one\ntwo\nthree\n"})
    desk.read("a")
    desk.put("a", "one\ntwo\nDREI\n")
    result = desk.edit_all("a", ("one", "1"), ("two", "2"))
    assert desk.bytes("a") == b"1\n2\nDREI\n"
    assert result.text.count("the file had changed elsewhere since you read it") == 1
    desk.put("a", "1\n2\nTROIS\n")
    refused = desk.edit_all("a", ("1", "one"), ("DREI", "3"))
    assert "none of the 2 edits was made. The file changed since you read it." in refused.text
    assert desk.bytes("a") == b"1\n2\nTROIS\n"


LIST = [{"old_string": "x", "new_string": "y"}]


@pytest.mark.parametrize(
    "given",
    [
        {"edits": LIST},
        {"edits": json.dumps(LIST)},
        {"edits": LIST[0]},
        {"edits": LIST, "old_string": "", "new_string": "", "replace_all": None},
        {"edits": None, "old_string": "x", "new_string": "y"},
        {"edits": [], "old_string": "x", "new_string": "y"},
    ],
)
def test_ways_in_which_models_say_it(given):
    (change,) = EditArguments.model_validate({"file_path": "a", **given}).changes
    assert (change.old, change.new, change.everywhere) == ("x", "y", False)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "old_string and new_string missing"),
        ({"old_string": "x"}, "new_string missing"),
        ({"new_string": "x"}, "old_string missing"),
        ({"edits": []}, "old_string and new_string missing"),
        ({"edits": LIST, "old_string": "x", "new_string": "y"}, "either old_string and new_string"),
        ({"edits": [{"old_string": "x"}]}, "edits.0.new_string\n  Field required"),
        ({"edits": "x -> y"}, "valid list"),
        ({"edits": [["x", "y"]]}, "edits.0"),
    ],
)
def test_what_is_missing_is_named(given, words):
    with pytest.raises(ValidationError, match=words.replace(".", r"\.")):
        EditArguments.model_validate({"file_path": "a", **given})


def test_subjects_and_what_may_be_trimmed(make_desk):
    desk = make_desk({"a": "x"})
    entry = registered(plugin, "register_tools")["Edit"]
    assert entry.bulk_args == ("old_string", "new_string")
    args = EditArguments.model_validate({"file_path": "a", "edits": LIST})
    subjects = Edit(Copies()).subjects(args, desk.project.scope)
    assert [subject.kind for subject in subjects] == [SubjectKind.WRITE, SubjectKind.READ]
