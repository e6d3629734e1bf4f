"""The errors of turnloop, and the exit code that each leads to.

    TurnloopError                  1   something failed
    |-- UsageError                 2   what was asked for cannot be done as asked
    |   |-- SettingsError          2   a settings file or variable is wrong
    |   |-- UnknownNameError       2   no provider, tool, session ... of that name
    |   `-- ClashError             2   two plugins offer one name that is needed
    |-- PluginError                1   a plugin that is needed did not load
    |-- LogError                   1   the record cannot be read or written
    |   `-- SessionLockedError     1   another process writes to this session
    |-- PathChangedError           1   a path is not what it was when it was judged
    `-- ProviderError              1   a request failed; its class says what helps
        |-- RetryableError         5   waiting helps: overload, rate limit, lost connection
        |   `-- ColdBootError      5   the model is still loading
        |-- UnreachableError       5   no connection could be made
        |-- AuthError              5   the key is missing or refused
        |-- QuotaExhaustedError    5   waiting does not help
        |-- ContextOverflowError   1   only a smaller request can pass
        |-- StreamCutError         5   the reply ended without its ending mark
        |-- BadReplyError          1   the answer is not what the protocol says
        |-- RejectedCallError      1   the server refused the call that the model wrote
        |-- ReasoningRefusedError  1   earlier reasoning was sent back and is not accepted
        `-- RequestRefusedError    1   the same request will fail again

Every error has three readers. `str(error)` is one line for the user, `hint` is the next step to
take, `for_model` is what the model is told where the error becomes a result.
"""

from __future__ import annotations

from typing import ClassVar

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_LIMIT = 3
EXIT_REFUSED = 4
EXIT_PROVIDER = 5
EXIT_INTERRUPTED = 130


class TurnloopError(Exception):
    """Something failed.

    Args:
        message: one line that says what is wrong.
        hint: the next step to take, as a command where there is one.
    """

    exit_code: ClassVar[int] = EXIT_FAILED

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def for_model(self) -> str:
        """The error as a result that the model can act on."""
        return f"{self}. {self.hint}" if self.hint else str(self)


class UsageError(TurnloopError):
    """What was asked for cannot be done as asked."""

    exit_code = EXIT_USAGE


class SettingsError(UsageError):
    """A settings file or variable is wrong.

    `where` names the file with its line, or the variable.
    """

    def __init__(self, message: str, *, where: str = "", key: str = "", hint: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.where = where
        self.key = key


class UnknownNameError(UsageError):
    """Nothing is registered, or recorded, under that name."""


class ClashError(UsageError):
    """Two plugins offer one name, and this run needs it."""


class PluginError(TurnloopError):
    """A plugin that is needed did not load."""


class LogError(TurnloopError):
    """The record of a session cannot be read or written."""


class SessionLockedError(LogError):
    """Another process writes to this session."""


class PathChangedError(TurnloopError):
    """A path is not what it was when permission was given."""


class ProviderError(TurnloopError):
    """A request to a model failed.

    Attributes:
        status: HTTP status, 0 when there was none.
        retry_after: seconds that the answer asks to wait, None when it does not say.
        said: the server's own words, "" when it had none.
        type: the server's word for the kind of error, "" when it had none.
        code: the server's code, a word or digits, "" when the body had none.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        status: int = 0,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.retry_after = retry_after
        self.said = ""
        self.type = ""
        self.code = ""


class RetryableError(ProviderError):
    """Waiting helps."""

    exit_code = EXIT_PROVIDER


class ColdBootError(RetryableError):
    """The model is still loading."""


class UnreachableError(ProviderError):
    """No connection could be made."""

    exit_code = EXIT_PROVIDER


class AuthError(ProviderError):
    """The key is missing or was refused."""

    exit_code = EXIT_PROVIDER


class QuotaExhaustedError(ProviderError):
    """A quota is used up, or is zero: waiting does not help."""

    exit_code = EXIT_PROVIDER


class ContextOverflowError(ProviderError):
    """The request is too long for the model: the same request can only pass if it gets smaller."""


class StreamCutError(ProviderError):
    """The reply ended without its ending mark. `cause` is `dropped`, `closed` or `stalled`."""

    exit_code = EXIT_PROVIDER

    def __init__(
        self,
        message: str,
        *,
        cause: str = "closed",
        hint: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint, retry_after=retry_after)
        self.cause = cause


class BadReplyError(ProviderError):
    """The answer is not what the protocol says: HTML, an empty body, JSON of another shape."""


class RejectedCallError(ProviderError):
    """The server refused the call that the model wrote: a word to the model helps, not waiting.

    Some servers check names and arguments of calls themselves, and answer with an error where
    others would let the harness tell the model.
    """


class ReasoningRefusedError(ProviderError):
    """Signed or encrypted reasoning that was sent back is not accepted.

    The same request passes without the reasoning of earlier turns.
    """


class RequestRefusedError(ProviderError):
    """The server refused the request, and will refuse it again."""
