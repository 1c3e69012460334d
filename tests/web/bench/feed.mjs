// Speaks the gateway's protocol from a script: no gateway sends a page as much as a bench asks for.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { WebSocketServer } from "ws";

/** The least that a page can do with what it is told: one text for each frame. */
const FLOOR = `<!doctype html><meta charset="utf-8"><title>Floor</title><p data-session data-revision></p>
<script>
  const line = document.querySelector("p");
  const text = line.appendChild(document.createTextNode(""));
  let newest;
  const paint = () => {
    text.data = newest.todos.find(({ status }) => status === "in_progress")?.activeForm ?? "";
    line.dataset.session = newest.sessionId;
    line.dataset.revision = newest.revision;
    newest = undefined;
  };
  const socket = new WebSocket("ws://" + location.host + "/gateway", ["sightline"]);
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type !== "todo.update") return;
    if (!newest) requestAnimationFrame(paint);
    newest = message;
  };
</script>`;

/** The code and the key of a page: it is to believe that this is its gateway. */
const CODE = "bench.bench";
const keys = { bench: createHmac("sha256", CODE).update("gateway").digest() };

function proof(role, key, nonce, port) {
  const words = `sightline ${role} ${key} ${nonce} ${"0".repeat(64)} ${port}`;
  return createHmac("sha256", keys[key]).update(words).digest("hex");
}

function json(response, fields) {
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(fields));
}

async function paired(request, response) {
  let body = "";
  for await (const part of request) body += part;
  keys.page = Buffer.from(JSON.parse(body).gateway, "hex");
  json(response, { keyId: "page" });
}

/** Serves the page of the gateway at `origin`, and below `/floor` the least that a page can do. */
export async function feed(origin, sessions) {
  const server = createServer(async (request, response) => {
    const { url } = request;
    const { port } = server.address();
    if (url.startsWith("/prove?")) {
      const asked = new URLSearchParams(url.slice(url.indexOf("?")));
      const given = proof("gateway", asked.get("key"), asked.get("nonce"), port);
      json(response, { nonce: "0".repeat(64), proof: given });
      return;
    }
    if (url === "/pair") {
      await paired(request, response);
      return;
    }
    if (url === "/floor") {
      response.setHeader("Content-Type", "text/html").end(FLOOR);
      return;
    }
    const file = await fetch(origin + url);
    response.writeHead(file.status, { "Content-Type": file.headers.get("content-type") ?? "text/plain" });
    response.end(Buffer.from(await file.arrayBuffer()));
  });
  const sockets = new WebSocketServer({ server, handleProtocols: () => "sightline" });
  sockets.on("connection", (socket, { headers }) => {
    const offered = /proof\.(\w+)\.(\w+)\./.exec(headers["sec-websocket-protocol"] ?? "");
    if (offered) {
      const given = proof("opened", offered[1], offered[2], server.address().port);
      socket.send(JSON.stringify({ type: "proved", proof: given }));
    }
    socket.on("message", (data) => answer(socket, sessions, JSON.parse(String(data))));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const tell = (message) => {
    const text = JSON.stringify(message);
    for (const client of sockets.clients) client.send(text);
  };
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    next: () => tell(sessions[0].next()),
    send: (rate, seconds) => send(sessions, tell, rate, seconds),
    close() {
      for (const client of sockets.clients) client.terminate();
      server.close();
    },
  };
}

function answer(socket, sessions, { type, id }) {
  const answers = {
    hello: {},
    "events.subscribe": {
      cursor: "feed:0",
      deleted: [],
      sessions: sessions.map((session) => session.view),
      whole: true,
    },
    "gateway.status": {},
    "session.list": { sessions: [] },
    "session.revisions": { revisions: [] },
  };
  const fields = answers[type];
  const told = fields
    ? { type: `${type}.result`, id, ...fields }
    : { type: "error", requestId: id, code: "UNKNOWN_TYPE", message: `the bench does not answer ${type}` };
  socket.send(JSON.stringify(told));
}

/** So many updates a second, of one session after the other. */
async function send(sessions, tell, rate, seconds) {
  const begun = performance.now();
  const all = rate * seconds;
  for (let sent = 0; sent < all;) {
    const due = Math.min(all, Math.floor(((performance.now() - begun) / 1000) * rate));
    for (; sent < due; sent += 1) tell(sessions[sent % sessions.length].next());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** A session that goes one step on with each update. What it sends is like `recorded`, which a gateway sent. */
export class Told {
  #recorded;
  #name;
  #steps;
  #state;
  #round = 0;
  #since;

  constructor(recorded, name, { steps, state }) {
    this.#recorded = recorded;
    this.#name = name;
    this.#steps = steps;
    this.#state = state;
    // Quiet sessions have been so for long: their times are told in hours.
    const quiet = state === "running" ? 0 : 2 * 3_600_000;
    this.#since = new Date(Date.now() - quiet).toISOString();
  }

  get id() {
    return `session-${this.#name}`;
  }

  get view() {
    return { ...this.#session, todos: this.#todos };
  }

  next() {
    this.#round += 1;
    const session = this.#session;
    return {
      ...this.#recorded,
      requestId: `${this.#name}-${this.#round}`,
      cursor: `feed:${this.#round}`,
      sessionId: session.sessionId,
      listId: session.listId,
      revision: session.revision,
      todos: this.#todos,
      session,
    };
  }

  get #at() {
    return this.#round % this.#steps;
  }

  get #todos() {
    return Array.from({ length: this.#steps }, (_, step) => ({
      ...this.#recorded.todos[0],
      uid: `${this.#name}-${step}`,
      id: String(step),
      content: `Step ${step}`,
      activeForm: `Doing step ${step}, round ${step === this.#at ? this.#round : 0}`,
      status: step < this.#at ? "completed" : step === this.#at ? "in_progress" : "pending",
      statusAt: this.#since,
    }));
  }

  get #session() {
    return {
      ...this.#recorded.session,
      sessionId: this.id,
      listId: `list-${this.#name}`,
      label: this.#name,
      title: `Session ${this.#name}`,
      project: `project-${this.#name}`,
      state: this.#state,
      progress: { completed: this.#at, total: this.#steps, fraction: this.#at / this.#steps },
      revision: this.#round + 1,
      lastActivityAt: this.#since,
      todos: [],
      edits: [],
    };
  }
}
