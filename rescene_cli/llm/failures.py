"""From what a provider or the network says to a `ProviderError` with the right fault."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.core.json_text import loads

_SHORT = 300  # characters of a provider's own message that are shown
_LOOKED_AT = 4_000  # and that are searched: some patterns take the square of the length

_BY_CODE = {
    "context_length_exceeded": ProviderFault.CONTEXT_OVERFLOW,
    "exceed_context_size_error": ProviderFault.CONTEXT_OVERFLOW,  # llama.cpp
    "insufficient_quota": ProviderFault.QUOTA,
    "billing_error": ProviderFault.QUOTA,
    "rate_limit_exceeded": ProviderFault.RATE_LIMITED,
    "rate_limit_error": ProviderFault.RATE_LIMITED,
    "RESOURCE_EXHAUSTED": ProviderFault.RATE_LIMITED,
    "overloaded_error": ProviderFault.OVERLOADED,
    "UNAVAILABLE": ProviderFault.OVERLOADED,
    "invalid_api_key": ProviderFault.AUTHENTICATION,
    "authentication_error": ProviderFault.AUTHENTICATION,
    "permission_error": ProviderFault.AUTHENTICATION,
    "model_not_found": ProviderFault.NOT_FOUND,
    "not_found_error": ProviderFault.NOT_FOUND,
    "timeout_error": ProviderFault.TIMEOUT,
    "server_error": ProviderFault.SERVER,
    "api_error": ProviderFault.SERVER,
    "invalid_request_error": ProviderFault.BAD_REQUEST,
    "invalid_prompt": ProviderFault.BAD_REQUEST,
}
_BY_STATUS = {
    401: ProviderFault.AUTHENTICATION,
    402: ProviderFault.QUOTA,
    403: ProviderFault.AUTHENTICATION,
    404: ProviderFault.NOT_FOUND,
    408: ProviderFault.TIMEOUT,
    413: ProviderFault.CONTEXT_OVERFLOW,
    429: ProviderFault.RATE_LIMITED,
    503: ProviderFault.OVERLOADED,
    504: ProviderFault.TIMEOUT,
    529: ProviderFault.OVERLOADED,
}
_HINTS = {
    ProviderFault.RATE_LIMITED: "Wait a little, or name a second model with --fallback.",
    ProviderFault.QUOTA: "Add credit at the provider, or choose another model with --model.",
    ProviderFault.OVERLOADED: "Try again in a minute, or name a second model with --fallback.",
    ProviderFault.SERVER: "Try again in a minute, or name a second model with --fallback.",
    ProviderFault.AUTHENTICATION: "Check the provider's API key and what it may use.",
    ProviderFault.NOT_FOUND: "Check the model's name: `rescene models` lists what is known.",
    ProviderFault.CONTEXT_OVERFLOW: "Start a new session, or choose a model with a larger context.",
    ProviderFault.BAD_REQUEST: "Choose another model, or set `format` for this provider in [[providers]].",
    ProviderFault.MALFORMED: "Try again; if it stays so, choose a stronger model with --model.",
    ProviderFault.TIMEOUT: "Try again, or raise `network.stall_timeout` in the configuration.",
    ProviderFault.STALLED: "Try again, or raise `network.stall_timeout` in the configuration.",
    ProviderFault.DROPPED: "Check the network, and try again.",
    ProviderFault.UNREACHABLE: "Check the address and the network.",
}
_ADDRESS_HINT = "Correct `base_url` in [[providers]], or the variable that sets it."
_TLS_HINT = (
    "Name your organisation's certificate authority in SSL_CERT_FILE, or as `network.ca_file` in the configuration."
)


class _Said(NamedTuple):
    """The parts of an error body that matter."""

    message: str = ""
    codes: tuple[str, ...] = ()
    wait: float | None = None


def from_response(status: int, headers: Mapping[str, str], body: bytes, who: str, secret: str) -> ProviderError:
    """The error that an HTTP answer, or an answer that is no stream, stands for. `secret` is the key sent."""
    said = _read(body)
    if status == 200 and not said.codes and not said.message:
        said = _Said("it sent something that is no event stream")
    if 300 <= status < 400:  # never followed: the key and the conversation go to the address that was named
        said = _Said(f"it points to {headers.get('location', 'nowhere')}")
    wait = retry_after(headers, time.time())
    return _error(status, said._replace(wait=said.wait if wait is None else wait), who, secret)


def from_parts(
    status: int, headers: Mapping[str, str], error: Any, who: str, known: ProviderFault | None = None
) -> ProviderError:
    """The error that a status and an error object stand for; `known` is the fault unless they say more."""
    said = _said(error)._replace(wait=retry_after(headers, time.time()))
    fault = _fault(status, said)
    more = known is None or fault in {ProviderFault.CONTEXT_OVERFLOW, ProviderFault.QUOTA}
    return _error(status, said, who, "", None if more else known)


def from_event(error: Any, who: str, secret: str = "") -> ProviderError:
    """The error that an event in the middle of a stream stands for."""
    return _error(0, _said(error), who, secret)


def malformed(who: str, detail: str, secret: str = "") -> ProviderError:
    """The answer can't be understood."""
    fault = ProviderFault.MALFORMED
    message = f"{who} sent a reply that can't be understood: {_short(detail, secret)}."
    return ProviderError(message, _HINTS[fault], fault=fault)


