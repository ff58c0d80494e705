# A complete webhook receiver. Python 3.8 and later, no packages: WEBHOOK_SECRET=… python3 receiver.py
#
# It stores each message once, as INBOX/<webhook-id>.json, and answers. A worker of yours takes it from there, so that the
# answer is fast and a message is safe when this process stops. Keep the files for as long as repeats may come.
#
# Order: after a failed attempt later events overtake earlier ones. Let the worker compare Data.Version: keep the highest of
# each record and pass over older ones, or set Ordered on the webhook.
import base64
import hashlib
import hmac
import os
import re
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]
INBOX = os.environ.get("INBOX", "inbox")
MAX_BODY = 8 * 1024 * 1024
MAX_AGE_SECONDS = 300


def verify(secret: str, body: bytes, signature: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())


def verify_standard(secret: str, body: bytes, id: str, timestamp: str, signatures: str) -> bool:
    """Whether one of the signatures of Standard Webhooks is right, and the timestamp that it covers is recent."""
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
    signed = f"{id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return any(hmac.compare_digest(expected, one.encode()) for one in signatures.split(" "))


def store(id: str, body: bytes) -> None:
    """Stores a message; one that is there already stays as it is."""
    scratch = os.path.join(INBOX, f"{uuid.uuid4()}.tmp")
    try:
        with open(scratch, "xb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.link(scratch, os.path.join(INBOX, f"{id}.json"))
        print(f"stored {id}", flush=True)
    except FileExistsError:
        print(f"repeated {id}", flush=True)
    finally:
        os.unlink(scratch)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self) -> None:
        try:
            status = self.receive()
        except Exception as error:
            self.log_error("%r", error)
            status = 500  # Daybook tries again.
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def receive(self) -> int:
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY:
            return 413
        # The raw bytes: JSON that was parsed and printed again has another signature.
        body = self.rfile.read(length)
        id = self.headers.get("webhook-id", "")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", id):
            return 400
        if not verify(SECRET, body, self.headers.get("X-Hub-Signature-256", "")):
            return 401
        timestamp = self.headers.get("webhook-timestamp", "")
        if not verify_standard(SECRET, body, id, timestamp, self.headers.get("webhook-signature", "")):
            return 401
        store(id, body)
        return 204


os.makedirs(INBOX, exist_ok=True)
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
