"""A browser's part of pairing, with a secret that also works as a bearer's: the first page that is paired administers."""

import hashlib
import hmac
import json
import re
import secrets

import httpx2

SECONDS = 30


def derived(secret: str, role: str) -> bytes:
    return hmac.digest(secret.encode(), role.encode(), "sha256")


def signed(key: bytes, role: str, *parts) -> bytes:
    return hmac.digest(key, " ".join(("sightline", role, *map(str, parts))).encode(), "sha256")


class Exchange:
    """The gateway has proved that it knows a key; the client has not yet."""

    def __init__(self, address: str, key: str, secret: str, host: str | None = None):
        """With a named host, as through a proxy: the place is its origin, and not the port."""
        self.secret, self.key, self.nonce = secret, key, secrets.token_hex(32)
        asked = {"key": key, "nonce": self.nonce}
        headers = {"Host": host} if host else {}
        answer = httpx2.get(f"{address}/prove", params=asked, headers=headers, timeout=SECONDS, verify=False)
        answer.raise_for_status()
        place = f"https://{host}" if host else address.rpartition(":")[2]
        self.parts = (key, self.nonce, answer.json()["nonce"], place)
        expected = signed(derived(secret, "gateway"), "gateway", *self.parts).hex()
        assert answer.json()["proof"] == expected, "the gateway proves that it knows the key"

    @property
    def proof(self) -> str:
        client = derived(self.secret, "client")
        mask = signed(hashlib.sha256(client).digest(), "client", *self.parts)
        return bytes(one ^ other for one, other in zip(client, mask, strict=True)).hex()

    @property
    def subprotocols(self) -> list[str]:
        key, nonce, gateway_nonce, _ = self.parts
        return ["sightline", f"proof.{key}.{nonce}.{gateway_nonce}.{self.proof}"]

    def is_opened_by(self, message: dict) -> bool:
        return message.get("proof") == signed(derived(self.secret, "gateway"), "opened", *self.parts).hex()


def pairing(address: str, code: str, own: str, name: str = "test", host: str | None = None) -> dict:
    """The body of a pairing."""
    exchange = Exchange(address, code.partition(".")[0], code, host)
    return {
        "key": exchange.key,
        "clientNonce": exchange.nonce,
        "gatewayNonce": exchange.parts[2],
        "proof": exchange.proof,
        "name": name,
        "client": hashlib.sha256(derived(own, "client")).hexdigest(),
        "gateway": derived(own, "gateway").hex(),
    }


def post(address: str, body: dict, host: str | None = None) -> httpx2.Response:
    headers = {"Host": host, "Origin": f"https://{host}"} if host else {}
    return httpx2.post(f"{address}/pair", content=json.dumps(body), headers=headers, timeout=SECONDS, verify=False)


def pair(page: str, name: str = "test") -> tuple[dict, str]:
    """Pairs by the page's address: the key, and its secret."""
    address, _, code = page.partition("/#pair=")
    own = secrets.token_hex(32)
    answer = post(address, pairing(address, code, own, name))
    assert answer.status_code == 200, answer.text
    return answer.json(), own


def bearer(gateway) -> str:
    """A secret for tests: that of a page that is paired on trust, or of a key that a command makes."""
    codes = re.findall(r'"page":"([^"]+)"', gateway.output()) if gateway.logs else []
    if codes and codes[-1].startswith(gateway.address):
        return pair(codes[-1])[1]
    return gateway.new_key("--rights", "edit")


def is_good(gateway, secret: str) -> bool:
    """True if the gateway knows a secret: an agent's is known, and opens nothing there."""
    headers = {"Authorization": f"Bearer {secret}"}
    answer = httpx2.get(f"{gateway.address}/gateway", headers=headers, timeout=SECONDS, verify=False)
    return answer.status_code != 401
