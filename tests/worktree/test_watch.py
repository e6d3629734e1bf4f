"""A session's eye on the project: how often it looks, what it shares, when it closes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
import pytest
from anyio.lowlevel import checkpoint

from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.changes import Changes
from turnloop_core.worktree.snapshot import Limits
from turnloop_core.worktree.watch import Worktree


@dataclass
class Clock:
    """Stands still, unless each look at it is to cost something."""

    now: float = 100.0
    step: float = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@dataclass
class Bench:
    project: Project
    tree: Worktree
    clock: Clock
    said: list[str] = field(default_factory=list)

    async def during(self, act: Callable[[], object], *, writes: bool = True) -> Changes | None:
        async with self.tree.call(writes=writes)() as watch:
            assert watch.changes is None
            act()
            self.clock.now += 0.001
        return watch.changes


def nothing() -> None:
    pass


def run(
    work: Callable[[Bench], Awaitable[None]],
    files: dict[str, str | bytes],
    *,
    step: float = 0.0,
    limits: Limits | None = None,
) -> None:
    async def main() -> None:
        with anyio.fail_after(30), temporary_project(files) as project:
            said: list[str] = []
            clock = Clock(step=step)
            tree = Worktree(project.root, notify=said.append, limits=limits, clock=clock)
            await work(Bench(project, tree, clock, said))

    anyio.run(main)


def test_what_changes_within_is_seen() -> None:
    async def work(bench: Bench) -> None:
        seen = await bench.during(lambda: bench.project.write("b", "new"))
        assert seen == Changes(added=("b",))
        assert await bench.during(nothing) == Changes()
        seen = await bench.during(lambda: bench.project.path("a").unlink())
        assert seen == Changes(removed=("a",))

    run(work, {"a": "1"})


def test_the_look_after_one_command_is_the_look_before_the_next() -> None:
    async def work(bench: Bench) -> None:
        for _ in range(10):
            await bench.during(nothing)
        assert bench.tree.looks == 11

    run(work, {"a": "1"})


def test_calls_that_only_read_do_not_come_between() -> None:
    async def work(bench: Bench) -> None:
        await bench.during(nothing)
        bench.tree.call(writes=False)
        await bench.during(nothing)
        assert bench.tree.looks == 3

    run(work, {"a": "1"})


def test_what_another_call_wrote_is_not_the_commands() -> None:
    async def work(bench: Bench) -> None:
        await bench.during(nothing)
        bench.tree.call(writes=True)
        bench.project.write("by-write", "x")
        assert await bench.during(nothing) == Changes()
        assert bench.tree.looks == 4

    run(work, {"a": "1"})


def test_what_the_user_changed_in_between_is_not_the_commands() -> None:
    async def work(bench: Bench) -> None:
        await bench.during(nothing)
        bench.project.write("by-user", "x")
        bench.clock.now += 0.06
        assert await bench.during(nothing) == Changes()

    run(work, {"a": "1"})


def test_nothing_is_known_when_what_is_within_raises() -> None:
    async def work(bench: Bench) -> None:
        def fail() -> None:
            bench.project.write("b", "x")
            raise ValueError("it failed")

        with pytest.raises(ValueError, match="it failed"):
            await bench.during(fail)
        assert bench.tree.looks == 1
        assert await bench.during(nothing) == Changes()  # b is not put to this one's account
        assert bench.tree.looks == 3

    run(work, {"a": "1"})


def test_it_closes_after_giving_up_twice_in_a_row_and_says_so_once() -> None:
    async def work(bench: Bench) -> None:
        why = "there are more than 2 files"
        assert await bench.during(nothing) == Changes(complete=False, why=why)
        for name in "bc":
            bench.project.path(name).unlink()
        assert await bench.during(nothing) == Changes()  # it fits again
        for name in "bcd":
            bench.project.write(name, "x")
        bench.clock.now += 1
        assert await bench.during(nothing) == Changes(complete=False, why=why)
        assert bench.said == []
        assert await bench.during(nothing) == Changes(complete=False, why=why)
        assert bench.said == [why]
        looks = bench.tree.looks
        assert await bench.during(nothing) is None
        assert await bench.tree.look() is None
        assert (bench.tree.looks, bench.tree.off, bench.said) == (looks, True, [why])

    run(work, {"a": "1", "b": "2", "c": "3"}, limits=Limits(files=2))


def test_it_gives_up_after_a_command_that_made_too_many_files() -> None:
    async def work(bench: Bench) -> None:
        def unpack() -> None:
            for n in range(20):
                bench.project.write(f"f{n}", "x")

        why = "there are more than 9 files"
        assert await bench.during(unpack) == Changes(complete=False, why=why)
        assert not bench.tree.off

    run(work, {"a": "1"}, limits=Limits(files=9))


def test_dear_looks_take_a_twentieth_of_the_time() -> None:
    async def work(bench: Bench) -> None:
        async def turns(apart: float) -> int:
            known = 0
            for _ in range(200):
                bench.clock.now += apart
                seen = await bench.during(nothing)
                known += seen == Changes()
            return known

        began = bench.clock.now
        known = await turns(apart=0.0)
        passed = bench.clock.now - began
        assert 1 < known < 200
        newest = await bench.tree.look()
        assert newest is not None
        assert newest.seconds > 0.02
        assert (bench.tree.looks - 1) * newest.seconds < 1 + 0.05 * passed + 2 * newest.seconds
        bench.clock.now += 60
        assert await turns(apart=200 * newest.seconds) == 200  # at leisure all are watched

    run(work, {f"{n}/x": "1" for n in range(20)}, step=0.01, limits=Limits(seconds=1e9))


def test_large_projects_are_looked_at_in_a_thread() -> None:
    async def work(bench: Bench) -> None:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await checkpoint()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tick)
            await checkpoint()
            seen = await bench.during(lambda: bench.project.write("new", "x"))
            tasks.cancel_scope.cancel()
        assert seen == Changes(added=("new",))
        assert ticks > 2  # the loop went on

    run(work, {f"{n % 20}/{n}": "" for n in range(1_200)})


def test_looks_that_are_wanted_at_the_same_time_are_shared() -> None:
    async def work(bench: Bench) -> None:
        seen: list[Changes | None] = []
        entered = 0
        all_in = anyio.Event()

        async def command(n: int) -> None:
            nonlocal entered
            async with bench.tree.call(writes=True)() as watch:
                entered += 1
                if entered == 6:
                    all_in.set()
                await all_in.wait()
                bench.project.write(f"new{n}", "x")
            seen.append(watch.changes)

        async with anyio.create_task_group() as tasks:
            for n in range(6):
                tasks.start_soon(command, n)
        assert bench.tree.looks < 8  # of the twelve that were wanted
        found = {path for changes in seen if changes for path in changes.added}
        assert found == {f"new{n}" for n in range(6)}
        # Each has seen its own change, whatever it saw of the others'.
        assert all(changes is not None and changes.complete for changes in seen)

    run(work, {f"{n % 20}/{n}": "" for n in range(1_200)})


def test_a_command_sees_its_own_change_though_others_look_at_the_same_time() -> None:
    async def work(bench: Bench) -> None:
        async def command(n: int) -> None:
            for round_ in range(3):
                async with bench.tree.call(writes=True)() as watch:
                    await checkpoint()
                    bench.project.write(f"{n}-{round_}", "x")
                assert watch.changes is not None
                assert f"{n}-{round_}" in watch.changes.added

        async with anyio.create_task_group() as tasks:
            for n in range(5):
                tasks.start_soon(command, n)

    run(work, {f"{n % 20}/{n}": "" for n in range(1_100)}, step=1e-6)


def test_it_can_be_interrupted_while_it_looks() -> None:
    async def work(bench: Bench) -> None:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await bench.during(nothing)
        assert scope.cancelled_caught
        assert await bench.during(lambda: bench.project.write("b", "x")) == Changes(added=("b",))

    run(work, {f"{n % 20}/{n}": "" for n in range(1_200)})
