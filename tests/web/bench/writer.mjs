import WebSocket from "ws";

/** An agent that writes its list to a gateway over a WebSocket. */
export async function writer(origin, token) {
  const socket = new WebSocket(`${origin.replace("http", "ws")}/gateway?token=${token}`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    // An update is told to all; to whom it answers it is told by its request.
    const key = message.type === "todo.update" ? `told ${message.requestId}` : message.id;
    waiting.get(key)?.(message);
    waiting.delete(key);
  };
  let sent = 0;
  const hear = (key) => new Promise((resolve) => waiting.set(key, resolve));
  const ask = (type, fields) => {
    const id = String((sent += 1));
    socket.send(JSON.stringify({ type, id, ...fields }));
    return hear(id);
  };
  const write = (round) => ask("todo.write", { session: "bench", todos: todos(round) });
  return {
    write,
    /** An update as the gateway tells it. */
    async record() {
      await ask("events.subscribe", {});
      const told = hear(`told ${sent + 1}`);
      await write(0);
      return told;
    },
    close: () => socket.close(),
  };
}

function todos(round) {
  return Array.from({ length: 8 }, (_, item) => ({
    id: String(item),
    content: `Step ${item}`,
    activeForm: `Doing step ${item}, round ${round}`,
    status: item < round % 8 ? "completed" : item === round % 8 ? "in_progress" : "pending",
  }));
}
