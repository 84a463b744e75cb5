"""Makes fuzz inputs meaningful: uses ids of existing records and consistent combinations of fields. Most inputs are adjusted;
the others test unknown ids and inconsistent combinations. In an input that is invalid on purpose, only the valid parts are
adjusted. Otherwise, the rejection of an unknown id, a name in use or inconsistent fields could hide that the service
accepted the invalid part.
"""

import re

from office import NOBODY, PASSWORD, chance

# The records that a field of a body or a query refers to.
FIELDS = {
    "accountId": "/api/accounts",
    "branchId": "/api/branches",
    "branchIds": "/api/branches",
    "categoryId": "/api/transaction-categories",
    "counterAccountId": "/api/accounts",
    "customerId": "/api/customers",
    "expenseItemId": "EXPENSE",
    "parentId": "/api/transaction-categories",
    "relatedExternalId": "/api/integrations/v1/sales",
    "roleIds": "/api/roles",
    "tenantId": "/api/platform/tenants",
    "userIds": "/api/users",
    "userId": "/api/users",
}
# Entities of streams, and the collections of their records.
ENTITIES = {
    "account": "/api/accounts",
    "branch": "/api/branches",
    "customer": "/api/customers",
    "role": "/api/roles",
    "tenant": "/api/platform/tenants",
    "transaction": "/api/transactions",
    "user": "/api/users",
}
# Fields of a manual transaction by type, in addition to the fields that every type has.
TAKES = {
    "COLLECTION": ("customerId", "accountId"),
    "PAYMENT": ("customerId", "accountId"),
    "TRANSFER": ("accountId", "counterAccountId"),
    "ADJUSTMENT": ("customerId", "direction"),
    "OPENING_BALANCE": ("accountId", "direction"),
}
CHOICES = ("customerId", "accountId", "counterAccountId", "expenseItemId", "direction", "categoryId")
JOBS = ("database-backup", "projection-verify", "error-log-retention", "session-cleanup", "integrity-verify", "key-expiry")
LINES = [{"description": "Goods", "quantity": 1, "unitPrice": "10.00"}]
ENDPOINTS = tuple(f"https://push.invalid/{number}" for number in range(3))
# The base point of P-256, uncompressed: a valid key, in the form that browsers use.
KEYS = {
    "p256dh": "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
    "auth": "AAAAAAAAAAAAAAAAAAAAAA",
}
# Fields with unique values, each with a pattern of values that are valid and stay valid with a prefix.
UNIQUE = {
    "code": r"[A-Za-z0-9-]{1,12}",
    "slug": r"[a-z0-9]{1,40}",
    "name": r"[ -~]{1,40}",
    "email": r"[A-Za-z0-9+_-]{1,40}@[A-Za-z0-9.-]{3,100}[A-Za-z]",
    "externalId": r"[ -~]{1,100}",
}
# The service rejects weak values, such as one repeated character. The schema cannot express this rule.
PASSWORDS = ("password", "newPassword")
KEY = re.compile(r"[\x21-\x7e]{1,255}")
MAX_SAFE_INTEGER = 2**53 - 1
OFTEN = 5  # out of 6


