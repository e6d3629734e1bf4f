"""Arguments of a call that is only judged: what a tool takes, what fits, what is left out.

A call whose arguments do not fit would never run. What can be told of it is told all the same: deny
rules speak of the arguments that do fit. Arguments that are merely left out change nothing, as long
as the tool can say without them what it would touch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class Fitted:
    """Arguments, as far as they fit.

    Attributes:
        value: an object of the tool's own model, None where none could be made.
        misfits: what does not fit, in words.
    """

    value: Any
    misfits: tuple[str, ...] = ()


def fields_of(model: Any) -> frozenset[str]:
    """The names that a tool's arguments have."""
    return frozenset(getattr(model, "model_fields", ()))


def fit(model: Any, arguments: Mapping[str, Any]) -> Fitted:
    """Arguments as an object of `model`, without those that do not fit."""
    from pydantic import ValidationError

    misfits: list[str] = []
    rest = dict(arguments)
    for _ in range(2):  # what is dropped may let another complaint through
        try:
            return Fitted(model.model_validate(rest), tuple(misfits))
        except ValidationError as error:
            wrong = {str(e["loc"][0]): _complaint(e) for e in error.errors() if _is_misfit(e)}
            misfits += wrong.values()
            rest = {name: value for name, value in rest.items() if name not in wrong}
        except Exception as error:  # noqa: BLE001 - a foreign model may raise anything
            return Fitted(None, (*misfits, f"{type(error).__name__}: {error}"))
    construct = getattr(model, "model_construct", None)
    return Fitted(construct(**rest) if construct else None, tuple(misfits))


def _is_misfit(error: Any) -> bool:
    """It is about one argument that is there; those that are missing, or go together, may come."""
    return bool(error["loc"]) and not (error["type"] == "missing" and len(error["loc"]) == 1)


def _complaint(error: Any) -> str:
    where = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return f"{where} is no argument of it"
    said = error["msg"].removeprefix("Value error, ")
    return f"{where}: {said[:1].lower()}{said[1:]}"
