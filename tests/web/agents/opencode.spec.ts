// A real agent, headless, against a scripted model on loopback: its list arrives, and the user's edit comes back to it.
import { contents, type Todo } from "../parts/agent.ts";
import type { Gateway } from "../parts/gateway.ts";
import { Socket } from "../parts/socket.ts";
import { STORY } from "../parts/story.ts";
import { expect, test } from "../parts/test.ts";
import { connect } from "./connect.ts";
import { project, run } from "./opencode.ts";
import { call, LAST_WORD, Model, results } from "./scripted.ts";

/** Our server in the project's configuration, or none there where it is in the user's. */
const FORMS = {
  local: async ({ folder }: Gateway) => {
    await connect("opencode", folder);
    return {};
  },
  remote: ({ address, runtime }: Gateway) => {
    const headers = { Authorization: `Bearer ${runtime.agentToken}` };
    return { sightline: { type: "remote", url: `${address}/mcp`, headers, enabled: true } };
  },
};

for (const [form, server] of Object.entries(FORMS)) {
  // G1, G5, D2, D5, P11
  test(`opencode's list arrives and the user's edit comes back to it (${form})`, async ({
    folder,
    gateway,
  }) => {
    const model = await Model.start();
    const path = project(folder, model, await server(gateway));
    const user = await Socket.open(gateway.runtime);
    await user.ask("events.subscribe");
    const agent = run(folder, path, "Prepare the release. Keep a list of the steps.");
    try {
      await model.answer(call("sightline_todo_write", { todos: STORY }));
      const update = await user.first((message) => message.type === "todo.update");
      expect(contents(update["todos"] as Todo[])).toEqual(contents(STORY));
      const sessionId = update["sessionId"] as string;
      const { session } = (await user.ask("session.get", { sessionId })) as unknown as {
        session: { agent: { name: string }; folder?: string };
      };
      expect(session.agent.name).toBe("opencode");
      if (form === "local") expect(session.folder).toBe(path);

      await model.asked();
      await user.ask("todo.add", { sessionId, position: "2", content: "Ask the customer" });
      await user.ask("todo.delete", { sessionId, position: "last" });
      await model.answer(call("sightline_todo_write", { todos: STORY }));
      const [first, second] = results(await model.asked());
      expect(first).toContain("Updated todos: 1/3 complete");
      expect(first).not.toContain("Ask the customer");
      expect(second).toContain("Updated todos: 1/3 complete");
      expect(second, "what the user added is told").toContain("Ask the customer");
      expect(second, "what the user deleted is told").toContain("Add the tests");

      await model.answer(LAST_WORD);
      expect(await agent.end(90)).toBe(0);
      const after = await user.ask("session.get", { sessionId });
      expect(contents(after["todos"] as Todo[])).toEqual([
        "Read the format page",
        "Ask the customer",
        "Fix the parser",
      ]);
      const withTools = model.requests.find((body) => body.includes("sightline_todo_write"));
      expect(withTools, "the model is told when to use it").toMatch(/three|3 steps/);
    } finally {
      user.close();
      await model.stop();
    }
  });
}
