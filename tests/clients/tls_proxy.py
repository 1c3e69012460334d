"""A reverse proxy that speaks TLS, as one before a gateway on a server or in a tailnet, and its certificates."""

import asyncio
import ipaddress
import ssl
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


class Authority:
    """An authority for certificates, and the file in which somebody trusts it."""

    def __init__(self, folder: Path, name: str = "Test authority"):
        folder.mkdir(exist_ok=True)
        self.folder, self.key, self.name = folder, ec.generate_private_key(ec.SECP256R1()), named(name)
        certificate = begun(self.name, self.name, self.key, timedelta(days=1))
        certificate = certificate.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.trusted = folder / "trusted.pem"
        self.trusted.write_bytes(pem(certificate.sign(self.key, hashes.SHA256())))

    def server(self, host: str, lasts: timedelta = timedelta(days=1)) -> ssl.SSLContext:
        """TLS for a server of that name."""
        key = ec.generate_private_key(ec.SECP256R1())
        try:
            name: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            name = x509.DNSName(host)
        certificate = begun(named(host), self.name, key, lasts)
        certificate = certificate.add_extension(x509.SubjectAlternativeName([name]), critical=False)
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        certificate = certificate.add_extension(usage, critical=False)
        file = self.folder / f"{host}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(private + pem(certificate.sign(self.key, hashes.SHA256())))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def begun(subject: x509.Name, issuer: x509.Name, key, lasts: timedelta) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
    return builder.not_valid_before(min(now, now + lasts) - timedelta(days=1)).not_valid_after(now + lasts)


def pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


class Proxy:
    """A running proxy: what went through it without its TLS, and its open connections."""

    def __init__(self):
        self.upstream: int | None = None
        self.answer: bytes | None = None
        self.seen = bytearray()
        self.open: set[asyncio.StreamWriter] = set()
        self.connections = 0
        self.port = 0

    @property
    def host(self) -> str:
        return f"localhost:{self.port}"

    @property
    def address(self) -> str:
        return f"wss://{self.host}"

    def drop(self) -> int:
        """Ends all connections at once; returns how many."""
        dropped = list(self.open)
        for writer in dropped:
            writer.transport.abort()
        return len(dropped)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.answer is not None:
            self.seen += await reader.readuntil(b"\r\n\r\n")
            writer.write(self.answer)
            await writer.drain()
            writer.close()
            return
        try:
            theirs, out = await asyncio.open_connection("127.0.0.1", self.upstream)
        except OSError:
            writer.transport.abort()
            return
        self.open.update((writer, out))
        await asyncio.gather(self.pump(reader, out), self.pump(theirs, writer))
        self.open.difference_update((writer, out))

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ssl.SSLError):
            while part := await reader.read(65536):
                self.seen += part
                writer.write(part)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def proxied(context: ssl.SSLContext, host: str = "localhost"):
    """A proxy with that certificate."""
    proxy = Proxy()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, ssl=context)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.drop()