class Fit:
    def __init__(self, office):
        self._office = office

    def case(self, case, is_valid):
        """Changes a case in place, except for values taken from an earlier response of the same scenario."""
        linked = case._override
        if isinstance(case.query, dict) and not linked.query:
            case.query = self._members(case.query)
        if case.path_parameters and not linked.path_parameters:
            case.path_parameters = self._path(case)
        self._headers(case)
        if isinstance(case.body, dict) and not linked.body and chance(case.body, 6) < OFTEN:
            label = case.operation.label
            body = self._members(case.body)
            self._distinguish(body, label, case.id)
            fit = getattr(self, (self.OWN if is_valid else self.SPOILED).get(label, ""), None)
            case.body = body if fit is None else fit(body)

    def _path(self, case):
        values = dict(case.path_parameters)
        if chance(values, 6) >= OFTEN:
            return values
        if "entity" in values:
            return self._stream(case, values)
        collection = case.path.split("/{")[0]
        for name, value in values.items():
            values[name] = self._office.known(collection, value) or value
        return values

    def _stream(self, case, values):
        entity = sorted(ENTITIES)[chance(values, len(ENTITIES))]
        if isinstance(case.query, dict) and "tenantId" in case.query:
            case.query["tenantId"] = self._office.tenant
        return {**values, "entity": entity, "id": self._office.known(ENTITIES[entity], values) or NOBODY}

    def _headers(self, case):
        """Replaces positions beyond the end of the history, which would only lead to a wait and the documented 503. Gives each
        request a separate Idempotency-Key, because a key in use would only lead to a replay or a conflict.
        """
        for name in ("X-Min-Position", "Last-Event-ID"):
            position = str(case.headers.get(name, ""))
            if re.fullmatch(r"[0-9]{1,16}", position) and int(position) <= MAX_SAFE_INTEGER:
                case.headers[name] = str(int(position) % (self._office.head + 1))
        # Omits the header in most cases, because few records have the requested revision.
        if re.fullmatch(r'"[0-9]{1,15}"', str(case.headers.get("If-Match", ""))) and chance(case.id, 6) < OFTEN:
            del case.headers["If-Match"]
        if KEY.fullmatch(str(case.headers.get("Idempotency-Key", ""))) and chance(case.id, 6) < OFTEN:
            case.headers["Idempotency-Key"] = case.id

    def _members(self, members):
        return {name: self._value(name, value) for name, value in members.items()}

    def _value(self, name, value):
        if isinstance(value, dict):
            return self._members(value)
        if name in FIELDS and isinstance(value, list):
            return [self._value(name, each) for each in value]
        if name == "currency" and isinstance(value, str) and re.fullmatch(r"[A-Z]{3}", value):
            return "EUR"
        if name in PASSWORDS and isinstance(value, str) and 10 <= len(value) <= 120:
            return f"fuzzily {value}"
        if name in FIELDS and isinstance(value, str) and 0 < len(value) <= 100:
            return self._office.known(FIELDS[name], value) or value
        if isinstance(value, list):
            return [self._members(each) if isinstance(each, dict) else each for each in value]
        return value

    def _distinguish(self, body, label, case_id):
        """Makes unique values new, because a value in use would be reported before any other error."""
        for name, form in UNIQUE.items():
            value = body.get(name)
            if name == "name" and not re.search(r"/(roles|transaction-categories)(/{id})?$", label):
                continue
            if isinstance(value, str) and re.fullmatch(form, value):
                body[name] = f"{case_id.lower()}{'.' if name == 'email' else '-'}{value}"
        if isinstance(body.get("owner"), dict):
            self._distinguish(body["owner"], label, case_id)

    OWN = {
        "POST /api/transactions": "_transaction",
        "POST /api/integrations/v1/sales": "_sale",
        "POST /api/integrations/v1/sales/batch": "_batch",
        "POST /api/auth/change-password": "_password",
        "POST /api/auth/login": "_credentials",
        "POST /console/session": "_credentials",
        "POST /api/notifications/push-subscriptions": "_browser",
        "DELETE /api/notifications/push-subscriptions": "_endpoint",
        "POST /api/auth/refresh": "_refresh",
        "POST /api/platform/jobs/trigger": "_job",
        "POST /api/platform/forwarders/{name}/rewind": "_rewind",
        "POST /api/notifications/admin/send": "_audience",
        "POST /api/platform/tenants": "_zone",
        "POST /api/roles": "_permissions",
        "PATCH /api/roles/{id}/permissions": "_permissions",
        "POST /api/accounts": "_kind",
    }

    SPOILED = {
        "POST /api/transactions": "_taken",
        "POST /api/integrations/v1/sales": "_with_lines",
        "POST /api/notifications/push-subscriptions": "_at_push_service",
        "POST /api/notifications/admin/send": "_one_audience",
        "POST /api/accounts": "_of_a_kind",
    }

    def _taken(self, body):
        choices = TAKES.get(body.get("type")) if isinstance(body.get("type"), str) else None
        return body if choices is None else {k: v for k, v in body.items() if k not in CHOICES or k in choices}

    def _with_lines(self, body):
        return {**body, "lines": LINES} if body.get("lines") == [] and body.get("type", "SALE") == "SALE" else body

    def _at_push_service(self, body):
        return {**body, "endpoint": ENDPOINTS[0]} if body.get("endpoint") else body

    def _one_audience(self, body):
        dropped = ("broadcast",) if chance(body, 2) == 0 else ("userIds", "roles", "branchIds")
        kept = {name: value for name, value in body.items() if name not in dropped}
        return {**kept, "link": "/books"} if isinstance(body.get("link"), str) and len(body["link"]) < 100 else kept

    def _of_a_kind(self, body):
        return {**body, "type": "CASH"} if isinstance(body.get("type"), str) else body

    def _transaction(self, body):
        kind = body.get("type")
        kept = {name: value for name, value in body.items() if name not in CHOICES}
        for name in TAKES.get(kind, ()):
            kept[name] = "IN" if name == "direction" else self._office.known(FIELDS[name], body) or NOBODY
        if kind == "TRANSFER":
            kept |= {"accountId": self._office.known("CASH", 0), "counterAccountId": self._office.known("BANK", 0)}
        kept["amount"] = f"{1 + chance(body, 9999)}.50"
        return kept

    def _sale(self, body):
        kept = {name: value for name, value in body.items() if name not in ("total", "branchCode")}
        if kept.get("type", "SALE") == "SALE":
            kept.pop("relatedExternalId", None)
        else:
            kept["relatedExternalId"] = self._office.known("/api/integrations/v1/sales", body)
        if kept.get("type") == "CANCELLATION":
            kept.pop("lines", None)
            kept.pop("payments", None)
        elif not kept.get("lines"):
            kept["lines"] = LINES
        return kept

    def _batch(self, body):
        """Inserts sales, because any value is a valid item of the request, but hardly any random value is a sale."""
        sale = {"occurredAt": "2026-03-04T10:00:00Z", "currency": "EUR", "lines": LINES}
        sales = body.get("sales")
        if not isinstance(sales, list):
            return body
        return {**body, "sales": [*sales[:499], {**sale, "externalId": f"batch-{chance(body, 9999)}"}]}

    def _password(self, body):
        return {**body, "currentPassword": PASSWORD}

    def _credentials(self, body):
        return self._office.login()

    def _browser(self, body):
        return {**body, "endpoint": ENDPOINTS[chance(body, 3)], "keys": KEYS}

    def _endpoint(self, body):
        return {"endpoint": ENDPOINTS[chance(body, 3)]}

    def _refresh(self, body):
        return {**body, "refreshToken": self._office.refresh_token()}

    def _job(self, body):
        return {"jobName": JOBS[chance(body, len(JOBS))]}

    def _rewind(self, body):
        return {"position": max(0, self._office.head - chance(body, 20))}

    def _audience(self, body):
        kept = {name: value for name, value in body.items() if name not in ("userIds", "roles", "branchIds")}
        return {**kept, "broadcast": True}

    def _zone(self, body):
        return {**body, "timeZone": "Europe/Berlin"}

    def _permissions(self, body):
        return {**body, "permissions": ["customers.read", "reports.read"][: chance(body, 3)]}

    def _kind(self, body):
        return {**body, "type": ("CASH", "BANK", "EXPENSE", "CUSTOMER", "OTHER")[chance(body, 5)]}
