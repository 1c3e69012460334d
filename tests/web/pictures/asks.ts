// Agents that ask for permissions, and one that has a question. They wait as long as their connections are there.
import type { DataFolder } from "../parts/gateway.ts";
import { Socket } from "../parts/socket.ts";

interface Asks {
  agent: string;
  project: string;
  prompt: string;
  tool: string;
  input: object;
  questions?: object[];
  /** The files that it has changed, and what that has taken. */
  files?: string[];
  usage?: object;
}

const LONG = [
  "cargo test --workspace --all-features --no-fail-fast -- --test-threads=4 --nocapture",
  '2>&1 | tee target/test.log | grep -E "^(test|failures)" > target/summary.txt',
].join(" ");

const ASKED: Asks[] = [
  {
    agent: "claude",
    project: "billing-api",
    prompt: "Prepare the release",
    tool: "Bash",
    input: { command: LONG, description: "Run every test and keep what it says" },
  },
  {
    agent: "codex",
    project: "search",
    prompt: "Rank titles above descriptions",
    tool: "Edit",
    input: {
      file_path: "/home/me/search/src/rank.rs",
      old_string: "let weight = 1.0;",
      new_string: "let weight = if field == Field::Title { 2.5 } else { 1.0 };",
    },
    files: [
      "/home/me/search/src/rank.rs",
      "/home/me/search/tests/queries_whose_answers_people_expect.rs",
      "/home/me/search/src/rank.rs",
      "/tmp/notes.md",
    ],
    usage: {
      model: "gpt-5.2-codex",
      contextTokens: 61_200,
      contextWindow: 272_000,
      inputTokens: 1_480_000,
      cachedTokens: 1_210_000,
      outputTokens: 38_400,
      microDollars: 1_930_000,
    },
  },
  {
    agent: "claude",
    project: "website",
    prompt: "Move the news page to the new engine",
    tool: "AskUserQuestion",
    input: {},
    questions: [
      {
        header: "Database",
        text: "Where should the articles be kept?",
        options: [
          { label: "SQLite", description: "One file, nothing to run" },
          { label: "Postgres", description: "The server that is there already" },
        ],
      },
    ],
  },
];

/** Has them ask, the one after the other; gives their connections. */
export async function ask(folder: DataFolder): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (const [index, asks] of ASKED.entries()) {
    const { agent, project, prompt, tool, input, questions, files = [], usage } = asks;
    const socket = await Socket.open(await folder.gateway());
    sockets.push(socket);
    const home = `/home/me/${project}`;
    const own = `0199aa11-0005-7000-8000-00000000000${index}`;
    await socket.ask("hello", { agent: { agent: { name: agent }, ownSession: own, project, folder: home } });
    const report = { happened: "prompted", text: prompt, listens: false, begins: true };
    await socket.ask("session.report", { ...report, ...(usage && { usage }) });
    for (const file of files)
      await socket.ask("session.report", { done: { tool: "Edit", text: file, file } });
    const asked = { tool, input: JSON.stringify(input), waitSeconds: 600, ...(questions && { questions }) };
    // Answered by nobody: it ends with its connection.
    void socket.ask("permission.ask", asked).catch(() => undefined);
  }
  return sockets;
}
