"""An address that adds the agents' key, for programs that cannot be told one.

The suite sends some requests by hand and drops the query there, so the key cannot stand in the address. Bytes pass as
they came, because the suite also tests how odd headers are read.
"""

import contextlib
import socket
import socketserver
import threading
from collections.abc import Iterator

from gateway import Gateway

PIECE = 64 * 1024


class Passing(socketserver.StreamRequestHandler):
    """One connection, for one request: its head is changed, all else passes."""

    def handle(self) -> None:
        head = []
        for line in self.rfile:
            if line == b"\r\n":
                break
            head.append(line)
        else:
            return  # It ended before it had asked for anything.
        with socket.create_connection(("127.0.0.1", self.server.gateway.port)) as there:
            there.sendall(b"".join(self.changed(head)))
            sending = threading.Thread(target=self.send, args=(there,))
            sending.start()
            with contextlib.suppress(OSError):
                while piece := there.recv(PIECE):
                    self.request.sendall(piece)
            # Whoever ends first ends the other, or a stream that a client has left would stay.
            end(self.request)
            sending.join()

    def send(self, there: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := self.rfile.read1(PIECE):
                there.sendall(piece)
        end(there)

    def changed(self, head: list[bytes]) -> Iterator[bytes]:
        gateway = self.server.gateway
        own, real = (b":%d" % port for port in (self.server.server_address[1], gateway.port))
        request, *fields = head
        yield request
        for field in fields:
            name = field.partition(b":")[0].lower()
            if name in (b"host", b"origin"):
                yield field.replace(own, real)
            elif name != b"connection":
                yield field
        yield b"Connection: close\r\n"
        yield b"Authorization: Bearer %s\r\n\r\n" % gateway.agent_token.encode()


def end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class Keyed(socketserver.ThreadingTCPServer):
    def __init__(self, gateway: Gateway):
        super().__init__(("127.0.0.1", 0), Passing)
        self.gateway = gateway


@contextlib.contextmanager
def keyed(gateway: Gateway) -> Iterator[str]:
    """An address of this gateway that needs no key."""
    with Keyed(gateway) as server:
        listening = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        listening.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            listening.join()
