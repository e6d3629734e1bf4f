"""What the model is told about Bash and BashOutput."""

from __future__ import annotations

from turnloop_core.api import Descriptions

_DESCRIPTIONS = Descriptions(
    terse=(
        "Run a command with bash in the working folder. No input; cd does not last. Long output "
        "is cut."
    ),
    normal=(
        "Run a command with bash in the working folder. Every call is a new shell: cd and "
        "variables do not last. No terminal, no input: give answers by options. Output over 24,000 "
        "characters is cut in the middle and kept whole in a file. The time limit ends the command "
        "and all it started."
    ),
    verbose=(
        "Run a command with bash in the working folder. The result is its output, standard output "
        "and error together as they came, and its exit code when that is not 0. Every call is a "
        "new shell: cd, variables and functions do not last, so write cd DIR && COMMAND where you "
        "need it. There is no terminal and no input: what asks fails at once, pagers print "
        "straight through and editors fail, so give answers by options (git commit -m, --yes). "
        "Colours and progress bars are removed. Output over 24,000 characters is cut in the "
        "middle; the result names a file with all of it, and the end is always shown. At the time "
        "limit (120 seconds unless you say otherwise, at most 600) the command and every process "
        "that it started are ended, and you get the output so far. For a server "
        "or a long build set run_in_background: the call returns at once with an id, BashOutput "
        "shows what it prints, there is no time limit, and it ends with the session. Commands "
        "that depend on each other belong in one call, joined by &&. For "
        "reading and changing files use Read, Write and Edit."
    ),
)

OUTPUT_DESCRIPTIONS = Descriptions(
    terse="New output of a background command.",
    normal="Show what a background command of Bash printed since the last look, and its end.",
    verbose=(
        "Show what a command that Bash runs in the background printed since the last look, and "
        "whether it still runs; after its end also its exit code. With wait_s the call waits up to "
        "that many seconds (at most 600) for new output or the end: better than looking again and "
        "again. With kill the command and all that it started are ended. Without an id all "
        "commands in the background are listed."
    ),
)


def descriptions(family: str) -> Descriptions:
    """The model should know which language it is to write."""
    texts = (_DESCRIPTIONS.terse, _DESCRIPTIONS.normal, _DESCRIPTIONS.verbose)
    return Descriptions(*(text.replace("bash", family) for text in texts))
