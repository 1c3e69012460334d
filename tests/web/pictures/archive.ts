// The past: a month of runs, as another gateway wrote it down and as the agents' own files tell it.
import { DataFolder } from "../parts/gateway.ts";
import { Socket } from "../parts/socket.ts";
import { MOMENT } from "./still.ts";

interface Past {
  /** So many days before the pictures, at this hour and minute. */
  day: number;
  at: string;
  agent: string;
  project: string;
  asked: string;
  /** The steps and the minutes that each took; those after the last one done are left. */
  steps: [words: string, minutes: number, estimate?: string][];
  done: number;
  /** The agent said that it failed. */
  hasFailed?: true;
  /** The user has deleted it since. */
  isDeleted?: true;
}

/** The agents whose lists came in from an export, with every revision. */
const IMPORTED: Past[] = [
  {
    day: 9,
    at: "13:10",
    agent: "claude",
    project: "mobile",
    asked: "The settings screen forgets what was chosen when the phone is turned",
    steps: [
      ["Reproduce it on both systems", 10],
      ["Keep the choice in the state", 6],
      ["Add a test that turns the phone", 9],
    ],
    done: 3,
    isDeleted: true,
  },
  {
    day: 4,
    at: "14:25",
    agent: "codex",
    project: "search",
    asked: "Rank titles above descriptions",
    steps: [
      ["Write queries with the answers people expect", 12],
      ["Weigh the fields", 8],
      ["Compare with before", 5],
    ],
    done: 3,
    isDeleted: true,
  },
  {
    day: 3,
    at: "10:15",
    agent: "qwen",
    project: "cli",
    asked: "Try another test runner",
    steps: [
      ["Move one test", 6],
      ["Move the others", 20],
    ],
    done: 1,
    isDeleted: true,
  },
  {
    day: 2,
    at: "10:33",
    agent: "opencode",
    project: "docs-site",
    asked: "Document the parser flags",
    steps: [
      ["Collect the flags", 3],
      ["Write a page for each", 19],
      ["Check the links", 2],
    ],
    done: 3,
  },
  {
    day: 2,
    at: "16:12",
    agent: "claude",
    project: "billing-api",
    asked: "Find out why the nightly export takes four hours, and make it take one",
    steps: [
      ["Profile one night", 21],
      ["Read in batches", 12],
      ["Write while reading", 16],
      ["Profile again", 20],
    ],
    done: 4,
  },
  {
    day: 1,
    at: "09:20",
    agent: "gemini",
    project: "website",
    asked: "Markdown parser: choose a library",
    steps: [
      ["Collect the candidates", 5],
      ["Measure them on the longest page", 11],
      ["Check their licences", 6],
      ["Choose", 2],
      ["Replace the old one", 9],
    ],
    done: 4,
  },
  {
    day: 1,
    at: "11:02",
    agent: "codex",
    project: "sightline",
    asked: "Try a new config format and measure what it costs",
    steps: [
      ["Write the new reader", 6],
      ["Measure both", 4],
      ["Move the old files", 8],
      ["Write it down", 3],
    ],
    done: 2,
    hasFailed: true,
  },
  {
    day: 1,
    at: "15:40",
    agent: "claude",
    project: "sightline",
    asked: "Show why an edit was overridden",
    steps: [
      ["Read how edits travel", 9],
      ["Draw the mark", 7],
      ["Say it to screen readers", 4],
    ],
    done: 3,
  },
  {
    day: 1,
    at: "17:05",
    agent: "qwen",
    project: "api",
    asked: "Replace the argument parser and keep every old flag",
    steps: [
      ["List the flags there are", 4],
      ["Choose a parser", 6],
      ["Replace the argument parser", 14],
      ["Compare the help texts", 5],
    ],
    done: 4,
  },
];

/** Of whose own lists their files told, which counts as done on its day: how many steps, and minutes for each. */
const OBSERVED: Past[] = [
  work(29, "10:10", "codex", "accounts", "Lock accounts after ten wrong passwords", 5, 12),
  work(29, "14:30", "opencode", "website", "Feed for the news page", 4, 5),
  work(26, "11:15", "claude", "accounts", "Delete an account for good", 7, 12),
  work(25, "09:40", "claude", "search", "Understand typing errors in names", 8, 11),
  work(25, "15:05", "gemini", "infra", "Move the backups to cheaper storage", 4, 18),
  work(24, "13:50", "codex", "infra", "One image for all services", 6, 15),
  work(23, "10:20", "claude", "api", "Page through long lists", 7, 9),
  work(23, "16:00", "opencode", "docs-site", "A page for each error code", 8, 4),
  work(22, "09:30", "codex", "billing-api", "Refund a part of an invoice", 6, 16),
  work(19, "14:10", "claude", "mobile", "Open links in the app", 5, 13),
  work(18, "11:25", "gemini", "mobile", "Read receipts", 6, 17),
  work(18, "15:30", "claude", "website", "Dark mode", 7, 10),
  work(17, "10:00", "codex", "search", "Forget deleted pages at once", 4, 9),
  work(17, "13:15", "opencode", "cli", "Complete in three shells", 7, 6),
  work(16, "09:45", "claude", "infra", "Rotate the staging keys", 8, 7),
  work(15, "14:20", "codex", "api", "Answer with ETags", 8, 8),
  work(15, "16:10", "gemini", "website", "Serve fonts ourselves", 3, 11),
  work(12, "09:20", "claude", "billing-api", "Split the invoice page", 8, 10),
  work(12, "13:35", "opencode", "docs-site", "Fix every dead link", 6, 3),
  work(11, "10:50", "codex", "accounts", "Sign in with passkeys", 7, 12),
  work(11, "15:15", "claude", "mobile", "Smaller start-up bundle", 6, 11),
  work(10, "11:30", "gemini", "infra", "Alert on slow queries", 5, 14),
  work(9, "09:35", "claude", "search", "Index in the background", 8, 14),
  work(8, "14:00", "codex", "cli", "Print JSON where it is asked for", 7, 7),
  work(8, "16:25", "opencode", "website", "Pictures in two sizes", 5, 6),
  work(5, "10:05", "claude", "api", "Say what a request costs", 8, 9),
  work(5, "13:40", "gemini", "mobile", "Larger text on every screen", 7, 8),
  work(4, "09:25", "claude", "accounts", "Export all that is known of a person", 7, 13),
  work(3, "11:10", "codex", "docs-site", "Examples that are run by the tests", 8, 10),
  work(3, "14:45", "claude", "infra", "Test the backups by reading them back", 5, 16),
  work(2, "13:30", "opencode", "cli", "Ask before anything is overwritten", 6, 5),
];

