"""Makes random table codes, seat keys and tokens; hashes and compares them."""

import base64
import hashlib
import hmac
import secrets

LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no 0/O, no 1/I/L


def new_code() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(5))


def new_key() -> str:
    """A seat's key: short enough for a small QR code, too long to guess."""
    return "".join(secrets.choice(LETTERS) for _ in range(12))


def new_token() -> str:
    return secrets.token_urlsafe(24)


def new_ticket() -> str:
    """A return ticket: a random id in a URL, with which a device gets its seat back once."""
    return secrets.token_urlsafe(16)


def derived_token(salt: str, key: str, nonce: str) -> str:
    """A token that a repeated call gets again: derived from a secret key and the call's nonce.

    What the store holds (the salt, a hash of the key) does not suffice to derive it.
    """
    made = hmac.digest(bytes.fromhex(salt), f"{key}\n{nonce}".encode(), "sha256")
    return base64.urlsafe_b64encode(made[:24]).decode()


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def matches_hash(secret: str, hash_: str) -> bool:
    return secrets.compare_digest(hashed(secret), hash_)
