"""The entry point of `tl`: what must be fast is answered here, what goes wrong ends here."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `tl`.

    Args:
        arguments: the command line without the program's name; None takes the process's own.

    Returns:
        The exit status (see `turnloop_core.errors`).
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given == ["--version"]:
        return _say_version()
    from turnloop_core.frontend.console import prepare_streams, settle_streams

    prepare_streams()
    gc.disable()  # imports make no garbage worth looking for; whoever runs for long enables it
    try:
        status = _guarded(given)
    finally:
        gc.enable()
    return settle_streams() or status


def _say_version() -> int:
    import contextlib
    import os

    from turnloop_core import __version__

    with contextlib.suppress(OSError):  # nobody may be reading
        os.write(1, f"turnloop {__version__}\n".encode())
    return 0


def _guarded(arguments: Sequence[str]) -> int:
    """Run, and turn whatever is raised into a line and an exit status."""
    try:
        return _dispatch(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0
    except (
        Exception,
        BaseExceptionGroup,
    ) as error:  # the last place: nothing may end in a traceback
        from turnloop_core.frontend.complain import complain

        return complain(error, arguments)


def _dispatch(arguments: Sequence[str]) -> int:
    from turnloop_core.frontend.options import parse_plain

    top = parse_plain(arguments)
    if top is None:
        from turnloop_core.frontend.cli import run

        return run(arguments)
    from turnloop_core.frontend.start import start

    return start(top)
