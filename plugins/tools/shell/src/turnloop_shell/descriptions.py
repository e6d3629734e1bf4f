"""What the model is told about Bash."""

from __future__ import annotations

from turnloop_core.api import Descriptions

_DESCRIPTIONS = Descriptions(
    terse=(
        "Run a command with bash in the working folder. No input; cd does not last. Long output "
        "is cut; end with & for the background."
    ),
    normal=(
        "Run a command with bash in the working folder. Every call is a new shell: cd and "
        "variables do not last. No terminal, no input: give answers by options. Output over 24,000 "
        "characters is cut in the middle and kept whole in a file. The time limit ends the command "
        "and all it started; end a command with & to leave it in the background."
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
        "that it started are ended, and you get the output so far. To leave a server running, end "
        "its command with &: the call returns at once, names the process, and it ends with the "
        "session. Commands that depend on each other belong in one call, joined by &&. For "
        "reading and changing files use Read, Write and Edit."
    ),
)


def descriptions(family: str) -> Descriptions:
    """The model should know which language it is to write."""
    texts = (_DESCRIPTIONS.terse, _DESCRIPTIONS.normal, _DESCRIPTIONS.verbose)
    return Descriptions(*(text.replace("bash", family) for text in texts))
