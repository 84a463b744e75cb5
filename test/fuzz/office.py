"""The content of the service for the fuzz run: a tenant with records of each kind, and callers. Records that the run ends
or uses up are created again. The records that the run depends on (one operator, one tenant with its owner, one key) are
protected.
"""

import hashlib
import os
import threading
import time
from collections import defaultdict

import requests

URL = os.environ["FUZZ_URL"]
OPERATOR = {"email": os.environ["FUZZ_OPERATOR_EMAIL"], "password": os.environ["FUZZ_OPERATOR_PASSWORD"]}
METRICS_TOKEN = os.environ["FUZZ_METRICS_TOKEN"]
PASSWORD = "correct horse battery"
# The service trusts X-Forwarded-For in this run, so failed sign-ins of the fuzz run throttle only its own addresses.
OWN_ADDRESS = "10.0.0.1"
TOKEN_SECONDS = 600
NEWEST = 40
NOBODY = "00000000-0000-7000-8000-000000000000"


def chance(value, of):
    """A number below `of` that depends only on the value, so that the same seed makes the same choices."""
    return int.from_bytes(hashlib.sha256(repr(value).encode()).digest()[:4], "big") % of


class Office:
    """Thread-safe: schemathesis may call from several workers."""

    def __init__(self):
        self._lock = threading.RLock()
        self._session = requests.Session()
        self._tokens = {}
        self._made = 0
        self._reserved = set()
        self._records = defaultdict(list)
        self.key = ""
        self.head = 0
        self.tenant = ""
        self.renewals = defaultdict(int)
        self._furnish()

    # Callers

    def token(self, who):
        """An access token of `operator`, `owner` or `guest`; guests are for calls that end their caller's sessions."""
        with self._lock:
            token, until = self._tokens.get(who, ("", 0.0))
            if time.monotonic() < until:
                return token
            self.renewals[who] += 1
            token = self._sign_in(self._who(who))
            self._tokens[who] = (token, time.monotonic() + TOKEN_SECONDS)
            return token

    def reached(self, header):
        """Records the position in a response."""
        if header:
            with self._lock:
                self.head = max(self.head, int(header[0]))

    def lost(self, who):
        """Discards the token, so that the next call signs in again."""
        with self._lock:
            self._tokens.pop(who, None)

    def _who(self, who):
        if who == "operator":
            return OPERATOR
        if who == "owner":
            return self._owner
        person = self._person("guest")
        self._command("/api/users", self.token("owner"), {**person, "role": "USER"})
        return person

    def login(self):
        return self._login(self._owner)

    def refresh_token(self):
        """A refresh token of a session that no other call uses."""
        with self._lock:
            answer = self.call("POST", "/api/auth/login", body=self._login(self._owner))
            return answer["data"]["refreshToken"]

    # Records

    def learn(self, collection, record):
        with self._lock:
            known = self._records[collection]
            if record not in known:
                known.append(record)
                # Keeps the first records. _furnish created them, and they refer to each other more than others do.
                if len(known) > NEWEST:
                    del known[NEWEST // 2]

    def forget(self, collection, record):
        with self._lock:
            if record in self._records[collection]:
                self._records[collection].remove(record)

    def known(self, collection, value):
        """One of the records, selected by a value of the fuzz run; None if the collection is empty."""
        with self._lock:
            known = self._records[collection]
            return known[chance(value, len(known))] if known else None

    def is_reserved(self, record):
        return record in self._reserved

    def lose_sale(self):
        """Pushes a sale that cannot be booked and therefore becomes a dead letter."""
        body = {**self._lost_sale, "externalId": self._fresh("lost")}
        self.call("POST", "/api/integrations/v1/sales", key=self.key, body=body)

    def look_for_letters(self):
        path = "/api/platform/dead-letters"
        parked = self.call("GET", f"{path}?status=PARKED&pageSize=10", self.token("operator"))["items"]
        with self._lock:
            self._records[path] = [letter["id"] for letter in parked]

    # Setup

    def _furnish(self):
        operator = self.token("operator")
        me = self.call("GET", "/api/auth/me", operator)["data"]["user"]["id"]
        self._reserved.add(me)
        self.tenant = self._tenant(operator)
        self._reserved.add(self.tenant)
        owner = self.token("owner")
        self._reserved.add(self.call("GET", "/api/auth/me", owner)["data"]["user"]["id"])
        self._furnish_key(owner, operator)
        self._furnish_books(owner)
        self._furnish_people(owner)
        self._furnish_sales(owner)
        self._furnish_platform(operator)

    def _tenant(self, operator):
        owner = self._person("owner")
        slug = self._fresh("shop")
        facts = {"name": "Acme Trading", "slug": slug, "currency": "EUR", "timeZone": "Europe/Berlin", "owner": owner}
        self._owner = owner
        return self._command("/api/platform/tenants", operator, facts)

    def _furnish_key(self, owner, operator):
        body = {"name": "Web shop", "sourceId": "shop"}
        made = self.call("POST", "/api/integration-keys", owner, body)["data"]
        self.key = made["key"]
        self._reserved.add(made["id"])
        self.call("PATCH", f"/api/platform/integration-keys/{made['id']}", operator, {"rateLimit": 1_000_000})
        for source in ("till", "market"):
            spare = self.call("POST", "/api/integration-keys", owner, {"name": source, "sourceId": source})["data"]
            self.learn("/api/integration-keys", spare["id"])

    def _furnish_books(self, owner):
        branch = self._make("/api/branches", owner, {"code": "NORTH", "name": "North"})
        for name in ("Northwind Foods", "Contoso"):
            self._make("/api/customers", owner, {"name": name, "branchId": branch, "city": "Oslo"})
        for kind in ("CASH", "BANK", "SUPPLIER", "EXPENSE"):
            account = self._make("/api/accounts", owner, {"type": kind, "name": f"{kind} of the north"})
            self.learn(kind, account)
        category = self._make("/api/transaction-categories", owner, {"name": "Groceries"})
        rule = {"categoryId": category, "keyword": "bread"}
        self._make("/api/transaction-categories/rules", owner, rule)
        facts = {"type": "COLLECTION", "date": "2026-03-04", "amount": "10.00", "description": "bread"}
        where = {"customerId": self.known("/api/customers", 0), "accountId": self.known("CASH", 0)}
        for _ in range(3):
            self._make("/api/transactions", owner, {**facts, **where})

    def _furnish_people(self, owner):
        permissions = ["customers.read", "transactions.read"]
        role = self.call("POST", "/api/roles", owner, {"name": "Auditor", "permissions": permissions})["data"]["id"]
        self.learn("/api/roles", role)
        for kind in ("clerk", "helper"):
            self._make("/api/users", owner, {**self._person(kind), "role": "ADMIN", "roleIds": [role]})
        for _ in range(2):
            note = {"title": "Closing", "body": "On Friday.", "broadcast": True}
            self.call("POST", "/api/notifications/admin/send", owner, note)
        for note in self.call("GET", "/api/notifications", owner)["items"]:
            self.learn("/api/notifications", note["id"])

    def _furnish_sales(self, owner):
        line = {"description": "Espresso machine", "quantity": 1, "unitPrice": "100.00", "taxRate": 19}
        facts = {"occurredAt": "2026-03-04T10:00:00Z", "currency": "EUR", "lines": [line]}
        for number in range(3):
            body = {**facts, "externalId": f"web-{number}"}
            self.call("POST", "/api/integrations/v1/sales", key=self.key, body=body, idempotency_key=f"try-{number}")
            self.learn("/api/integrations/v1/sales", f"web-{number}")
            self.learn("/api/integrations/v1/idempotency-keys", f"try-{number}")
        self._lost_sale = {**facts, "branchCode": "NOWHERE"}
        for _ in range(3):
            self.lose_sale()
        for transaction in self._items("/api/transactions", owner):
            self.learn("/api/transactions", transaction["id"])

    def _furnish_platform(self, operator):
        for kind in ("relief", "relay"):
            self._make("/api/platform/operators", operator, self._person(kind))
        for _ in range(2):
            owner = self._person("other")
            facts = {"name": "Other", "slug": self._fresh("other"), "currency": "EUR", "timeZone": "UTC"}
            self._make("/api/platform/tenants", operator, {**facts, "owner": owner})
        for _ in range(15):
            self.call("GET", "/api/platform/tenants", self.token("owner"), expect=403)
        job = {"jobName": "database-backup"}
        run = self.call("POST", "/api/platform/jobs/trigger", operator, job)["data"]["executionLogId"]
        self.learn("/api/platform/jobs/execution", run)
        for collection in ("dead-letters", "error-logs", "audit-logs"):
            path = f"/api/platform/{collection}"
            for record in self._eventually(lambda p=path: self._items(p, operator)):
                self.learn(path, record["id"])
        names = self.call("GET", "/api/platform/projections", operator)["data"]
        for projection in names:
            self.learn("/api/platform/projections", projection["name"])
        self.learn("/api/platform/forwarders", "integration-events")
        self.learn("/api/platform/policies", "restoration")
        for pattern in ("*", "sessions:*", "tenant-?"):
            self.learn("/api/platform/redis/cache", pattern)

    # Requests

    def call(self, method, path, token=None, body=None, key=None, expect=None, idempotency_key=None):
        headers = {"x-forwarded-for": OWN_ADDRESS}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        if key is not None:
            headers["x-integration-key"] = key
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        answer = self._session.request(method, URL + path, headers=headers, json=body, timeout=30)
        if not (answer.ok or answer.status_code == expect):
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def _command(self, path, token, body):
        return self.call("POST", path, token, body)["data"]["id"]

    def _make(self, path, token, body):
        record = self._command(path, token, body)
        self.learn(path, record)
        return record

    def _items(self, path, token):
        return self.call("GET", f"{path}?pageNumber=1&pageSize=20", token)["items"]

    def _eventually(self, ask):
        for _ in range(100):
            found = ask()
            if found:
                return found
            time.sleep(0.1)
        raise RuntimeError("The records that the fuzz needs were not created in time.")

    def _sign_in(self, person):
        return self.call("POST", "/api/auth/login", body=self._login(person))["data"]["accessToken"]

    @staticmethod
    def _login(person):
        return {"email": person["email"], "password": person["password"]}

    def _person(self, kind):
        name = self._fresh(kind)
        return {"fullName": f"A {kind}", "email": f"{name}@fuzz.example", "password": PASSWORD}

    def _fresh(self, prefix):
        self._made += 1
        return f"{prefix}-{os.getpid()}-{self._made}"
