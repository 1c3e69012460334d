// Conversations with the built-in agent, each at rest: one that is over, one that asks for a call, one for its plan.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DataFolder } from "../parts/gateway.ts";
import { type Answer, calls, COMPLEX, completes, DONE, plan, scripted, steps } from "../parts/model.ts";
import { until } from "../parts/process.ts";
import { Socket } from "../parts/socket.ts";
import { fileServer, READ, WRITE } from "../parts/tools.ts";

const README = "# Orders\n\nReads orders from CSV files and writes invoices.\n";

const FOUND = `A field with a comma in quotes is split in two. \`fields\` takes every comma for the end of a field:

\`\`\`rust
fn fields(line: &str) -> Vec<&str> {
    line.split(',').map(str::trim).collect()
}
\`\`\`

| Line | Fields | Expected |
|-----:|-------:|---------:|
| 12 | 8 | 7 |
| 1,204 | 9 | 7 |

It now reads quoted fields **as one**, as RFC 4180 has it; both lines are in the tests.`;

const NOTE = "# Invoices\n\nEach order becomes one invoice.\n";

interface Conversation {
  project: string;
  task: string;
  answers: (folder: string) => Answer[];
}

const CONVERSATIONS: Conversation[] = [
  {
    project: "orders",
    task: "Find out why some addresses are cut off, and mend it",
    answers: (folder) => [
      COMPLEX,
      plan("Read how lines are split", "Read quoted fields as one", "Add the odd lines to the tests"),
      {
        ...calls([READ, { path: join(folder, "README.md") }], [READ, { path: join(folder, "parse.md") }]),
        reasoning: "The user speaks of addresses: a comma in them is likely.",
      },
      completes(1),
      completes(2),
      { ...completes(3), content: FOUND },
      DONE,
    ],
  },
  {
    project: "invoices",
    task: "Write down what becomes of an order, and look it through",
    answers: (folder) => [
      COMPLEX,
      plan("Write the note", "Look it through"),
      calls([WRITE, { path: join(folder, "note.md"), content: NOTE }]),
    ],
  },
  {
    project: "website",
    task: "Put the opening hours on the front page, then check the links",
    answers: () => [
      COMPLEX,
      steps(
        { content: "Read the front page", tool: READ },
        { content: "Write the opening hours below the address", tool: WRITE },
        { content: "Check the links" },
      ),
    ],
  },
];

/** Has them all in a gateway. */
export async function converse(folder: DataFolder): Promise<void> {
  const all = CONVERSATIONS.map((said) => ({ ...said, folder: join(folder.home, said.project) }));
  for (const { folder: project } of all) {
    mkdirSync(project);
    writeFileSync(join(project, "README.md"), README);
  }
  // The tokens of an answer are estimated from its prompt, in which folders stand.
  const usage = { prompt_tokens: 1_240, completion_tokens: 85, total_tokens: 1_325 };
  const answers = all.flatMap((said) => said.answers(said.folder)).map((answer) => ({ ...answer, usage }));
  const socket = await Socket.open(await folder.gateway());
  await socket.ask("settings.update", {
    ...(await scripted(folder, answers)),
    ...fileServer(folder.home),
    chatApprovalSeconds: 3_600,
  });
  for (const { task, folder: project } of all) {
    const { sessionId } = await socket.ask("chat.send", { content: task, folder: project });
    await until(`“${task}” rests`, async () => {
      const { run } = (await socket.ask("chat.get", { sessionId })) as { run?: Record<string, unknown> };
      return !run || run.approval !== undefined || run.preflight !== undefined;
    });
  }
  socket.close();
}
