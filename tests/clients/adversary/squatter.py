"""A program that holds a port, or a socket's place, and answers as a gateway would."""

import base64
import hashlib
import json
import re
import secrets
import socket as sockets
import threading
from contextlib import suppress

from websockets.frames import Frame, Opcode

from pairing import derived, signed

# As much as a gateway has ever said there, with the process id that older clients took for a proof.
HEALTH = {"status": "ok", "version": "0.1.0"}


class Squatter:
    """Takes every connection, keeps all that it is sent, and agrees to everything."""

    def __init__(self, listener: sockets.socket, pid: int):
        self.listener = listener
        self.health = json.dumps({**HEALTH, "pid": pid}).encode()
        self.connections = 0
        self.received = bytearray()
        self.thread = threading.Thread(target=self._take, daemon=True)

    @classmethod
    def on_port(cls, port: int, pid: int, address: str = "127.0.0.1") -> "Squatter":
        """On a port of loopback that its owner has just lost, or has in the other family of addresses."""
        listener = sockets.socket(sockets.AF_INET6 if ":" in address else sockets.AF_INET)
        listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen()
        return cls(listener, pid)

    @property
    def port(self) -> int:
        return self.listener.getsockname()[1]

    def __enter__(self) -> "Squatter":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Wakes the thread that waits for a connection.
        self.listener.shutdown(sockets.SHUT_RDWR)
        self.listener.close()
        self.thread.join()

    def _take(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._answer, args=(peer,), daemon=True).start()

    def _answer(self, peer: sockets.socket) -> None:
        with peer:
            while data := peer.recv(65_536):
                self.received += data
                if b"\r\n\r\n" not in data:
                    continue
                if b"upgrade" in data.lower():
                    peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
                else:
                    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                    peer.sendall(head % len(self.health) + self.health)
                    return


class Relay(Squatter):
    """Has everything answered by the gateway itself, and listens to both."""

    def to(self, port: int) -> "Relay":
        self.gateway = port
        return self

    def _answer(self, peer: sockets.socket) -> None:
        with peer, sockets.create_connection(("127.0.0.1", self.gateway)) as gateway:
            back = threading.Thread(target=self._pass, args=(gateway, peer, bytearray()), daemon=True)
            back.start()
            self._pass(peer, gateway, self.received)
            back.join()

    def _pass(self, one: sockets.socket, other: sockets.socket, kept: bytearray) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                kept += data
                # The gateway is to take it for a client of its own.
                other.sendall(data.replace(b"127.0.0.1:%d" % self.port, b"127.0.0.1:%d" % self.gateway))
        with suppress(OSError):
            other.shutdown(sockets.SHUT_WR)


class Pretender(Squatter):
    """Has the gateway's first proof, as if it had been relayed from the same port, and not the second one."""

    def knowing(self, secret: str, first_message: dict) -> "Pretender":
        self.secret, self.first_message = secret, first_message
        # Whatever is said to it once it has been believed.
        self.told = bytearray()
        return self

    def _answer(self, peer: sockets.socket) -> None:
        with peer:
            head = bytearray()
            while b"\r\n\r\n" not in head:
                if not (data := peer.recv(65_536)):
                    return
                head += data
            self.received += head
            if asked := re.search(rb"/prove\?key=(\w+)&nonce=(\w+)", head):
                key, nonce, own = asked[1].decode(), asked[2].decode(), secrets.token_hex(32)
                proof = signed(derived(self.secret, "gateway"), "gateway", key, nonce, own, self.port).hex()
                body = json.dumps({"nonce": own, "proof": proof}).encode()
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                return
            named = re.search(rb"(?i)sec-websocket-key: *(\S+)", head)[1]
            accept = base64.b64encode(hashlib.sha1(named + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            peer.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Protocol: sightline\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
            )
            peer.sendall(Frame(Opcode.TEXT, json.dumps(self.first_message).encode()).serialize(mask=False))
            while data := peer.recv(65_536):
                self.told += data
