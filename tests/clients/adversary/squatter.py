"""A program that holds a port, or a socket's place, and answers as a gateway would."""

import json
import socket as sockets
import threading

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
    def on_port(cls, port: int, pid: int) -> "Squatter":
        """On a port of loopback that its owner has just lost."""
        listener = sockets.socket()
        listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        return cls(listener, pid)

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
