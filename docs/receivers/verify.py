# Python 3, no packages. `body` is the raw request body: bytes, before any JSON parser.
import hashlib
import hmac


def verify(secret: str, body: bytes, signature: str) -> bool:
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())
