import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A reverse proxy with TLS on this machine, as Tailscale or Caddy is: it passes on what comes, with its `Host`. */
export class HttpsProxy {
  /** The addresses that were asked for, and the heads of those who asked. */
  readonly heard: string[] = [];
  /** Makes another worker of the one that the gateway has, as a new build would. */
  worker: ((script: string) => string) | undefined;
  #server: Server | undefined;
  readonly #open = new Set<Socket>();
  #port = 0;

  constructor(readonly target: number) {}

  /** The host by which a browser comes. */
  get host(): string {
    return `localhost:${this.#port}`;
  }

  async start(): Promise<this> {
    const server = createServer(certificate(), (asked, answer) => {
      this.heard.push(`${asked.method} ${asked.url} ${JSON.stringify(asked.headers)}`);
      const { method = "GET", url: path = "/", headers } = asked;
      const passed = request({ host: "127.0.0.1", port: this.target, method, path, headers }, (got) => {
        if (path !== "/sw.js" || !this.worker) {
          answer.writeHead(got.statusCode ?? 502, got.headers);
          got.pipe(answer);
          return;
        }
        let script = "";
        got.setEncoding("utf8").on("data", (part: string) => (script += part));
        got.on("end", () => {
          const { "content-length": _, ...others } = got.headers;
          answer.writeHead(got.statusCode ?? 502, others).end(this.worker?.(script));
        });
      });
      passed.on("error", () => {
        if (!answer.headersSent) answer.writeHead(502);
        answer.end();
      });
      asked.pipe(passed);
    });
    server.on("upgrade", (asked, plug: Socket) => {
      this.heard.push(`UPGRADE ${asked.url} ${JSON.stringify(asked.headers)}`);
      const passed = connect(this.target, "127.0.0.1", () => {
        const heads = asked.rawHeaders.flatMap((name, at) =>
          at % 2 === 0 ? [`${name}: ${asked.rawHeaders[at + 1]}`] : [],
        );
        passed.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${heads.join("\r\n")}\r\n\r\n`);
        plug.pipe(passed).pipe(plug);
      });
      passed.on("error", () => plug.destroy());
      plug.on("error", () => passed.destroy());
      plug.on("close", () => passed.destroy());
    });
    server.on("connection", (plug: Socket) => {
      this.#open.add(plug);
      plug.on("close", () => this.#open.delete(plug));
    });
    await once(server.listen(this.#port, "127.0.0.1"), "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const plug of this.#open) plug.destroy();
    if (server) await once(server.close(), "close");
  }
}

/** A certificate for `localhost` that nobody has signed. */
function certificate(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), "sightline-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...kind, ...subject, "-keyout", key, "-out", cert], { stdio: "pipe" });
  const made = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  return made;
}