def dropped(who: str, *, streaming: bool = True) -> ProviderError:
    """The answer ended before the reply did."""
    fault = ProviderFault.DROPPED
    when = "in the middle of a reply" if streaming else "without an answer"
    return ProviderError(f"{who} closed the connection {when}.", _HINTS[fault], fault=fault)


def too_quiet(who: str, seconds: float, fault: ProviderFault) -> ProviderError:
    """Nothing came for `seconds`."""
    what = "stopped in the middle of a reply" if fault is ProviderFault.STALLED else "did not answer"
    return ProviderError(f"{who} {what}: nothing came for {seconds:g} s.", _HINTS[fault], fault=fault)


def from_network(error: Exception, url: str, who: str, *, streaming: bool) -> ProviderError:
    """The error that a failed connection stands for."""
    import ssl

    where = urlsplit(url).netloc
    tls = next((cause for cause in _causes(error) if isinstance(cause, ssl.SSLError)), None)
    if tls is not None and not streaming:
        reason = getattr(tls, "verify_message", "") or tls.reason or "handshake failed"
        return ProviderError(f"No secure connection to {where}: {reason}.", _TLS_HINT, fault=ProviderFault.TLS)
    kind = type(error).__name__
    if kind == "ProxyError":
        hint = "Check HTTPS_PROXY, or list the host in NO_PROXY."
        return ProviderError(f"The proxy did not connect to {where}: {error}.", hint, fault=ProviderFault.UNREACHABLE)
    if kind in {"InvalidURL", "UnsupportedProtocol", "UnicodeError", "UnicodeEncodeError"}:
        message = f"The address of {who} is none that can be called: {url}."
        return ProviderError(message, _ADDRESS_HINT, fault=ProviderFault.NOT_CONFIGURED)
    if kind in {"ConnectError", "ConnectTimeout"}:
        reason = "no connection in time" if kind == "ConnectTimeout" else _last_cause(error)
        hint = "Check the address and the network" + (", or start the server." if "127." in where else ".")
        return ProviderError(f"Can't reach {who} at {where}: {reason}.", hint, fault=ProviderFault.UNREACHABLE)
    if kind == "RemoteProtocolError" and not _is_end(error):
        return malformed(who, f"it breaks the rules of HTTP ({error})")
    return dropped(who, streaming=streaming)


