"""Every provider that litellm knows and we do not speak to ourselves.

litellm takes seconds and 200 MB to import, so that happens on a thread, and only when such a model is used.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from rescene_cli.core.errors import Interrupted, ProviderError, ProviderFault
from rescene_cli.core.json_text import bounded
from rescene_cli.core.llm import Request, StreamItem
from rescene_cli.core.runtime import Interrupt
from rescene_cli.llm import failures
from rescene_cli.llm.encoding import MessageCache
from rescene_cli.llm.feed import Feed, TooQuiet
from rescene_cli.llm.openai_chat import ChatReply, chat_entries, system_entries, tool_entries
from rescene_cli.llm.provider import Quirks
from rescene_cli.llm.reading import Json, Unreadable, told
from rescene_cli.llm.transport import Timeouts

INSTALL = "pip install 'rescene[providers]'"
_BY_CLASS = {
    "ContextWindowExceededError": ProviderFault.CONTEXT_OVERFLOW,
    "AuthenticationError": ProviderFault.AUTHENTICATION,
    "PermissionDeniedError": ProviderFault.AUTHENTICATION,
    "NotFoundError": ProviderFault.NOT_FOUND,
    "RateLimitError": ProviderFault.RATE_LIMITED,
    "Timeout": ProviderFault.TIMEOUT,
    "MidStreamFallbackError": ProviderFault.DROPPED,
}
# It takes what was sent for what its format says it is, and calls the outcome a stream that broke off.
_UNDECODABLE = (TypeError, ValueError, AttributeError, LookupError, RecursionError)


class LitellmClient:
    """Speaks to a provider through litellm. `settings` go into each call, as `api_base` and `api_key`.

    Raises ProviderError when litellm is not installed.
    """

    def __init__(self, timeouts: Timeouts | None = None, settings: Mapping[str, Any] | None = None) -> None:
        if importlib.util.find_spec("litellm") is None:
            raise ProviderError(
                "This provider is reached through litellm, which is not installed.",
                f"Install it: {INSTALL}",
                fault=ProviderFault.NOT_CONFIGURED,
            )
        self._timeouts = timeouts or Timeouts()
        self._settings = dict(settings or {})
        self._messages = MessageCache(lambda message, model: list(chat_entries(message, model, Quirks().call_id)))
        self._loading: threading.Thread | None = None
        self._loaded: Any = None
        self._failed: Exception | None = None

    def warm(self) -> None:
        """Begin the import in the background."""
        if self._loading is None:
            self._loading = threading.Thread(target=self._load, name="rescene-litellm", daemon=True)
            self._loading.start()

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[StreamItem]:
        """See `core.llm.LLM`."""
        self.warm()
        who = request.model.partition("/")[0]
        reply = ChatReply(request, who)
        feed: Feed[Json] = Feed(lambda feed: self._produce(request, feed))
        with told(who):
            with feed.running(interrupt):
                while (chunk := self._take(feed, interrupt, who)) is not None:
                    yield from reply.chunk(chunk)
            if not reply.whole:
                raise failures.dropped(who)
            yield from reply.finish()

    def _take(self, feed: Feed[Json], interrupt: Interrupt, who: str) -> Json | None:
        seconds = self._timeouts.quiet(streaming=False)
        try:
            return feed.take(interrupt, seconds)
        except TooQuiet:
            raise failures.too_quiet(who, seconds, ProviderFault.STALLED) from None
        except (ProviderError, Interrupted, Unreadable):
            raise
        except Exception as error:
            raise _translated(error, who) from error

    def _produce(self, request: Request, feed: Feed[Json]) -> None:
        """Runs on the feed's thread."""
        assert self._loading is not None
        self._loading.join()
        if self._failed is not None:
            raise ProviderError(
                f"litellm can't be loaded: {self._failed}",
                f"Install it again: {INSTALL}",
                fault=ProviderFault.NOT_CONFIGURED,
            ) from self._failed
        for chunk in self._loaded.completion(**self._call(request)):
            try:
                feed.put(bounded(chunk.model_dump()))
            except (ValueError, RecursionError) as error:
                message = "an event of it is no JSON of a depth that can be read"
                raise Unreadable(message) from error

    def _call(self, request: Request) -> dict[str, Any]:
        history = self._messages.encoded(request.messages, request.model)
        call: dict[str, Any] = {
            **self._settings,
            "model": request.model,
            "messages": [*system_entries(request.system), *(entry for entries in history for entry in entries)],
            "stream": True,
            "stream_options": {"include_usage": True},
            "num_retries": 0,
            "max_retries": 0,
            "timeout": self._timeouts.stall,
        }
        if request.tools:
            call["tools"] = tool_entries(request.tools)
        if request.effort:
            call["reasoning_effort"] = request.effort.value
        if request.max_output:
            call["max_tokens"] = request.max_output
        return call

    def _load(self) -> None:
        # Without these the import fetches a price list, and some names are looked up at a model hub.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logger = logging.getLogger(name)
            logger.setLevel(logging.CRITICAL)
            logger.propagate = False
        # Else values of a wrong type are told of on stderr; they are checked where they are read.
        warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
        try:
            import litellm

            litellm.suppress_debug_info = True  # else it prints advice on stdout
            litellm.telemetry = False
            litellm.REPEATED_STREAMING_CHUNK_LIMIT = 10**9  # else 100 equal pieces end a reply
            _quiet_loggers()
            self._loaded = litellm
        except Exception as error:  # noqa: BLE001 - a broken install fails in any way; the request says so
            self._failed = error


def _quiet_loggers() -> None:
    """The import gives its loggers handlers of their own."""
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).handlers[:] = [logging.NullHandler()]


def _translated(error: Exception, who: str) -> ProviderError:
    """litellm's error as ours, by class and status and by the code in its text."""
    status = getattr(error, "status_code", 0) or 0
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    message = re.sub(r"^((litellm\.)?\w+(Error|Timeout|Exception)?(: | - ))+", "", str(error))
    message = re.split(r"\.? (Original exception|Error_str):", message)[0]
    body = {"message": message, "code": getattr(error, "code", None)}
    known = _BY_CLASS.get(type(error).__name__)
    if known is ProviderFault.DROPPED and isinstance(_root(error), _UNDECODABLE):
        known = ProviderFault.MALFORMED
    if message.startswith("Connection error"):
        known = known or ProviderFault.UNREACHABLE
    return failures.from_parts(status if isinstance(status, int) else 0, headers, body, who, known)


def _root(error: BaseException) -> BaseException:
    """What litellm stumbled over, below its own errors."""
    for _ in range(9):
        cause = getattr(error, "original_exception", None) or error.__cause__ or error.__context__
        if cause is None:
            break
        error = cause
    return error
