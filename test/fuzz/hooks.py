"""Hooks of schemathesis for the fuzz run: callers, requests and results (written to FUZZ_RESULT)."""

import atexit
import json
import os
import threading
from collections import Counter, defaultdict

import schemathesis
from fit import Fit
from noise import reason_to_drop
from office import METRICS_TOKEN, Office, chance
from schemathesis.core.parameters import ParameterLocation

office = Office()
fit = Fit(office)

# Callers

# These operations end the session of their caller or change the password.
ENDS_ITS_CALLER = {"/api/auth/logout", "/api/auth/change-password", "/console/session"}


def caller_of(operation):
    """`operator`, `owner` or `guest`; `key` and `metrics` for credentials other than tokens; None if none is required."""
    names = {name for requirement in operation.definition.raw.get("security") or [] for name in requirement}
    if not names:
        return None
    if "IntegrationKey" in names:
        return "key"
    if "MetricsToken" in names:
        return "metrics"
    if operation.path in ENDS_ITS_CALLER:
        return "guest"
    is_platform = operation.path.startswith("/api/platform/") or operation.path == "/api/system/health/system"
    return "operator" if is_platform else "owner"


@schemathesis.auth(refresh_interval=None)
class Credentials:
    """Provides the credentials of every call. The office keeps tokens as long as they are valid."""

    def get(self, case, context):
        return caller_of(context.operation)

    def set(self, case, who, context):
        if who == "key":
            case.headers["X-Integration-Key"] = office.key
        elif who == "metrics":
            case.headers["Authorization"] = f"Bearer {METRICS_TOKEN}"
        else:
            case.headers["Authorization"] = f"Bearer {office.token(who)}"


# Requests


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["X-Forwarded-For"] = address_of(case)
    if case.meta is not None:
        is_spoiled = case.meta.generation.mode.is_negative
        if not (is_spoiled and case.meta.is_negative_at(ParameterLocation.PATH)):
            fit.case(case, is_valid=not is_spoiled)
    if case.method != "GET":
        spare_reserved(case)
    if case.path == "/api/settings" and isinstance(case.body, dict) and "requireFactor" in case.body:
        # Otherwise, the owner, who has no second factor, could not send any other request.
        case.body["requireFactor"] = False


def address_of(case):
    """The client address of a case. The service counts rejections by address, so each case has a separate address."""
    return "10." + ".".join(str(1 + chance((case.id, part), 250)) for part in range(3))


def spare_reserved(case):
    """Protects the records that the fuzz run depends on: the case addresses another record of the same kind instead."""
    collection = case.path.split("/{")[0]
    for name, value in (case.path_parameters or {}).items():
        if office.is_reserved(str(value).lower()):
            case.path_parameters[name] = office.known(collection, value)


# Results

lock = threading.Lock()
statuses = defaultdict(Counter)
credentialed = Counter()
findings = {}
dropped = Counter()


@schemathesis.hook
def after_call(context, case, response):
    status = response.status_code
    who = caller_of(case.operation)
    with lock:
        statuses[case.operation.label][status] += 1
        if case._has_explicit_auth:
            credentialed["stopped" if status in (401, 403, 429) else "admitted"] += 1
    if status == 401 and case._has_explicit_auth:
        office.lost(who)
    if 200 <= status < 300:
        take_in(case, response, who)


def take_in(case, response, who):
    """Records the effects of a successful call that matter for later calls."""
    office.reached(response.headers.get("x-event-position"))
    if who == "guest":
        office.lost("guest")
    collection = case.path.split("/{")[0]
    if case.path == "/api/platform/dead-letters/{id}/discard":
        office.lose_sale()
        office.look_for_letters()
    elif case.method == "DELETE":
        for value in (case.path_parameters or {}).values():
            office.forget(collection, value)
    elif case.method == "POST" and "{" not in case.path and who in ("operator", "owner"):
        data = json.loads(response.content).get("data")
        if isinstance(data, dict) and "id" in data:
            office.learn(collection, data["id"])


@schemathesis.hook
def filter_failure(context, failure, case, response):
    reason = reason_to_drop(failure, case, response)
    with lock:
        if reason is None:
            note(failure, case, response)
        else:
            dropped[reason] += 1
    return reason is None


def note(failure, case, response):
    """Keeps one finding for each kind, operation and status, with its first example."""
    kind = type(failure).__name__
    key = (kind, case.operation.label, response.status_code)
    finding = findings.setdefault(
        key,
        {
            "kind": kind,
            "operation": case.operation.label,
            "status": response.status_code,
            "count": 0,
            "message": str(failure)[:1500],
            "answer": (response.content or b"")[:600].decode("utf8", "replace"),
            "curl": case.as_curl_command()[:3000],
        },
    )
    finding["count"] += 1


@atexit.register
def report():
    result = {
        "operations": {label: dict(counter) for label, counter in statuses.items()},
        "sent": sum(credentialed.values()),
        "admitted": credentialed["admitted"],
        "findings": list(findings.values()),
        "dropped": dict(dropped),
        "renewals": dict(office.renewals),
    }
    with open(os.environ["FUZZ_RESULT"], "w", encoding="utf8") as file:
        json.dump(result, file, indent=1)
