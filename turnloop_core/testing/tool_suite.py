"""Checks that every tool must pass.

    class TestRead(ToolConformance):
        entry = registered(turnloop_mine.plugin, "register_tools")["Read"]
        files = {"notes/a.txt": "one\\ntwo\\n"}

        def valid(self, project):
            return {"file_path": str(project.path("notes/a.txt"))}

Every check makes the tool anew, in a project of its own.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, get_args

from turnloop_core.errors import TurnloopError
from turnloop_core.ports.tool import Tool
from turnloop_core.registry import ToolEntry, load_object
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.processes import kill, marked_processes, new_mark
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.testing.schema_check import schema_problems
from turnloop_core.testing.tool_bench import Bench, covered, start_and_cancel
from turnloop_core.testing.unabridged import Conformance
from turnloop_core.testing.watch import watched
from turnloop_core.types.codec import from_json, to_json
from turnloop_core.types.content import Image, Text
from turnloop_core.types.facts import Fact, OtherFact
from turnloop_core.types.results import Result
from turnloop_core.types.subjects import PermissionMode, SubjectKind

ODD_NAME = "mein Projekt (ü) 日本 & more"
SECRET = "NOT-FOR-THE-MODEL"  # noqa: S105 - bait, not a password
PATHS = (SubjectKind.READ, SubjectKind.WRITE)
# Kinds of subjects whose effects on the project cannot be told from the subject.
OPEN_ENDED = (SubjectKind.COMMAND, SubjectKind.MCP, SubjectKind.TOOL)


class ToolConformance(Conformance, ABC):
    """What holds for every tool.

    Attributes:
        entry: what the plugin registers.
        files: the project: path -> content.
        settings: the plugin's section of settings.
    """

    entry: ClassVar[ToolEntry]
    files: ClassVar[Mapping[str, str | bytes]] = {}
    settings: ClassVar[Any] = None

    @abstractmethod
    def valid(self, project: Project) -> dict[str, Any]:
        """Arguments, as the model would send them, with which the tool succeeds in `project`.

        A tool that can write must write something with them.
        """

    def long_running(self, project: Project) -> dict[str, Any] | None:
        """Arguments that start a process which runs for minutes; None where there are none."""
        return None

    def make(self, project: Project) -> Tool:
        """The tool, made by its factory."""
        context = factory_context(project, self.entry.name, settings=self.settings)
        tool: Tool = load_object(self.entry.load)(context)
        return tool

    @contextmanager
    def bench(self, name: str = "project") -> Iterator[Bench]:
        """The tool in a new project."""
        with temporary_project(self.files, name=name) as project:
            yield Bench(self.make(project), project, self.valid(project))

    def test_name(self) -> None:
        """The name is the registered one, and one that every wire accepts."""
        with self.bench() as bench:
            name = bench.tool.name
        assert name == self.entry.name, f"{name!r} is registered as {self.entry.name!r}"
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,63}", name), f"{name!r} is no name for a tool"

    def test_descriptions(self) -> None:
        """There are three descriptions, each no shorter than the one before."""
        with self.bench() as bench:
            told = bench.tool.descriptions
        lengths = [len(text.strip()) for text in (told.terse, told.normal, told.verbose)]
        assert lengths[0] > 0, "the terse description is empty"
        assert lengths == sorted(lengths), f"terse, normal, verbose have {lengths} characters"

    def test_schema(self) -> None:
        """The schema is an object schema, plain JSON, finite, and describes every property."""
        with self.bench() as bench:
            schema = bench.tool.arguments.model_json_schema()
        problems = schema_problems(schema)
        assert not problems, "; ".join(problems)
        known = set(schema.get("properties", {}))
        unknown = set(self.entry.bulk_args) - known
        assert not unknown, f"bulk_args names no argument: {', '.join(sorted(unknown))}"

    def test_subjects_only_look(self) -> None:
        """Naming the subjects opens, starts and changes nothing."""
        with self.bench() as bench:
            args, before = bench.args, bench.project.snapshot()
            with watched() as seen:
                bench.tool.subjects(args, bench.project.scope)
            opened = seen.opened_below(bench.project.base)
            assert not opened, f"subjects() opened {opened}"
            assert not seen.other, f"subjects() did {seen.other}"
            assert bench.project.snapshot() == before, "subjects() changed the project"

    def test_subjects_are_stable(self) -> None:
        """The same arguments have the same subjects."""
        with self.bench() as bench:
            first, second = bench.subjects, bench.subjects
            again = tuple(self.make(bench.project).subjects(bench.args, bench.project.scope))
        assert first == second == again, f"subjects differ: {first} {second} {again}"

    def test_path_subjects_are_real(self) -> None:
        """A path subject names a real absolute path, and says something to the user."""
        with self.bench() as bench:
            for subject in bench.subjects:
                if subject.kind in PATHS:
                    real = os.path.realpath(subject.narrow)
                    assert subject.narrow == real, f"{subject.narrow} is really {real}"
                assert subject.narrow, f"a subject without a name: {subject}"

    def test_subjects_cover_the_run(self) -> None:
        """The run opens and changes what the subjects name, and nothing else of the project."""
        with self.bench() as bench:
            subjects, tried = bench.subjects, bench.try_it()
            assert not isinstance(tried.error, TurnloopError), f"refused: {tried.error}"
            paths = [s for s in subjects if s.kind in PATHS]
            for path, writing in tried.seen.opened_below(bench.project.root):
                kinds = (SubjectKind.WRITE,) if writing else PATHS
                assert covered(path, paths, kinds), f"the run opened {path}: no subject names it"
            if any(subject.kind in OPEN_ENDED for subject in subjects):
                return
            for name in tried.changed:
                path = str(bench.project.base / name)
                named = covered(path, paths, (SubjectKind.WRITE,), parents=True)
                assert named, f"the run changed {name}: no write subject names it"

    def test_gives_a_result(self) -> None:
        """A valid call succeeds, and its result has content."""
        with self.bench() as bench:
            tried = bench.try_it()
        assert tried.error is None, f"raised {tried.error!r}"
        result = tried.result
        assert isinstance(result, Result), f"run returned {result!r}"
        assert result.ok, f"a valid call failed: {result.error}: {result.text}"
        assert result.content, "the result has no content: a silent tool says so in words"
        for block in result.content:
            assert isinstance(block, (Text, Image)), f"{block!r} cannot be content"
            assert not isinstance(block, Text) or block.text.strip(), "the content has a blank text"

    def test_works_in_an_odd_place(self) -> None:
        """Blanks, brackets and letters of any script in the path change nothing."""
        with self.bench(ODD_NAME) as bench:
            tried = bench.try_it()
        assert tried.error is None, f"raised {tried.error!r}"
        assert tried.result is not None, "there is no result"
        assert tried.result.ok, f"failed: {tried.result.text}"

    def test_facts(self) -> None:
        """Facts are of known kinds, survive the log, and name real absolute paths."""
        with self.bench() as bench:
            result = bench.try_it().result
            for fact in result.facts if result else ():
                assert isinstance(fact, get_args(Fact)), f"{fact!r} is not a fact"
                assert not isinstance(fact, OtherFact), f"{fact!r} is of no known kind"
                stored = json.loads(json.dumps(to_json(fact)))
                assert from_json(Fact, stored) == fact, f"{fact!r} does not survive the log"
                path = getattr(fact, "path", None)
                assert path is None or os.path.realpath(path) == path, f"{path} is not real"

    def test_read_only_means_it(self) -> None:
        """A tool that is registered as read-only names nothing to write and changes nothing."""
        if not self.entry.read_only:
            return
        with self.bench() as bench:
            kinds = {subject.kind for subject in bench.subjects}
            tried = bench.try_it()
        assert not kinds & {SubjectKind.WRITE, SubjectKind.COMMAND}, f"subjects are {kinds}"
        assert not tried.changed, f"a read-only tool changed {tried.changed}"

    def test_refuses_in_plan_mode(self) -> None:
        """A tool that is not read-only refuses in plan mode by itself, and changes nothing."""
        if self.entry.read_only:
            return
        with self.bench() as bench:
            tried = bench.try_it(PermissionMode.PLAN)
        refused = isinstance(tried.error, TurnloopError) or (
            tried.result is not None and not tried.result.ok
        )
        assert refused, "it ran in plan mode"
        assert not tried.changed, f"plan mode: it changed {tried.changed}"

    def test_what_was_judged_is_what_is_opened(self) -> None:
        """A file that becomes a link after it was judged is neither read nor written."""
        with self.bench() as bench:
            count = len(_judged_files(bench))
        for place in range(count):
            with self.bench() as bench:
                path, secret = _judged_files(bench)[place], bench.project.outside / "secret.txt"
                secret.write_text(SECRET)

                def swap(path: Path = path, secret: Path = secret) -> None:
                    path.unlink()
                    path.symlink_to(secret)

                tried = bench.try_it(meanwhile=swap)
                told = tried.result.text if tried.result else ""
                assert SECRET not in told, f"{path} became a link, and was read through it"
                assert secret.read_text() == SECRET, f"{path} became a link, and was written"

    def test_leaves_no_processes(self) -> None:
        """Nothing runs on after a call, nor after one that was cancelled."""
        mark = new_mark()
        with self.bench() as bench:
            bench.try_it(environment=mark)
            left = marked_processes(mark)
            kill(left)
            assert not left, f"the call left processes: {left}"
            arguments = self.long_running(bench.project)
            if arguments is not None:
                started = start_and_cancel(Bench(bench.tool, bench.project, arguments), mark)
                left = marked_processes(mark)
                kill(left)
                assert started, "long_running() started no process"
                assert not left, f"the cancelled call left processes: {left}"


def _judged_files(bench: Bench) -> list[Path]:
    """Files that exist and that a path subject names."""
    named = {Path(s.narrow) for s in bench.subjects if s.kind in PATHS}
    return sorted(path for path in named if path.is_file())
