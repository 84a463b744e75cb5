"""A receiver of webhooks that verifies every delivery with the PyPI library `standardwebhooks`.

Prints its port. PUT /<path> sets the secret of a path; POST /<path> is a delivery; GET /<path> reports what arrived.
The path /flaky rejects every third message once, and /slow takes a moment for each.
"""

import json
import sys
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

from standardwebhooks import Webhook, WebhookVerificationError

lock = Lock()
secrets = {}
accepted = defaultdict(list)
unverified = defaultdict(list)
attempted = defaultdict(set)
rejected = defaultdict(int)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_PUT(self):
        secrets[self.path] = self._body().decode()
        self._answer(204)

    def do_GET(self):
        with lock:
            report = {
                "accepted": accepted[self.path],
                "unverified": unverified[self.path],
                "rejected": rejected[self.path],
            }
        self._answer(200, json.dumps(report).encode())

    def do_POST(self):
        body = self._body()
        try:
            event = Webhook(secrets[self.path]).verify(body, dict(self.headers))
        except WebhookVerificationError as error:
            with lock:
                unverified[self.path].append(str(error))
            self._answer(401, b"unverified")
            return
        if self.path == "/slow":
            time.sleep(0.05)
        with lock:
            is_first = event["id"] not in attempted[self.path]
            attempted[self.path].add(event["id"])
            fails = self.path == "/flaky" and is_first and len(attempted[self.path]) % 3 == 0
            if fails:
                rejected[self.path] += 1
            else:
                accepted[self.path].append({name: event[name] for name in ("id", "type", "subject", "sequence")})
        self._answer(500 if fails else 204)

    def _body(self):
        return self.rfile.read(int(self.headers["content-length"]))

    def _answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    # With the default of 5, the system drops connections of concurrent attempts. Their requests arrive much later.
    request_queue_size = 1024


server = Server(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
# Ends with the process that started it.
Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
