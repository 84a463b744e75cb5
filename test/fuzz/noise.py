"""False findings, each with its reason. Any other finding of schemathesis fails the run, and findings dropped here are
counted in the table of the run. Neither a status of 500 or above nor an accepted invalid input is ever dropped.
"""

import json

# Inputs that are valid by the document but are rejected with 400 by a rule that JSON Schema cannot express, or that would
# clutter every field of the document. The rule is recognized by its message, so that any other rejection is a finding.
RULES = {
    "Must not contain control characters.": "texts are free of control characters",
    "Must not contain invisible characters.": "names are free of invisible characters",
    "Must not be empty.": "texts of spaces only are empty",
    "Must have at most 64 characters before the @.": "expressed by the format, not by its pattern",
    "Must be an ISO 4217 currency": "ISO 4217 defines the currencies",
    "Must be a time zone from the IANA database.": "IANA defines the time zones",
    "Must be one of CUSTOMER,": "account types are accepted in any case",
    "Must be an HTTPS URL, or a path": "links are paths or HTTPS URLs",
    "Must be an HTTPS URL.": "links are paths or HTTPS URLs",
    "Must not contain a user name or a password.": "URLs of webhooks and push endpoints contain no credentials",
    "Must be 1 to 255 visible ASCII characters.": "the form of a key is described by its header",
    "exceeds the exact range of a double": "JSON Schema does not count digits of numbers",
    "significant digits": "JSON Schema does not count digits of numbers",
    "decimal places.": "JSON Schema does not count digits of numbers",
    "Must be a decimal number without a sign or an exponent": "JSON Schema does not count digits of numbers",
    "Must be in a year from 1900 to 2999.": "sales have a limited range of years",
    # Rules about several fields, or about a field and the books.
    "A CANCELLATION must not have": "fields that go together",
    "A SALE must have": "fields that go together",
    "A RETURN must have": "fields that go together",
    "must name its related sale.": "fields that go together",
    "A category cannot be its own descendant.": "fields that go together",
    "This is the id of a customer.": "fields that go together",
    "Categories can be nested at most": "fields that go together",
    "Specify a merchant, a keyword or both.": "fields that go together",
    "Specify either a position or an instant.": "fields that go together",
    "The last revision of the record is": "the revision depends on the record",
    "Must be an account of type": "fields that go together",
    "Must not exceed amountMax.": "fields that go together",
    "The books are kept in": "fields that go together",
    "The discount must not exceed the price.": "fields that go together",
    "The payments of a return must not exceed its total": "fields that go together",
    "The total of the lines is": "fields that go together",
    "The total has more than": "fields that go together",
    "Must be specified if the type is": "fields that go together",
    "requires exactly one of": "fields that go together",
    "Must not be specified if the type is": "fields that go together",
    "Specify either broadcast, or at least one of": "fields that go together",
    "Must be a P-256 public key in base64url.": "points on the curve are computed",
    "The current password is wrong.": "only the user knows the password",
    "The password is wrong.": "only the user knows the password",
    "The code is wrong or has expired.": "only the authenticator app knows the code",
    "Must not repeat a single character.": "weak passwords are refused",
    "Must not consist only of spaces.": "weak passwords are refused",
    "Must not be one of the most common passwords.": "weak passwords are refused",
    "Must not contain the e-mail address": "fields that go together",
    "the current date of the tenant.": "the date depends on the clock",
    "is in the future.": "the position depends on the history",
    "Must not exceed \"to\".": "fields that go together",
    "The tree has ": "the size of the tree depends on the history",
    "is beyond the end of the history": "the position depends on the history",
    "Must be a URL.": "addresses are parsed",
    "A line requires either a debit or a credit.": "fields that go together",
    "exceed the credits by": "fields that go together",
    "exceed the debits by": "fields that go together",
    "must match the type of an integration event": "the types are listed at /api/integration-events",
    "Must be a nextCursor from the same list.": "cursors come from pages",
    "Must not be before": "fields that go together",
    "Must not be after endDate.": "fields that go together",
    "Must not be in the future.": "the date depends on the clock",
    "Must be in the future.": "the date depends on the clock",
    "Specify either eventId, or from and to.": "fields that go together",
    # A schema can limit a number, but not a decimal string.
    "Must be at most 100.": "JSON Schema does not bound decimal strings",
    "periods; at most": "the number of periods depends on the books",
    "Your account has no second factor.": "the methods depend on the account",
    "Must not be combined with": "fields that go together",
    "exactly one of code": "fields that go together",
    "at most one of code": "fields that go together",
    "Send the code of the authenticator app": "fields that go together",
}


def reason_to_drop(failure, case, response):
    """Returns the reason why a finding is false, or None if it is real."""
    kind = type(failure).__name__
    if kind == "RejectedPositiveData" and response.status_code == 400:
        return rule_of(case, response)
    if kind == "UnsupportedMethodResponse":
        return method_of(case, response)
    if kind == "JsonSchemaError" and case.operation.path == "/api/platform/jobs/stream":
        # OpenAPI 3.1 describes a stream as one string. Schemathesis checks each event against the schema, as 3.2 would require.
        return "a stream of events is described as one text"
    return None


def rule_of(case, response):
    answer = json.loads(response.content)
    # The intake wraps its errors.
    answer = answer.get("error", answer)
    errors = answer.get("errors") or [{"message": answer.get("message", "")}]
    if case.operation.path == "/console/session":
        # A session begins with a password or with a factor. Bodies with the members of both match neither.
        errors = [error for error in errors if error.get("message") not in ("Unknown field.", "Must be specified.")]
        if not errors:
            return "a session begins with a password or with a factor"
    reasons = {reason_of(error) for error in errors}
    return None if None in reasons else sorted(reasons)[0]


def reason_of(error):
    if error.get("path", "").startswith("parameters."):
        return "the parameters of a job are checked by the job"
    return next((why for text, why in RULES.items() if text in error.get("message", "")), None)


def method_of(case, response):
    if response.status_code == 401 and case.path.startswith("/api/"):
        # Probes of public routes have no credentials.
        return "addresses below /api are not revealed without a credential"
    if response.status_code == 404 and not case.path.endswith("}") and is_record_of_its_parent(case):
        return "the last part of the address is the id of a record"
    if case.path.startswith("/console/") and response.request.method == "GET":
        return "every address below /console is a page of the console"
    return None


def is_record_of_its_parent(case):
    """`PATCH /customers/lookup` changes the customer with that id if `PATCH /customers/{id}` is an operation."""
    parent = case.path.rsplit("/", 1)[0]
    return f"{parent}/{{id}}" in case.operation.schema.raw_schema["paths"]
