"""A conformance suite means something only when all of it runs."""

from __future__ import annotations

import inspect


class Conformance:
    """Base of all suites. What begins with `test_` in a suite is a standard check."""

    def test_suite_is_unabridged(self) -> None:
        """No standard check was deleted, replaced or marked by the subclass."""
        assert_unabridged(type(self))


def standard_checks(cls: type) -> dict[str, object]:
    """Name -> function of every standard check that `cls` inherits from the kit."""
    home = __name__.rpartition(".")[0] + "."
    return {
        name: function
        for base in reversed(cls.__mro__)
        if issubclass(base, Conformance) and base.__module__.startswith(home)
        for name, function in vars(base).items()
        if name.startswith("test_")
    }


def assert_unabridged(cls: type) -> None:
    """Fail unless `cls` runs every standard check of its suites as it was written.

    Args:
        cls: a test class that derives from a suite of this kit.

    Raises:
        AssertionError: names the checks that are missing, replaced or marked (skip, xfail).
    """
    standard = standard_checks(cls)
    assert standard, f"{cls.__name__} derives from no conformance suite"
    changed = [
        name
        for name, function in standard.items()
        if inspect.getattr_static(cls, name, None) is not function
    ]
    assert not changed, f"{cls.__name__} replaces or removes standard checks: {', '.join(changed)}"
    assert not getattr(cls, "pytestmark", None), f"{cls.__name__} marks its standard checks"
    assert getattr(cls, "__test__", True), f"{cls.__name__} is not collected: __test__ is off"


def failing_checks(cls: type) -> dict[str, str]:
    """Run every standard check of a suite without pytest; name -> what failed, for those that did.

    For tests of suites: a wrong implementation must fail the check that is meant for it.
    """
    failed = {}
    for name in standard_checks(cls):
        try:
            getattr(cls(), name)()
        except Exception as error:  # noqa: BLE001 - a check that breaks has failed as well
            failed[name] = f"{type(error).__name__}: {error}"
    return failed