function work(
  day: number,
  at: string,
  agent: string,
  project: string,
  asked: string,
  count: number,
  minutes: number,
): Past {
  const words = [
    "Read what is there",
    "Write a test that fails",
    "Make the change",
    "Look at the odd cases",
    "Measure before and after",
    "Write it down",
    "Read it all once more",
    "Open the pull request",
  ].slice(0, count);
  const steps = words.map((step, index): Past["steps"][number] => [step, minutes + index - 2, "10min"]);
  return { day, at, agent, project, asked, steps, done: count };
}

const MINUTE = 60_000;

function begin({ day, at }: Past): number {
  return Date.parse(`${MOMENT.slice(0, 10)}T${at}:00Z`) - day * 24 * 60 * MINUTE;
}

/** When each step was done, and before them all when the list was written. */
function times(past: Past): number[] {
  let time = begin(past);
  return [time, ...past.steps.slice(0, past.done).map(([, minutes]) => (time += minutes * MINUTE))];
}

function statusAt(step: number, done: number, past: Past): string {
  if (step < done) return "completed";
  return step === done && done < past.done ? "in_progress" : "pending";
}

const id = (kind: number, ...numbers: number[]): string =>
  `0199aa11-000${kind}-7000-8000-${numbers
    .map((number) => String(number).padStart(4, "0"))
    .join("")
    .padStart(12, "0")}`;

/** As a gateway exports it. */
function exported(past: Past, index: number): object {
  const at = times(past).map((time) => new Date(time).toISOString());
  const last = at.length;
  const items = past.steps.flatMap(([content, minutes], step) => {
    const statuses = at.map((_, done) => statusAt(step, done, past));
    const begins = statuses.flatMap((status, done) => (status === statuses[done - 1] ? [] : [done]));
    return begins.map((from, place) => {
      const to = begins[place + 1];
      const status = statuses[from]!;
      return {
        from: from + 1,
        ...(to !== undefined && { to: to + 1 }),
        rank: `${(0x81 + step).toString(16)}80`,
        item: {
          uid: id(2, index, step),
          id: String(step + 1),
          content,
          status,
          origin: "agent",
          createdAt: at[0],
          statusAt: at[from],
          ...(status === "completed" && { workedMs: minutes * MINUTE }),
        },
      };
    });
  });
  return {
    sessionId: id(1, index),
    title: past.asked,
    prompt: past.asked,
    agent: past.agent,
    project: past.project,
    folder: `/home/ann/${past.project}`,
    branch: "main",
    state: past.hasFailed ? "failed" : past.done === past.steps.length ? "finished" : "open",
    ...(past.hasFailed && { stateReason: "the new format is slower" }),
    stateAt: at.at(-1),
    listState: "active",
    idsGiven: 0,
    createdAt: at[0],
    lastActivityAt: at.at(-1),
    firstRevision: 1,
    revision: last,
    revisions: at.map((time, done) => {
      const by = { by: "agent", name: past.agent, transport: "mcp", cause: "todo.write" };
      return { revision: done + 1, at: time, ...by };
    }),
    lists: [{ listId: id(3, index), from: 1, createdAt: at[0] }],
    items,
  };
}

/** As the agent's files tell it, list by list. */
async function observe(folder: DataFolder, past: Past, index: number): Promise<void> {
  const socket = await Socket.open(await folder.gateway());
  const { agent, project, asked, steps } = past;
  await socket.ask("hello", {
    agent: { agent: { name: agent }, ownSession: id(4, index), project, folder: `/home/ann/${project}` },
  });
  for (const [done, time] of times(past).entries()) {
    await socket.ask("todo.observe", {
      tool: "update_plan",
      title: asked,
      at: new Date(time).toISOString(),
      todos: steps.map(([content, , estimate], step) => {
        return { id: String(step + 1), content, estimate, status: statusAt(step, done, past) };
      }),
    });
  }
  socket.close();
}

/** Puts it all into a gateway. */
export async function seed(folder: DataFolder): Promise<void> {
  for (const [index, past] of OBSERVED.entries()) await observe(folder, past, index);
  const socket = await Socket.open(await folder.gateway());
  await socket.ask("hello", {});
  const text = JSON.stringify({ sightline: 1, sessions: IMPORTED.map(exported) });
  await socket.ask("session.import", { text });
  for (const [index, { isDeleted }] of IMPORTED.entries()) {
    if (isDeleted) await socket.ask("session.delete", { sessionId: id(1, index) });
  }
  socket.close();
}