def _is_end(error: Exception) -> bool:
    """Whether the connection was closed early; httpx has one class for that and for everything no HTTP is."""
    return str(error).startswith(("Server disconnected", "peer closed connection"))


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds the provider asks to wait. `now` is seconds since the epoch, for an answer that is a date."""
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _seconds(value)
    return _until(value, now) if value and seconds is None else seconds


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(value: str, now: float) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, TypeError, OverflowError, IndexError):  # whatever is wrong with a date
        return None


def _error(status: int, said: _Said, who: str, secret: str, known: ProviderFault | None = None) -> ProviderError:
    fault = known or _fault(status, said)
    message = _short(said.message, secret)
    what = f"answered {status}" if status not in {0, 200} else "reported an error"
    return ProviderError(
        f"{who} {what}{': ' + message if message else '.'}",
        _hint(status, said) or _HINTS.get(fault, ""),
        fault=fault,
        status=status,
        retry_after=said.wait,
    )


def _fault(status: int, said: _Said) -> ProviderFault:
    message = said.message[:_LOOKED_AT]
    if _phrases().search(message) and status in {0, 200, 400, 413, 422, 500}:
        return ProviderFault.CONTEXT_OVERFLOW
    if status in {0, 200, 500} and _tool_parse().search(message):
        return ProviderFault.MALFORMED
    by_code = next((_BY_CODE[code] for code in said.codes if code in _BY_CODE), None)
    if by_code is not None and (status in {0, 200, 400, 429} or by_code is ProviderFault.CONTEXT_OVERFLOW):
        return by_code
    if status in {0, 200}:
        return ProviderFault.SERVER if said.codes or status == 0 else ProviderFault.MALFORMED
    return _BY_STATUS.get(status) or (ProviderFault.SERVER if status >= 500 else ProviderFault.BAD_REQUEST)


@cache
def _phrases() -> re.Pattern[str]:
    """How OpenAI and vLLM, Anthropic, llama.cpp, Ollama, Gemini and gateways say that a prompt is too long."""
    return re.compile(
        r"maximum context length|context_length_exceeded|exceeds? the context window|prompt is too long"
        r"|input length and .?max_tokens.? exceed context limit|exceeds? the available context size"
        r"|context (size|length|window) (has been )?exceeded|exceeds? (the )?(maximum|model'?s?) (context|input) length"
        r"|longer than the (model'?s )?(maximum )?context|input token count .{0,60}exceeds the maximum"
        r"|exceed(s|ed)? (the )?max(imum)? (prompt|context|model) (length|len)|maximum prompt length"
        r"|too large for model with \d+ maximum context|exceeds max_model_len",
        re.IGNORECASE,
    )


@cache
def _tool_parse() -> re.Pattern[str]:
    """How llama.cpp, Ollama and vLLM say that their own model wrote a call they could not read."""
    return re.compile(
        r"(pars\w+ (the )?tool.?call|tool.?call.{0,40}(pars|invalid json|as json)|failed to parse (input|messages)"
        r"|invalid character .{0,30} in (string|literal|object))",
        re.IGNORECASE,
    )


def _hint(status: int, said: _Said) -> str:
    """What to set when the address is another one, or speaks the other of OpenAI's two formats."""
    if 300 <= status < 400:
        return _ADDRESS_HINT
    lowered = said.message[:_LOOKED_AT].lower()
    if "chat/completions" in lowered or "chat completions" in lowered:
        if "responses" in lowered or "not supported" in lowered or "not a chat model" in lowered:
            return 'Set format = "responses" for this provider in [[providers]].'
        return ""
    if "/responses" in lowered and ("not supported" in lowered or "not found" in lowered):
        return 'Set format = "chat" for this provider in [[providers]].'
    return ""


def _read(body: bytes) -> _Said:
    text = body.decode("utf-8", "replace").strip()
    if "\ufffd" in text[:_LOOKED_AT] or "\0" in text:
        return _Said()  # no text at all: nothing to show
    with suppress(ValueError):
        return _said(loads(text))
    if text.startswith(("data:", "event:")):  # an error sent as a stream
        with suppress(ValueError):
            return _said(loads(text.partition("data:")[2].partition("\n")[0]))
    return _Said("" if text.startswith("<") else text)


def _said(value: Any) -> _Said:
    if isinstance(value, list) and value:
        return _said(value[0])
    if not isinstance(value, dict):
        return _Said(value if isinstance(value, str) else "")
    inner = value.get("error")
    if isinstance(inner, dict):
        return _said(inner)
    if isinstance(inner, str):
        return _Said(inner)
    message = value.get("message") or value.get("detail") or ""
    codes = tuple(str(value[key]) for key in ("code", "status", "type") if value.get(key))
    return _Said(message if isinstance(message, str) else json.dumps(message), codes, _asked_wait(value))


def _asked_wait(error: Mapping[str, Any]) -> float | None:
    """Gemini says how long to wait in the body: `"retryDelay": "17s"`."""
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return _seconds(delay[:-1])
    return None


def _short(message: str, secret: str) -> str:
    """One line, without anything that looks like a key."""
    if secret:
        message = message.replace(secret, "[key]")
    message = re.sub(r"\b(sk|gsk|xai|pk|AIza)[-_A-Za-z0-9*.]{6,}", "[key]", message[:_LOOKED_AT])
    message = " ".join("".join(char if char.isprintable() else " " for char in message).split())
    return message if len(message) <= _SHORT else message[: _SHORT - 1].rstrip() + "…"


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _last_cause(error: Exception) -> str:
    system = next((cause for cause in _causes(error) if isinstance(cause, OSError) and cause.strerror), None)
    return (system.strerror or "").lower() if system is not None else (str(error) or "no connection")
