// A permission in a notification: given or refused there, where all that is asked stands in it.
import type { Runtime } from "../parts/gateway.ts";
import { Socket } from "../parts/socket.ts";
import { expect, test } from "./shell-test.ts";

async function begin(runtime: Runtime, project: string): Promise<Socket> {
  const socket = await Socket.open(runtime);
  const folder = `/home/me/${project}`;
  await socket.ask("hello", { agent: { agent: { name: "codex" }, ownSession: project, project, folder } });
  const report = { happened: "prompted", text: "Prepare the release", listens: false, begins: true };
  await socket.ask("session.report", report);
  return socket;
}

const asks = (socket: Socket, command: string): Promise<unknown> =>
  socket.ask("permission.ask", { tool: "Bash", input: JSON.stringify({ command }), waitSeconds: 300 });

test("a permission is answered by a button of its notification, and allowed only where all of it is seen", async ({
  open,
  folder,
  notifications,
  tray,
}) => {
  await open();
  const runtime = await folder.gateway();
  const [api, docs] = [await begin(runtime, "billing-api"), await begin(runtime, "docs")];
  // Events that the shell has not looked at before are taken for old.
  await tray.expectTooltip(/of 2 working/);

  const first = asks(api, "echo <b>all</b> & \u202Els");
  const short = await notifications.first("Codex · billing-api needs you");
  expect(short.body, "nothing in it is markup").toBe(
    "Bash: echo &lt;b&gt;all&lt;/b&gt; &amp; &lt;U+202E&gt;ls",
  );
  expect(short.actions).toEqual({ default: "Open", open: "Open", allow: "Allow", deny: "Deny" });
  notifications.press(short, "allow");
  expect(await first).toMatchObject({ allowed: true });

  const second = asks(docs, `rm -rf ${"harmless/".repeat(20)} ~`);
  const long = await notifications.first("Codex · docs needs you");
  expect(long.actions).toEqual({ default: "Open", open: "Open", deny: "Deny" });
  notifications.press(long, "deny");
  expect(await second).toMatchObject({ allowed: false });
  api.close();
  docs.close();
});
