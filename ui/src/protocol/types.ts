// Made from crates/protocol by `cargo xtask types`; do not edit.

export type Actor = { 
/**
 * Agent, subagent or user.
 */
kind: ActorKind, 
/**
 * The agent's name, or the client's.
 */
name: string, 
/**
 * The way in.
 */
transport: Transport, };

export type ActorKind = "agent" | "subagent" | "user";

export type AgentChange = "connect" | "disconnect" | "ownListOn" | "ownListOff" | "instruct" | "uninstruct";

export type AgentIdentity = { 
/**
 * Its name and version.
 */
agent: AgentInfo, 
/**
 * The agent's own id for its session; a resumed run has the same.
 */
ownSession?: string, 
/**
 * Of a subagent: the own id of the session that it works for.
 */
parent?: string, 
/**
 * The MCP session or the shim's process.
 */
connection?: string, 
/**
 * The label in the address (`/mcp/LABEL`) or on the shim's command line.
 */
label?: string, 
/**
 * The processes that it is, or may be, the nearest first, each as its id and start: of a tool server the one that
 * started it, of a hook those above it.
 */
processes?: Array<string>, 
/**
 * The folder it works in.
 */
folder?: string, 
/**
 * The short name of the project: of the folder that holds the repository, or of the folder itself.
 */
project?: string, 
/**
 * The git branch that is checked out there; the commit's first letters where none is.
 */
branch?: string, };

export type AgentInfo = { 
/**
 * `codex`, `opencode`, `gemini`, … or whatever the client calls itself.
 */
name: string, 
/**
 * Its version.
 */
version?: string, };

export type AgentSetup = { 
/**
 * Its name in requests: `codex`.
 */
agent: string, 
/**
 * Its name for people: `Codex`.
 */
title: string, 
/**
 * Its program; none where it was not found.
 */
program?: string, 
/**
 * The version that it says.
 */
version?: string, 
/**
 * Our tool server in its configuration.
 */
server: Registered, 
/**
 * What of it is otherwise, in words.
 */
serverProblem?: string, 
/**
 * Our hooks; none where the agent has no hooks.
 */
hooks?: Registered, 
/**
 * What of them is otherwise, in words.
 */
hooksProblem?: string, 
/**
 * Its own todo list.
 */
ownList: OwnSwitch, 
/**
 * When it last wrote a list of ours (RFC 3339, UTC); none where it never called.
 */
lastList?: string, 
/**
 * When it last wrote its own (RFC 3339, UTC).
 */
lastOwnList?: string, 
/**
 * The file that the line about us goes into: `AGENTS.md`.
 */
instructions: string, };

export type AgentsApplied = { 
/**
 * The files that were written or removed.
 */
written: Array<string>, 
/**
 * Where they are kept as they were.
 */
backups: Array<string>, 
/**
 * See [`AgentsPlanned::notes`].
 */
notes: Array<string>, };

export type AgentsApply = { 
/**
 * Which plan.
 */
planId: string, };

export type AgentsList = Record<symbol, never>;

export type AgentsPlan = { 
/**
 * Which agent.
 */
agent: string, 
/**
 * What to do.
 */
change: AgentChange, 
/**
 * The project's folder, absolute: its configuration instead of the user's. Needed for instructions.
 */
folder?: string, 
/**
 * Connect without hooks.
 */
noHooks?: boolean, 
/**
 * Take the place of another server of our name.
 */
replace?: boolean, };

export type AgentsPlanned = { 
/**
 * Names the plan, for [`AgentsApply`]. It is kept until the next plan for the same agent, or the gateway's end.
 */
planId: string, 
/**
 * A unified diff of the files, and commands as `$ command`; empty where nothing has to change.
 */
diff: string, 
/**
 * What the user has to know or to do besides, each a sentence without a full stop.
 */
notes: Array<string>, };

export type AgentsStepEvent = { 
/**
 * Which agent.
 */
agent: string, 
/**
 * It went well.
 */
ok: boolean, 
/**
 * What was done, in words.
 */
what: string, };

export type AgentsTest = { 
/**
 * Which agent.
 */
agent: string, 
/**
 * Also let the agent itself make one call; it asks its model for it.
 */
real?: boolean, };

export type AgentsTested = { 
/**
 * Which agent.
 */
agent: string, 
/**
 * Every step went well.
 */
ok: boolean, 
/**
 * The steps that were taken, in order.
 */
steps: Array<TestStep>, 
/**
 * What to do about the one that failed.
 */
mend?: string, };

export type AgentsThere = { 
/**
 * Every agent that can be connected, installed or not.
 */
agents: Array<AgentSetup>, 
/**
 * The import that runs, or the last one since the gateway started.
 */
import?: ImportProgress, };

export type ArchiveInfo = { 
/**
 * Bytes of the database's file.
 */
bytes: number, 
/**
 * Bytes of it that hold nothing and go back to the disk soon.
 */
freeBytes: number, 
/**
 * Sessions, without those that were deleted.
 */
sessions: number, 
/**
 * Sessions that were deleted and can be brought back.
 */
deleted: number, 
/**
 * Sessions that retention takes by their age when it looks next.
 */
due: number, 
/**
 * The agents that there are sessions of, by name, at most 500.
 */
agents: Array<string>, 
/**
 * The projects that there are sessions of, by name, at most 500.
 */
projects: Array<string>, };

export type ArchiveInsight = { 
/**
 * From the hour of this time on (RFC 3339); from the beginning when left out.
 */
since?: string, 
/**
 * To the hour before this time (RFC 3339); to now when left out.
 */
until?: string, };

export type ArchiveStatus = { 
/**
 * Count what retention would take with these settings instead of those that are set: see [`crate::Settings`].
 */
with?: Retention, };

export type Archiving = "when-completed" | "always" | "never";

export type Chat = { 
/**
 * Whose.
 */
sessionId: string, 
/**
 * `provider:model` of its next answer; empty where none was chosen.
 */
model: string, 
/**
 * At most 200 messages, oldest first.
 */
messages: Array<ChatMessage>, 
/**
 * There are older ones.
 */
more: boolean, 
/**
 * What is going on.
 */
run?: ChatRun, 
/**
 * The last run left open items or a plan that waits, so that it can be resumed.
 */
canResume: boolean, };

export type ChatAbort = { 
/**
 * Whose.
 */
sessionId: string, };

export type ChatCost = { 
/**
 * Of what was read.
 */
inputCost: number, 
/**
 * Of what was written.
 */
outputCost: number, 
/**
 * Both.
 */
totalCost: number, };

export type ChatGet = { 
/**
 * Whose.
 */
sessionId: string, 
/**
 * Only messages before this one (its `seq`); the newest when left out.
 */
before?: number, };

export type ChatMessage = { 
/**
 * Its number in the conversation, from 1; some are left out.
 */
seq: number, 
/**
 * When (RFC 3339, UTC).
 */
at: string, } & ({ "kind": "user", 
/**
 * Its words.
 */
content: string, } | { "kind": "assistant", 
/**
 * Its prose, Markdown, without `<todo>` blocks. Not trusted.
 */
content: string, 
/**
 * What it thought before, where the model shows that.
 */
reasoning?: string, } | { "kind": "tool", 
/**
 * Names the call.
 */
toolCallId: string, 
/**
 * Which tool.
 */
toolName: string, 
/**
 * As the model sent them.
 */
args: unknown, 
/**
 * What it gave, or why it failed or was not made; none while it is under way.
 */
result?: string, 
/**
 * It failed, or was not made.
 */
isError?: boolean, 
/**
 * It was not made: refused, denied, not answered in time, or stopped before it began.
 */
notMade?: boolean, } | { "kind": "notice", 
/**
 * For people.
 */
message: string, 
/**
 * What failed, where it says that a model is asked once more. Of such notices in a row the last is enough.
 */
retries?: string, } | { "kind": "end", 
/**
 * How.
 */
outcome: ChatOutcome, 
/**
 * For people; empty where there is nothing to add.
 */
message: string, 
/**
 * What it took, where its model said so.
 */
usage?: ChatUsage, 
/**
 * What that cost, where its provider said so.
 */
cost?: ChatCost, });

export type ChatModels = Record<symbol, never>;

export type ChatModelsThere = { 
/**
 * By provider, those without configuration first.
 */
providers: Array<ChatProviderThere>, };

export type ChatOutcome = "completed" | "waiting" | "aborted" | "failed" | "interrupted";

export type ChatProvider = { 
/**
 * Letters, digits and hyphens.
 */
name: string, 
/**
 * What it speaks.
 */
kind: ProviderKind, 
/**
 * The base address: `http://127.0.0.1:1234/v1/`.
 */
endpoint: string, };

export type ChatProviderThere = { 
/**
 * Its name: the part of a model's name before the colon.
 */
name: string, 
/**
 * Its models, each `provider:model`.
 */
models: Array<string>, 
/**
 * Why they could not be asked for, and what to do.
 */
problem?: string, 
/**
 * Where its key is: `environment`, `keyring`, `file`, or empty where there is none.
 */
key: string, 
/**
 * It answers nobody without a key.
 */
needsKey: boolean, };

export type ChatResume = { 
/**
 * Whose.
 */
sessionId: string, 
/**
 * See [`ChatSend::model`].
 */
model?: string, 
/**
 * See [`ChatSend::request_id`].
 */
requestId?: string, };

export type ChatRun = { 
/**
 * Names it in its events.
 */
requestId: string, 
/**
 * What of the answer under way has come so far.
 */
content: string, 
/**
 * What its model has thought so far.
 */
reasoning: string, 
/**
 * What it does, for people: `Planning`.
 */
doing: string, 
/**
 * The call that waits for the user.
 */
approval?: ToolApprovalRequest, 
/**
 * The plan that waits for the user.
 */
preflight?: PreflightChecklist, };

export type ChatSend = { 
/**
 * A session of the built-in agent's; a new one when left out.
 */
sessionId?: string, 
/**
 * What is to be done: at most 100,000 characters.
 */
content: string, 
/**
 * `provider:model`, for this session from now on; when left out that of the session, else that of the settings.
 */
model?: string, 
/**
 * The folder that a new session works in, for its tools.
 */
folder?: string, 
/**
 * The message's id as the transport saw it, which names the run. Transports set it.
 */
requestId?: string, };

export type ChatServer = { 
/**
 * Letters, digits and hyphens.
 */
name: string, 
/**
 * The program and its arguments; empty where there is a `url`.
 */
command: Array<string>, 
/**
 * Its environment, beside this one's. `${NAME}` in a value is this one's: no secret is written down here.
 */
env: { [key in string]: string }, 
/**
 * Its folder; the session's when empty.
 */
folder: string, 
/**
 * `http://127.0.0.1:8080/mcp`; empty where there is a `command`.
 */
url: string, 
/**
 * For each request; `${NAME}` as in `env`.
 */
headers: { [key in string]: string }, 
/**
 * It is left alone.
 */
disabled: boolean, };

export type ChatServerThere = { 
/**
 * Its name in the settings.
 */
name: string, 
/**
 * Its tools.
 */
tools: Array<ChatToolThere>, 
/**
 * Why it cannot be reached, and what to do.
 */
problem?: string, };

export type ChatStarted = { 
/**
 * In which session.
 */
sessionId: string, 
/**
 * Names the run in its events.
 */
requestId: string, 
/**
 * `provider:model`.
 */
model: string, 
/**
 * The session is new.
 */
created: boolean, };

export type ChatStreamDelta = { 
/**
 * The run.
 */
requestId: string, 
/**
 * Its session.
 */
sessionId: string, 
/**
 * What comes behind what came before. Not trusted.
 */
delta: string, 
/**
 * What came of this answer before it, in UTF-16 code units: where `content` or `reasoning` of a [`ChatRun`] that is
 * longer has it already.
 */
offset: number, };

export type ChatStreamEnd = { 
/**
 * The run.
 */
requestId: string, 
/**
 * Its session.
 */
sessionId: string, 
/**
 * What it took; zeros where the model does not say.
 */
usage: ChatUsage, 
/**
 * What that cost; zeros where the provider does not say.
 */
cost: ChatCost, 
/**
 * How it ended.
 */
outcome: ChatOutcome, 
/**
 * For people; empty where there is nothing to add.
 */
message: string, };

export type ChatStreamStart = { 
/**
 * The run.
 */
requestId: string, 
/**
 * Its session.
 */
sessionId: string, 
/**
 * `provider:model`.
 */
model: string, };

export type ChatTest = { 
/**
 * `provider:model`.
 */
model: string, };

export type ChatToolThere = { 
/**
 * Its name, as the policies have it.
 */
name: string, 
/**
 * What it says of itself. Not trusted.
 */
description: string, 
/**
 * What has to happen before it is called.
 */
policy: ToolPolicy, };

export type ChatTools = Record<symbol, never>;

export type ChatToolsThere = { 
/**
 * By the configured servers, in their order.
 */
servers: Array<ChatServerThere>, };

export type ChatUpdated = { 
/**
 * Whose.
 */
sessionId: string, 
/**
 * The message that was added.
 */
message?: ChatMessage, 
/**
 * What goes on now; none where nothing does.
 */
run?: ChatRun, 
/**
 * See [`Chat::can_resume`].
 */
canResume: boolean, };

export type ChatUsage = { 
/**
 * Read.
 */
inputTokens: number, 
/**
 * Written.
 */
outputTokens: number, 
/**
 * Both.
 */
totalTokens: number, };

export type Choice = { 
/**
 * The whole line with it.
 */
line: string, 
/**
 * What it adds: `add`, `2`, `completed`.
 */
label: string, 
/**
 * What it means: the command's purpose, the item at that position.
 */
detail?: string, };

export type ClientInfo = { 
/**
 * A name for people: `sightline mcp`.
 */
name: string, 
/**
 * Its version.
 */
version?: string, 
/**
 * Tells it from others of its kind over all its connections, so that it can undo its own edits after a reconnect.
 */
id?: string, 
/**
 * What it is; [`Transport::Websocket`] when left out.
 */
transport?: Transport, };

export type Code = "INVALID_MESSAGE" | "USAGE" | "UNKNOWN_TYPE" | "MESSAGE_TOO_LARGE" | "INVALID_TODOS" | "LIMIT_EXCEEDED" | "INVALID_POSITION" | "ITEM_NOT_FOUND" | "ITEM_REMOVED" | "SESSION_NOT_FOUND" | "SESSION_AMBIGUOUS" | "REVISION_NOT_FOUND" | "READ_ONLY" | "CONFIGURATION" | "INVALID_SETTING" | "CANNOT_UNDO" | "UNAUTHORIZED" | "FORBIDDEN" | "STREAM_IN_PROGRESS" | "PROVIDER_NOT_CONFIGURED" | "AGENT_ERROR" | "NO_PENDING_APPROVAL" | "NO_PENDING_PREFLIGHT" | "PREFLIGHT_REJECTED" | "RATE_LIMITED" | "STORAGE" | "UNAVAILABLE" | "INTERNAL";

export type Commanded = { 
/**
 * What a terminal prints, lines of text: `Added TODO at position 2: "x"`, or a whole list.
 */
output: string, 
/**
 * What it made of the list, where it changes one.
 */
edited?: Edited, };

export type Completions = { 
/**
 * How the command is used, once it is known which: `/todo add <position> <description>`.
 */
usage?: string, 
/**
 * Ways to go on, best first; at most 50.
 */
choices: Array<Choice>, };

export type Done = Record<symbol, never>;

export type EditInsist = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * Which edit; the newest such when left out.
 */
editId?: string, };

export type EditKind = "add" | "delete" | "clear" | "set" | "move" | "load" | "note";

export type EditState = "queued" | "delivered" | "reflected" | "overridden" | "ignored" | "superseded";

export type EditStateEvent = { 
/**
 * See [`TodoUpdate::cursor`].
 */
cursor: string, 
/**
 * Which edit.
 */
editId: string, 
/**
 * Of which session.
 */
sessionId: string, 
/**
 * The item it is about.
 */
uid?: string, 
/**
 * How far it has come.
 */
state: EditState, 
/**
 * Since when (RFC 3339, UTC).
 */
at: string, 
/**
 * The tool call whose result told it.
 */
toolCall?: string, };

export type EditView = { 
/**
 * Names it, for `todo.undo`.
 */
editId: string, 
/**
 * What was done.
 */
kind: EditKind, 
/**
 * The item it is about; none where there are several.
 */
uid?: string, 
/**
 * What was added, removed or changed, in short.
 */
text: string, 
/**
 * What was made of it: `status completed`, `to 2`.
 */
detail?: string, 
/**
 * How far it has come.
 */
state: EditState, 
/**
 * Since when (RFC 3339, UTC).
 */
at: string, 
/**
 * When the agent was told (RFC 3339, UTC).
 */
deliveredAt?: string, 
/**
 * The tool call whose result told it.
 */
toolCall?: string, 
/**
 * The user insists on it, after the agent overrode or ignored it.
 */
insisted?: boolean, 
/**
 * The client that made it; each window undoes its own.
 */
client: string, };

export type Edited = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * The new revision.
 */
revision: number, 
/**
 * The list after it.
 */
todos: Array<Item>, 
/**
 * Names the edit, for `todo.undo`; an undo names the edit it took back. Empty where everything was so already: then
 * there is no new revision either.
 */
editId: string, 
/**
 * What was done, in the words of the terminal: `Added TODO at position 2: "x"`.
 */
message: string, 
/**
 * What an undo left as it is, since others changed it meanwhile.
 */
remarks?: Array<string>, };

export type ErrorEvent = { 
/**
 * The request's id, where it had one.
 */
requestId?: string, 
/**
 * Where it ended a run of the built-in agent's: that one's session.
 */
sessionId?: string, 
/**
 * For programs.
 */
code: Code, 
/**
 * For people.
 */
message: string, };

export type Event = { "type": "todo.update" } & TodoUpdate | { "type": "session.created" } & SessionEvent | { "type": "session.updated" } & SessionEvent | { "type": "session.deleted" } & SessionDeleted | { "type": "edit.state" } & EditStateEvent | { "type": "gateway.state" } & GatewayStateEvent | { "type": "agents.step" } & AgentsStepEvent | { "type": "import.progress" } & ImportProgress | { "type": "settings.updated" } & SettingsEvent | { "type": "chat.stream.start" } & ChatStreamStart | { "type": "chat.stream.delta" } & ChatStreamDelta | { "type": "chat.stream.reasoning" } & ChatStreamDelta | { "type": "chat.stream.end" } & ChatStreamEnd | { "type": "chat.updated" } & ChatUpdated | { "type": "tool.call" } & ToolCalled | { "type": "tool.result" } & ToolResulted | { "type": "tool.error" } & ToolFailed | { "type": "tool.approval.request" } & ToolApprovalRequest | { "type": "preflight.checklist" } & PreflightChecklist | { "type": "error" } & ErrorEvent;

export type EventsSnapshot = { 
/**
 * Events that follow have later cursors.
 */
cursor: string, 
/**
 * The current sessions, newest activity first, at most [`crate::SNAPSHOT_SESSIONS`].
 */
sessions: Array<SessionTodos>, 
/**
 * `true`: this is all there is, forget what you had. `false`: only what changed after `since`.
 */
whole: boolean, 
/**
 * Sessions that were deleted after `since`.
 */
deleted: Array<string>, 
/**
 * What the user has set.
 */
settings: Settings, };

export type EventsSubscribe = { 
/**
 * The last cursor seen: the snapshot then holds only sessions that changed after it.
 */
since?: string, };

export type ExportFormat = "markdown" | "json" | "training";

export type Exported = { 
/**
 * The text.
 */
text: string, };

export type Found = { 
/**
 * One of each session of this page: first those whose title or folder has the words, then those whose items have
 * them, both newest first. Fewer than asked for, or none, do not mean that it is the last page.
 */
results: Array<FoundIn>, 
/**
 * Ask with it for the next page; absent at the end.
 */
nextCursor?: string, };

export type FoundIn = { 
/**
 * Its session's id.
 */
sessionId: string, 
/**
 * The newest revision in which it was there: where to open the session.
 */
revision: number, 
/**
 * The session's title.
 */
title: string, 
/**
 * The words around what was found.
 */
snippet: string, 
/**
 * The same in parts.
 */
parts: Array<SnippetPart>, 
/**
 * The item that says it; absent where it is the session's title or folder.
 */
uid?: string, 
/**
 * The session as it is now.
 */
session: Session, };

export type GatewayInfo = { 
/**
 * Seconds since its start.
 */
uptime: number, 
/**
 * Its port; 0 where it serves none.
 */
port: number, 
/**
 * Its process.
 */
pid: number, 
/**
 * How many subscribers it has.
 */
connections: number, 
/**
 * How many sessions are current.
 */
sessions: number, 
/**
 * Tek's field: the model providers; none yet.
 */
providers: Array<string>, 
/**
 * Its version.
 */
version: string, 
/**
 * Transactions that it committed since its start.
 */
commits: number, 
/**
 * Where it keeps its data.
 */
dataDir: string, 
/**
 * How to reach it with a browser or an agent: `http://127.0.0.1:3271`; none where it serves no port.
 */
address?: string, 
/**
 * A command that sends a first list, ready to paste into a terminal.
 */
firstListCommand?: string, 
/**
 * The command that an agent's MCP configuration starts (stdio), ready to paste.
 */
mcpCommand?: string, 
/**
 * When it started (RFC 3339, UTC).
 */
startedAt: string, 
/**
 * Something that the user has to know about its data: it was damaged and what could be read was taken over.
 */
notice?: string, };

export type GatewayState = "connected" | "disconnected" | "lagged" | "closing";

export type GatewayStateEvent = { 
/**
 * To what.
 */
state: GatewayState, 
/**
 * Why, or what to do.
 */
message?: string, };

export type GatewayStatus = Record<symbol, never>;

export type Happened = "worked" | "prompted" | "waits" | "rests" | "failed" | "ended";

export type Hello = { 
/**
 * The client's [`crate::PROTOCOL`]; the gateway's when left out.
 */
protocol?: number, 
/**
 * What it is.
 */
client?: ClientInfo, 
/**
 * For agents: who it is.
 */
agent?: AgentIdentity, };

export type HelloResult = { 
/**
 * The gateway's [`crate::PROTOCOL`].
 */
protocol: number, 
/**
 * The gateway's version.
 */
version: string, 
/**
 * The newest cursor.
 */
cursor: string, };

export type HourOfWork = { 
/**
 * When the hour began (RFC 3339, UTC).
 */
at: string, 
/**
 * The agent's name.
 */
agent: string, 
/**
 * Sessions that wrote their first list.
 */
lists: number, 
/**
 * Items that were completed; one that was taken up again and completed again counts twice.
 */
finished: number, 
/**
 * Items that were skipped or cancelled.
 */
skipped: number, 
/**
 * Items that were taken up again after they were done.
 */
reopened: number, 
/**
 * How long the finished items were in progress, in milliseconds.
 */
workedMs: number, 
/**
 * Finished items that had an estimate.
 */
estimated: number, 
/**
 * What their estimates add up to, in milliseconds.
 */
estimatedMs: number, 
/**
 * How long these were in progress, in milliseconds.
 */
actualMs: number, };

export type ImportCancel = Record<symbol, never>;

export type ImportProgress = { 
/**
 * Whose transcripts are read just now; none before the first and after the last.
 */
agent?: string, 
/**
 * Transcripts that were read.
 */
read: number, 
/**
 * Transcripts there are.
 */
total: number, 
/**
 * Runs with a list among them.
 */
runs: number, 
/**
 * Lists that were new.
 */
lists: number, 
/**
 * Transcripts that could not be read, each with why, at most 20.
 */
unreadable: Array<string>, 
/**
 * It is over.
 */
done: boolean, 
/**
 * It was ended before it was through.
 */
cancelled: boolean, };

export type ImportStart = { 
/**
 * Whose: `claude`, `codex`, `gemini`, `opencode`, `qwen`, `llxprt`; all when empty.
 */
agents: Array<string>, };

export type Insight = { 
/**
 * The hours in which something was done, oldest first; at most the newest 20,000.
 */
hours: Array<HourOfWork>, };

export type Item = { 
/**
 * Ours, stable over the item's life, whatever the agent calls it.
 */
uid: string, 
/**
 * What the agent calls it; where it gave no name, ours: `t1`, `t2`, … , never reused in a session.
 */
id: string, 
/**
 * 1 to 2,000 characters.
 */
content: string, 
/**
 * What to show while it is in progress: "Fixing the parser".
 */
activeForm?: string, 
/**
 * What has become of it.
 */
status: Status, 
/**
 * The agent's own word, when it was none of ours.
 */
statusRaw?: string, 
/**
 * How urgent it is.
 */
priority?: Priority, 
/**
 * A free word, such as `testing`.
 */
category?: string, 
/**
 * What has to be met first, as the agent said it.
 */
dependsOn?: Array<string>, 
/**
 * The item that each of `dependsOn` means, in the same order; null for one that means none and blocks nothing.
 */
dependsOnUids?: Array<string | null>, 
/**
 * Pending, and something that it depends on is not terminal. Derived by [`crate::depends::derive`].
 */
waiting?: boolean, 
/**
 * How long it should take, as the agent said it: `30min`.
 */
estimate?: string, 
/**
 * The same in minutes, where it can be read. Derived by [`crate::depends::derive`].
 */
estimateMinutes?: number, 
/**
 * More about it.
 */
description?: string, 
/**
 * Remarks made on the way.
 */
notes?: string, 
/**
 * Which agent has taken it.
 */
owner?: string, 
/**
 * Why it was skipped or is blocked.
 */
reason?: string, 
/**
 * One level, shown as 1.1, 1.2, …
 */
subtasks?: Array<Item>, 
/**
 * Who put it there.
 */
origin: Origin, 
/**
 * When it came into the list (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Since when it has had its status (RFC 3339, UTC).
 */
statusAt: string, 
/**
 * How long it was in progress, in milliseconds, over all its restarts; a stretch that goes on begins at
 * `statusAt` and is not in it.
 */
workedMs?: number, 
/**
 * How often it was taken up again after it was done.
 */
reopened?: number, 
/**
 * Every key that we do not know, as it was sent.
 */
extra?: Record<string, unknown>, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

export type ListState = "active" | "known-empty" | "never-called" | "tool-off" | "unknown";

export type Need = { 
/**
 * Names it in its session, for `need.dismiss`; the same for as long as it is there.
 */
id: string, 
/**
 * What it is.
 */
kind: NeedKind, 
/**
 * Since when (RFC 3339, UTC).
 */
since: string, 
/**
 * What it is about, in the agent's or the user's words: what it waits for, the item, the edit. At most 300
 * characters; empty where nothing is known.
 */
text: string, 
/**
 * The item it is about.
 */
uid?: string, 
/**
 * The edit it is about.
 */
editId?: string, };

export type NeedDismiss = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * Which of its needs.
 */
needId: string, 
/**
 * `false` puts it back.
 */
dismissed?: boolean, };

export type NeedKind = "waiting" | "blocked" | "overridden" | "ignored" | "drift" | "toolOff";

export type NoteSend = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * 1 to 2,000 characters.
 */
text: string, };

export type OpenWith = "folder" | "terminal" | "editor";

export type Origin = "agent" | "user";

export type OwnReported = { 
/**
 * The session that holds it.
 */
sessionId: string, 
/**
 * The agent's tool that writes it.
 */
tool: string, 
/**
 * The user's edits that this answer tells.
 */
edits: Array<EditView>, 
/**
 * The list.
 */
todos: Array<Item>, };

export type OwnSwitch = "on" | "off" | "unknown" | "none";

export type PreflightApproval = { 
/**
 * Of which run.
 */
requestId: string, 
/**
 * Of which session; needed only where several clients named their runs alike.
 */
sessionId?: string, 
/**
 * It may begin.
 */
approved: boolean, 
/**
 * With these steps; as they are when left out.
 */
editedSteps?: Array<PreflightEdit>, };

export type PreflightChecklist = { 
/**
 * The run, in the answer too.
 */
requestId: string, 
/**
 * Its session.
 */
sessionId: string, 
/**
 * In their order.
 */
steps: Array<PreflightStep>, 
/**
 * Of the whole; zeros, nobody can know.
 */
estimatedCost: PreflightCost, 
/**
 * The tools that are asked for.
 */
requiredPermissions: Array<string>, 
/**
 * None.
 */
warnings: Array<string>, 
/**
 * When it counts as not answered (RFC 3339, UTC).
 */
expiresAt: string, };

export type PreflightCost = { 
/**
 * Tokens to read.
 */
inputTokens: number, 
/**
 * Tokens to write.
 */
outputTokens: number, 
/**
 * US dollars.
 */
estimatedUSD: number, };

export type PreflightEdit = { 
/**
 * Its words.
 */
description: string, 
/**
 * The tool that it is to use.
 */
toolName?: string, 
/**
 * It is left out.
 */
skip: boolean, };

export type PreflightStep = { 
/**
 * Its words.
 */
description: string, 
/**
 * The tool that it means to use.
 */
toolName?: string, 
/**
 * `high` where its tool needs approval, else `low`.
 */
risk: string, 
/**
 * Its tool needs approval.
 */
needsApproval: boolean, };

export type Priority = "high" | "medium" | "low";

export type Progress = { 
/**
 * Completed or skipped.
 */
completed: number, 
/**
 * All but cancelled.
 */
total: number, 
/**
 * For the bar, 0 to 1: the fractions of subtasks included.
 */
fraction: number, };

export type ProviderKind = "openai" | "anthropic" | "gemini" | "ollama";

export type Registered = "absent" | "ours" | "outdated" | "disabled" | "other" | "unreadable";

export type Reply = { "type": "hello.result" } & HelloResult | { "type": "events.subscribe.result" } & EventsSnapshot | { "type": "todo.write.result" } & TodoWritten | { "type": "todo.read.result" } & TodoWritten | { "type": "todo.delivered.result" } & Done | { "type": "todo.add.result" } & Edited | { "type": "todo.delete.result" } & Edited | { "type": "todo.clear.result" } & Edited | { "type": "todo.setStatus.result" } & Edited | { "type": "todo.edit.result" } & Edited | { "type": "todo.move.result" } & Edited | { "type": "todo.undo.result" } & Edited | { "type": "todo.restore.result" } & Edited | { "type": "todo.archive.result" } & Edited | { "type": "note.send.result" } & Edited | { "type": "edit.insist.result" } & Edited | { "type": "todo.command.result" } & Commanded | { "type": "todo.complete.result" } & Completions | { "type": "todo.manage.result" } & TodoManaged | { "type": "session.list" } & Sessions | { "type": "session.get.result" } & SessionAt | { "type": "session.load.result" } & Edited | { "type": "session.revisions.result" } & Revisions | { "type": "session.report.result" } & SessionReported | { "type": "todo.observe.result" } & TodoObserved | { "type": "session.delete.result" } & Done | { "type": "session.undelete.result" } & Done | { "type": "session.leave.result" } & Done | { "type": "session.mark.result" } & Done | { "type": "need.dismiss.result" } & Done | { "type": "session.export.result" } & Exported | { "type": "session.import.result" } & SessionsImported | { "type": "session.search.result" } & Found | { "type": "archive.status.result" } & ArchiveInfo | { "type": "archive.insight.result" } & Insight | { "type": "session.open.result" } & Done | { "type": "session.resume.result" } & ResumeCommand | { "type": "settings.get.result" } & Settings | { "type": "settings.update.result" } & Settings | { "type": "agents.list.result" } & AgentsThere | { "type": "agents.plan.result" } & AgentsPlanned | { "type": "agents.apply.result" } & AgentsApplied | { "type": "agents.test.result" } & AgentsTested | { "type": "import.start.result" } & ImportProgress | { "type": "import.cancel.result" } & ImportProgress | { "type": "chat.send.result" } & ChatStarted | { "type": "chat.abort.result" } & Done | { "type": "chat.resume.result" } & ChatStarted | { "type": "chat.get.result" } & Chat | { "type": "tool.approval.response.result" } & Done | { "type": "preflight.approval.result" } & Done | { "type": "chat.models.result" } & ChatModelsThere | { "type": "chat.test.result" } & Done | { "type": "chat.tools.result" } & ChatToolsThere | { "type": "vault.keys.list.result" } & VaultKeys | { "type": "vault.keys.set.result" } & VaultKeys | { "type": "vault.keys.delete.result" } & VaultKeys | { "type": "gateway.status.result" } & GatewayInfo;

export type Request = { "type": "hello" } & Hello | { "type": "events.subscribe" } & EventsSubscribe | { "type": "todo.write" } & TodoWrite | { "type": "todo.read" } & TodoRead | { "type": "todo.delivered" } & TodoDelivered | { "type": "todo.add" } & TodoAdd | { "type": "todo.delete" } & TodoDelete | { "type": "todo.clear" } & TodoClear | { "type": "todo.setStatus" } & TodoSetStatus | { "type": "todo.edit" } & TodoEdit | { "type": "todo.move" } & TodoMove | { "type": "todo.undo" } & TodoUndo | { "type": "todo.restore" } & TodoRestore | { "type": "todo.archive" } & TodoArchive | { "type": "note.send" } & NoteSend | { "type": "edit.insist" } & EditInsist | { "type": "todo.command" } & TodoCommand | { "type": "todo.complete" } & TodoComplete | { "type": "todo.manage" } & TodoManage | { "type": "session.list" } & SessionList | { "type": "session.get" } & SessionGet | { "type": "session.load" } & SessionLoad | { "type": "session.revisions" } & SessionRevisions | { "type": "session.report" } & SessionReport | { "type": "todo.observe" } & TodoObserve | { "type": "session.delete" } & SessionDelete | { "type": "session.undelete" } & SessionUndelete | { "type": "session.leave" } & SessionLeave | { "type": "session.mark" } & SessionMark | { "type": "need.dismiss" } & NeedDismiss | { "type": "session.export" } & SessionExport | { "type": "session.import" } & SessionImport | { "type": "session.search" } & SessionSearch | { "type": "archive.status" } & ArchiveStatus | { "type": "archive.insight" } & ArchiveInsight | { "type": "session.open" } & SessionOpen | { "type": "session.resume" } & SessionResume | { "type": "settings.get" } & SettingsGet | { "type": "settings.update" } & SettingsUpdate | { "type": "agents.list" } & AgentsList | { "type": "agents.plan" } & AgentsPlan | { "type": "agents.apply" } & AgentsApply | { "type": "agents.test" } & AgentsTest | { "type": "import.start" } & ImportStart | { "type": "import.cancel" } & ImportCancel | { "type": "chat.send" } & ChatSend | { "type": "chat.abort" } & ChatAbort | { "type": "chat.resume" } & ChatResume | { "type": "chat.get" } & ChatGet | { "type": "tool.approval.response" } & ToolApprovalResponse | { "type": "preflight.approval" } & PreflightApproval | { "type": "chat.models" } & ChatModels | { "type": "chat.test" } & ChatTest | { "type": "chat.tools" } & ChatTools | { "type": "vault.keys.list" } & VaultKeysList | { "type": "vault.keys.set" } & VaultKeysSet | { "type": "vault.keys.delete" } & VaultKeysDelete | { "type": "gateway.status" } & GatewayStatus;

export type ResumeCommand = { 
/**
 * Ready to paste into a terminal: `cd /home/ann/api && codex resume 0199…`.
 */
command: string, };

export type Retention = { 
/**
 * Days since a session was heard of last.
 */
keepDays: number, 
/**
 * The same for single projects, by their short names; 0 keeps a project for ever.
 */
keepProjects: { [key in string]: number }, 
/**
 * Megabytes of the database; the oldest sessions go first.
 */
keepMegabytes: number, 
/**
 * Revisions of each session; the oldest go first.
 */
keepRevisions: number, };

export type RevisionView = { 
/**
 * Its number, from 1, without gaps.
 */
revision: number, 
/**
 * When (RFC 3339, UTC).
 */
at: string, 
/**
 * Who.
 */
actor: Actor, 
/**
 * The type of the request that made it: `todo.write`, `todo.add`, `session.load`, …
 */
cause: string, 
/**
 * The uids of items that came.
 */
added: Array<string>, 
/**
 * The uids of items that changed.
 */
changed: Array<string>, 
/**
 * The uids of items that went.
 */
removed: Array<string>, };

export type Revisions = { 
/**
 * A page of them, newest first.
 */
revisions: Array<RevisionView>, 
/**
 * Ask with it for the next page; absent at the end.
 */
nextCursor?: string, };

export type Session = { 
/**
 * Ours.
 */
sessionId: string, 
/**
 * The name it was opened under, if it was.
 */
label?: string, 
/**
 * The session whose subagent this is, or, of an agent's own list, that of the run.
 */
parentSessionId?: string, 
/**
 * The list is the agent's own, written with this tool of its (`update_plan`), and shown under the session of the
 * run (`parentSessionId`); none where it is ours.
 */
ownTool?: string, 
/**
 * The agent cannot be told of edits, so there are none.
 */
readOnly?: boolean, 
/**
 * What it is about.
 */
title: string, 
/**
 * Who runs it.
 */
agent: AgentInfo, 
/**
 * Where it works.
 */
folder?: string, 
/**
 * The folder's short name.
 */
project?: string, 
/**
 * The git branch.
 */
branch?: string, 
/**
 * What its agent is doing.
 */
state: SessionState, 
/**
 * What it waits for, or why it ended.
 */
stateReason?: string, 
/**
 * Why its list is as it is.
 */
listState: ListState, 
/**
 * How far it is.
 */
progress: Progress, 
/**
 * The newest revision; 0 before the first.
 */
revision: number, 
/**
 * When it began (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * When its agent was last heard of (RFC 3339, UTC).
 */
lastActivityAt: string, 
/**
 * Its agent is connected, was heard within the time that makes a session stale, or waits for the user (for a day
 * at most).
 */
current: boolean, 
/**
 * Its agent is connected. One that is not may come back.
 */
connected: boolean, 
/**
 * Calls of tools that are not about a list since its lists changed last, where hooks or files tell of them.
 */
callsSinceList: number, 
/**
 * Those are [`crate::DRIFT_CALLS`] or more, and its list is not finished.
 */
drifts?: boolean, 
/**
 * What it needs of the user and was not dismissed, longest first; of current sessions only.
 */
needs?: Array<Need>, 
/**
 * Since when its agent has been in its state (RFC 3339, UTC).
 */
stateAt: string, 
/**
 * The user keeps it on the board, whether it is current or not.
 */
pinned?: boolean, 
/**
 * The user does not want to be told of it.
 */
muted?: boolean, 
/**
 * The user took it off the board, and nothing was heard of it since.
 */
dismissed?: boolean, 
/**
 * When the user deleted it (RFC 3339, UTC); only in the list of those that can be brought back.
 */
deletedAt?: string, 
/**
 * Tek's name for it: `agent:{agent}:{sessionId}`.
 */
sessionKey: string, 
/**
 * The model, where it is known; otherwise empty (Tek's field).
 */
model: string, 
/**
 * How many revisions there are (Tek's field).
 */
messageCount: number, };

export type SessionAt = { 
/**
 * The session as it is now.
 */
session: Session, 
/**
 * The revision that `todos` is of.
 */
revision: number, 
/**
 * The list at that revision.
 */
todos: Array<Item>, 
/**
 * Where a revision was asked for: what it changed, when and by whom.
 */
change?: RevisionView, 
/**
 * Where a revision was asked for: the items that it took out, as they were.
 */
removed?: Array<Item>, 
/**
 * The user's edits that are not settled yet, and the newest that are.
 */
edits: Array<EditView>, 
/**
 * The session that holds the agent's own list of this run.
 */
ownSessionId?: string, };

export type SessionDelete = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * At once and for good; also of one that was deleted.
 */
forGood?: boolean, };

export type SessionDeleted = { 
/**
 * See [`TodoUpdate::cursor`].
 */
cursor: string, 
/**
 * Which.
 */
sessionId: string, };

export type SessionEvent = { 
/**
 * See [`TodoUpdate::cursor`].
 */
cursor: string, 
/**
 * The active list.
 */
listId: string, 
/**
 * Its items, in order.
 */
todos: Array<Item>, 
/**
 * The user's edits that are not settled yet, and the newest that are.
 */
edits: Array<EditView>, 
/**
 * Ours.
 */
sessionId: string, 
/**
 * The name it was opened under, if it was.
 */
label?: string, 
/**
 * The session whose subagent this is, or, of an agent's own list, that of the run.
 */
parentSessionId?: string, 
/**
 * The list is the agent's own, written with this tool of its (`update_plan`), and shown under the session of the
 * run (`parentSessionId`); none where it is ours.
 */
ownTool?: string, 
/**
 * The agent cannot be told of edits, so there are none.
 */
readOnly?: boolean, 
/**
 * What it is about.
 */
title: string, 
/**
 * Who runs it.
 */
agent: AgentInfo, 
/**
 * Where it works.
 */
folder?: string, 
/**
 * The folder's short name.
 */
project?: string, 
/**
 * The git branch.
 */
branch?: string, 
/**
 * What its agent is doing.
 */
state: SessionState, 
/**
 * What it waits for, or why it ended.
 */
stateReason?: string, 
/**
 * Why its list is as it is.
 */
listState: ListState, 
/**
 * How far it is.
 */
progress: Progress, 
/**
 * The newest revision; 0 before the first.
 */
revision: number, 
/**
 * When it began (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * When its agent was last heard of (RFC 3339, UTC).
 */
lastActivityAt: string, 
/**
 * Its agent is connected, was heard within the time that makes a session stale, or waits for the user (for a day
 * at most).
 */
current: boolean, 
/**
 * Its agent is connected. One that is not may come back.
 */
connected: boolean, 
/**
 * Calls of tools that are not about a list since its lists changed last, where hooks or files tell of them.
 */
callsSinceList: number, 
/**
 * Those are [`crate::DRIFT_CALLS`] or more, and its list is not finished.
 */
drifts?: boolean, 
/**
 * What it needs of the user and was not dismissed, longest first; of current sessions only.
 */
needs?: Array<Need>, 
/**
 * Since when its agent has been in its state (RFC 3339, UTC).
 */
stateAt: string, 
/**
 * The user keeps it on the board, whether it is current or not.
 */
pinned?: boolean, 
/**
 * The user does not want to be told of it.
 */
muted?: boolean, 
/**
 * The user took it off the board, and nothing was heard of it since.
 */
dismissed?: boolean, 
/**
 * When the user deleted it (RFC 3339, UTC); only in the list of those that can be brought back.
 */
deletedAt?: string, 
/**
 * Tek's name for it: `agent:{agent}:{sessionId}`.
 */
sessionKey: string, 
/**
 * The model, where it is known; otherwise empty (Tek's field).
 */
model: string, 
/**
 * How many revisions there are (Tek's field).
 */
messageCount: number, };

export type SessionExport = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * More of them, in this order; at most 1,000 with the first.
 */
and?: Array<string>, 
/**
 * As Markdown: at which revision; the newest when left out.
 */
revision?: number, 
/**
 * In which form.
 */
format: ExportFormat, };

export type SessionFilter = { 
/**
 * Of this agent, by its name.
 */
agent?: string, 
/**
 * In this project, by its short name.
 */
project?: string, 
/**
 * In this state.
 */
state?: SessionState, 
/**
 * `true`: only those with items that are left.
 */
unfinished?: boolean, 
/**
 * Heard of at this time or later (RFC 3339).
 */
since?: string, 
/**
 * Heard of before this time (RFC 3339).
 */
until?: string, 
/**
 * `true`: only those that were deleted and can be brought back.
 */
deleted?: boolean, };

export type SessionGet = { 
/**
 * A session's id, its label, or the first letters of its id where they are unique. Empty: the calling agent's own.
 */
sessionId: string, 
/**
 * The newest when left out.
 */
revision?: number, };

export type SessionImport = { 
/**
 * What the export gave.
 */
text: string, };

export type SessionLeave = Record<symbol, never>;

export type SessionList = { 
/**
 * Where the last page ended.
 */
cursor?: string, 
/**
 * 1 to 200; 50 when left out.
 */
limit?: number, 
/**
 * Which sessions.
 */
filter?: SessionFilter, };

export type SessionLoad = { 
/**
 * The session that gets the list; left out where `label` names it.
 */
sessionId?: string, 
/**
 * The session of this label gets the list, made when new: an agent that opens it goes on with the list.
 */
label?: string, 
/**
 * The session that the list is of; the same when left out.
 */
from?: string, 
/**
 * The revision that the list is at; the newest when left out.
 */
revision?: number, };

export type SessionMark = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * Keep it on the board, at the top.
 */
pinned?: boolean, 
/**
 * Tell nothing of it, and leave what it needs out of the queue.
 */
muted?: boolean, 
/**
 * Take it off the board until it is heard of again.
 */
dismissed?: boolean, };

export type SessionOpen = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * With what.
 */
with: OpenWith, };

export type SessionReport = { 
/**
 * What.
 */
happened: Happened, 
/**
 * When (RFC 3339, UTC); now when left out. What is not newer than what is known of the session changes nothing.
 */
at?: string, 
/**
 * A call of a tool that is not about a list has ended.
 */
tool?: boolean, 
/**
 * What the user asked, what it waits for, or why it ended.
 */
text?: string, 
/**
 * The session's id as the agent read it in a result of ours: proof that the caller's own id means this session.
 */
sessionId?: string, 
/**
 * What is added can be heard.
 */
listens: boolean, 
/**
 * A subagent is about to call a tool of ours, which will not say whose call it is.
 */
calls?: SubagentCall, 
/**
 * A run that nobody knows yet is a session from now on.
 */
begins: boolean, };

export type SessionReported = { 
/**
 * Which session it is; none where nothing is known of it yet.
 */
sessionId?: string, 
/**
 * The user's edits that this answer tells.
 */
edits: Array<EditView>, 
/**
 * The list, where there are such.
 */
todos: Array<Item>, 
/**
 * The same of the agent's own list, where there are such.
 */
own?: OwnReported, };

export type SessionResume = { 
/**
 * Which session.
 */
sessionId: string, };

export type SessionRevisions = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * Only those that touched this item: who made it what it is.
 */
uid?: string, 
/**
 * Where the last page ended.
 */
cursor?: string, 
/**
 * 1 to 500; 100 when left out.
 */
limit?: number, };

export type SessionSearch = { 
/**
 * What was typed.
 */
query: string, 
/**
 * Where the last page ended.
 */
cursor?: string, 
/**
 * 1 to 200; 50 when left out.
 */
limit?: number, 
/**
 * Among which sessions.
 */
filter?: SessionFilter, };

export type SessionState = "running" | "waiting" | "idle" | "finished" | "failed" | "stale";

export type SessionTodos = { 
/**
 * The active list.
 */
listId: string, 
/**
 * Its items, in order.
 */
todos: Array<Item>, 
/**
 * The user's edits that are not settled yet, and the newest that are.
 */
edits: Array<EditView>, 
/**
 * Ours.
 */
sessionId: string, 
/**
 * The name it was opened under, if it was.
 */
label?: string, 
/**
 * The session whose subagent this is, or, of an agent's own list, that of the run.
 */
parentSessionId?: string, 
/**
 * The list is the agent's own, written with this tool of its (`update_plan`), and shown under the session of the
 * run (`parentSessionId`); none where it is ours.
 */
ownTool?: string, 
/**
 * The agent cannot be told of edits, so there are none.
 */
readOnly?: boolean, 
/**
 * What it is about.
 */
title: string, 
/**
 * Who runs it.
 */
agent: AgentInfo, 
/**
 * Where it works.
 */
folder?: string, 
/**
 * The folder's short name.
 */
project?: string, 
/**
 * The git branch.
 */
branch?: string, 
/**
 * What its agent is doing.
 */
state: SessionState, 
/**
 * What it waits for, or why it ended.
 */
stateReason?: string, 
/**
 * Why its list is as it is.
 */
listState: ListState, 
/**
 * How far it is.
 */
progress: Progress, 
/**
 * The newest revision; 0 before the first.
 */
revision: number, 
/**
 * When it began (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * When its agent was last heard of (RFC 3339, UTC).
 */
lastActivityAt: string, 
/**
 * Its agent is connected, was heard within the time that makes a session stale, or waits for the user (for a day
 * at most).
 */
current: boolean, 
/**
 * Its agent is connected. One that is not may come back.
 */
connected: boolean, 
/**
 * Calls of tools that are not about a list since its lists changed last, where hooks or files tell of them.
 */
callsSinceList: number, 
/**
 * Those are [`crate::DRIFT_CALLS`] or more, and its list is not finished.
 */
drifts?: boolean, 
/**
 * What it needs of the user and was not dismissed, longest first; of current sessions only.
 */
needs?: Array<Need>, 
/**
 * Since when its agent has been in its state (RFC 3339, UTC).
 */
stateAt: string, 
/**
 * The user keeps it on the board, whether it is current or not.
 */
pinned?: boolean, 
/**
 * The user does not want to be told of it.
 */
muted?: boolean, 
/**
 * The user took it off the board, and nothing was heard of it since.
 */
dismissed?: boolean, 
/**
 * When the user deleted it (RFC 3339, UTC); only in the list of those that can be brought back.
 */
deletedAt?: string, 
/**
 * Tek's name for it: `agent:{agent}:{sessionId}`.
 */
sessionKey: string, 
/**
 * The model, where it is known; otherwise empty (Tek's field).
 */
model: string, 
/**
 * How many revisions there are (Tek's field).
 */
messageCount: number, };

export type SessionUndelete = { 
/**
 * Which session: its whole id.
 */
sessionId: string, };

export type Sessions = { 
/**
 * A page of them. Fewer than asked for, or none, do not mean that it is the last.
 */
sessions: Array<Session>, 
/**
 * Ask with it for the next page; absent at the end.
 */
nextCursor?: string, };

export type SessionsImported = { 
/**
 * The ids of those that are new here.
 */
sessions: Array<string>, 
/**
 * How many were there already.
 */
known: number, };

export type Settings = { 
/**
 * Tell when a session needs the user.
 */
notifyNeeds: boolean, 
/**
 * Tell when a session has finished or failed.
 */
notifyFinished: boolean, 
/**
 * Nothing is told from this time of day on, `22:00`, local time; empty where there are no quiet hours.
 */
quietFrom: string, 
/**
 * Until this time of day, `08:00`; empty where `quietFrom` is.
 */
quietTo: string, 
/**
 * After so many minutes of silence a session is stale, and not current unless it is connected: 1 to 1,440.
 */
staleMinutes: number, 
/**
 * The command that opens a terminal, `{folder}` stands for the folder; empty for the one of the system.
 */
terminal: string, 
/**
 * The command that opens a folder in an editor, `{folder}` stands for the folder; empty for one that is found.
 */
editor: string, 
/**
 * Closing the window leaves Sightline in the tray.
 */
keepInTray: boolean, 
/**
 * Start Sightline, into the tray, when the user logs in.
 */
startAtLogin: boolean, 
/**
 * The keys that show and hide the window from everywhere: `CommandOrControl+Shift+L`; empty for none.
 */
shortcut: string, 
/**
 * The window has a menu bar (Linux and Windows; macOS always has one).
 */
menuBar: boolean, 
/**
 * See [`crate::Retention`]: at most 36,500.
 */
keepDays: number, 
/**
 * See [`crate::Retention`]: at most 500 projects.
 */
keepProjects: { [key in string]: number }, 
/**
 * See [`crate::Retention`]: 0, or at least 10.
 */
keepMegabytes: number, 
/**
 * See [`crate::Retention`].
 */
keepRevisions: number, 
/**
 * The built-in agent's model for new sessions, `provider:model`; empty where none was chosen.
 */
chatModel: string, 
/**
 * Providers of models that the user added: at most 50.
 */
chatProviders: Array<ChatProvider>, 
/**
 * MCP servers with tools for the built-in agent: at most 50.
 */
chatServers: Array<ChatServer>, 
/**
 * What has to happen before a tool of theirs is called, by its name.
 */
chatTools: { [key in string]: ToolPolicy }, 
/**
 * The same of tools that are not named.
 */
chatOtherTools: ToolPolicy, 
/**
 * When a new prompt puts the built-in agent's list into the history.
 */
chatArchiving: Archiving, 
/**
 * Calls of the model that one run may take: 1 to 1,000.
 */
chatSteps: number, 
/**
 * Seconds that an approval is waited for: 10 to 86,400.
 */
chatApprovalSeconds: number, };

export type SettingsEvent = { 
/**
 * See [`TodoUpdate::cursor`].
 */
cursor: string, 
/**
 * Tell when a session needs the user.
 */
notifyNeeds: boolean, 
/**
 * Tell when a session has finished or failed.
 */
notifyFinished: boolean, 
/**
 * Nothing is told from this time of day on, `22:00`, local time; empty where there are no quiet hours.
 */
quietFrom: string, 
/**
 * Until this time of day, `08:00`; empty where `quietFrom` is.
 */
quietTo: string, 
/**
 * After so many minutes of silence a session is stale, and not current unless it is connected: 1 to 1,440.
 */
staleMinutes: number, 
/**
 * The command that opens a terminal, `{folder}` stands for the folder; empty for the one of the system.
 */
terminal: string, 
/**
 * The command that opens a folder in an editor, `{folder}` stands for the folder; empty for one that is found.
 */
editor: string, 
/**
 * Closing the window leaves Sightline in the tray.
 */
keepInTray: boolean, 
/**
 * Start Sightline, into the tray, when the user logs in.
 */
startAtLogin: boolean, 
/**
 * The keys that show and hide the window from everywhere: `CommandOrControl+Shift+L`; empty for none.
 */
shortcut: string, 
/**
 * The window has a menu bar (Linux and Windows; macOS always has one).
 */
menuBar: boolean, 
/**
 * See [`crate::Retention`]: at most 36,500.
 */
keepDays: number, 
/**
 * See [`crate::Retention`]: at most 500 projects.
 */
keepProjects: { [key in string]: number }, 
/**
 * See [`crate::Retention`]: 0, or at least 10.
 */
keepMegabytes: number, 
/**
 * See [`crate::Retention`].
 */
keepRevisions: number, 
/**
 * The built-in agent's model for new sessions, `provider:model`; empty where none was chosen.
 */
chatModel: string, 
/**
 * Providers of models that the user added: at most 50.
 */
chatProviders: Array<ChatProvider>, 
/**
 * MCP servers with tools for the built-in agent: at most 50.
 */
chatServers: Array<ChatServer>, 
/**
 * What has to happen before a tool of theirs is called, by its name.
 */
chatTools: { [key in string]: ToolPolicy }, 
/**
 * The same of tools that are not named.
 */
chatOtherTools: ToolPolicy, 
/**
 * When a new prompt puts the built-in agent's list into the history.
 */
chatArchiving: Archiving, 
/**
 * Calls of the model that one run may take: 1 to 1,000.
 */
chatSteps: number, 
/**
 * Seconds that an approval is waited for: 10 to 86,400.
 */
chatApprovalSeconds: number, };

export type SettingsGet = Record<symbol, never>;

export type SettingsUpdate = { 
/**
 * See [`Settings`].
 */
notifyNeeds?: boolean, 
/**
 * See [`Settings`].
 */
notifyFinished?: boolean, 
/**
 * See [`Settings`].
 */
quietFrom?: string, 
/**
 * See [`Settings`].
 */
quietTo?: string, 
/**
 * See [`Settings`].
 */
staleMinutes?: number, 
/**
 * See [`Settings`].
 */
terminal?: string, 
/**
 * See [`Settings`].
 */
editor?: string, 
/**
 * See [`Settings`].
 */
keepInTray?: boolean, 
/**
 * See [`Settings`].
 */
startAtLogin?: boolean, 
/**
 * See [`Settings`].
 */
shortcut?: string, 
/**
 * See [`Settings`].
 */
menuBar?: boolean, 
/**
 * See [`Settings`].
 */
keepDays?: number, 
/**
 * See [`Settings`].
 */
keepProjects?: { [key in string]: number }, 
/**
 * See [`Settings`].
 */
keepMegabytes?: number, 
/**
 * See [`Settings`].
 */
keepRevisions?: number, 
/**
 * See [`Settings`].
 */
chatModel?: string, 
/**
 * See [`Settings`].
 */
chatProviders?: Array<ChatProvider>, 
/**
 * See [`Settings`].
 */
chatServers?: Array<ChatServer>, 
/**
 * See [`Settings`].
 */
chatTools?: { [key in string]: ToolPolicy }, 
/**
 * See [`Settings`].
 */
chatOtherTools?: ToolPolicy, 
/**
 * See [`Settings`].
 */
chatArchiving?: Archiving, 
/**
 * See [`Settings`].
 */
chatSteps?: number, 
/**
 * See [`Settings`].
 */
chatApprovalSeconds?: number, };

export type SnippetPart = { 
/**
 * What it says.
 */
text: string, 
/**
 * It is what was searched for.
 */
hit: boolean, };

export type Status = "pending" | "in_progress" | "completed" | "blocked" | "skipped" | "cancelled" | "unknown";

export type SubagentCall = { 
/**
 * The subagent's id within its agent's session.
 */
subagent: string, 
/**
 * The call's arguments.
 */
arguments: unknown, };

export type TestStep = { 
/**
 * It went well.
 */
ok: boolean, 
/**
 * What was done, in words.
 */
what: string, };

export type TodoAdd = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * `1`, `last`, `2.1`, `2.last`; `last` when left out.
 */
position?: string, 
/**
 * 1 to 2,000 characters.
 */
content: string, };

export type TodoArchive = { 
/**
 * Which session.
 */
sessionId: string, };

export type TodoClear = { 
/**
 * Which session.
 */
sessionId: string, };

export type TodoCommand = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * What was typed; `/todo` may be left out.
 */
line: string, };

export type TodoComplete = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * What was typed so far, up to the cursor.
 */
line: string, };

export type TodoDelete = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * `1`, `last`, `2.1`, `2.last`, or several: `2-4`, `all`.
 */
position?: string, 
/**
 * The item, whatever its place is by now.
 */
uid?: string, };

export type TodoDelivered = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * The revision that was sent: what the caller now knows. None where only the edits were told, and not the list.
 */
revision?: number, 
/**
 * The edits that were told.
 */
edits: Array<string>, 
/**
 * The call that told them.
 */
toolCall?: string, };

export type TodoEdit = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * See [`TodoDelete::position`].
 */
position?: string, 
/**
 * See [`TodoDelete::uid`].
 */
uid?: string, };

export type TodoManage = { 
/**
 * See [`TodoWrite::session_id`].
 */
sessionId?: string, 
/**
 * See [`TodoWrite::session`].
 */
session?: string, 
/**
 * `list`, `next`, `add_multiple`, `add_after_position`, `complete_multiple`, `skip` or `replace_all`.
 */
action: string, };

export type TodoManaged = { 
/**
 * `Added 2 TODOs`, the list, or the item that is next.
 */
output: JsonValue, 
/**
 * The action changes the list, whether or not anything was otherwise before.
 */
changes: boolean, 
/**
 * Which session it was.
 */
sessionId: string, 
/**
 * Its label.
 */
session?: string, 
/**
 * The newest revision.
 */
revision: number, 
/**
 * The list after the merge.
 */
todos: Array<Item>, 
/**
 * How far it is.
 */
progress: Progress, 
/**
 * The user's edits that this answer tells; see [`TodoDelivered`].
 */
edits: Array<EditView>, 
/**
 * What else the sender should know, in sentences: several items in progress, an item that stays removed.
 */
remarks: Array<string>, };

export type TodoMove = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * `1`, `last`, `2.1`, `2.last`.
 */
position?: string, 
/**
 * See [`TodoDelete::uid`].
 */
uid?: string, 
/**
 * The position that it is to have.
 */
to: string, };

export type TodoObserve = { 
/**
 * The agent's tool that wrote it: `update_plan`.
 */
tool: string, 
/**
 * The items in the form of `todo.write`.
 */
todos: Array<Record<string, unknown>>, 
/**
 * Only what has changed is sent; see `todo.write`.
 */
merge?: boolean, 
/**
 * When it was written (RFC 3339, UTC); now when left out. What is not newer than the newest that was observed is
 * known already.
 */
at?: string, 
/**
 * What the user asked first in this run.
 */
title?: string, };

export type TodoObserved = { 
/**
 * The session that holds the list.
 */
sessionId: string, 
/**
 * Its newest revision.
 */
revision: number, 
/**
 * It was news.
 */
news: boolean, };

export type TodoRead = { 
/**
 * See [`TodoWrite::session_id`].
 */
sessionId?: string, 
/**
 * See [`TodoWrite::session`].
 */
session?: string, };

export type TodoRestore = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * Which item.
 */
uid: string, };

export type TodoSetStatus = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * See [`TodoDelete::position`].
 */
position?: string, 
/**
 * See [`TodoDelete::uid`].
 */
uid?: string, 
/**
 * `pending`, `in_progress`, `completed`, `blocked`, `skipped` or `cancelled`, or a word that means one of them.
 */
status: string, 
/**
 * Why.
 */
reason?: string, };

export type TodoUndo = { 
/**
 * Which session.
 */
sessionId: string, 
/**
 * Which edit; this client's newest when left out.
 */
editId?: string, };

export type TodoUpdate = { 
/**
 * The id of the `todo.write` that caused it; for everything else the revision's own id.
 */
requestId: string, 
/**
 * Where in the stream of all changes this is; opaque.
 */
cursor: string, 
/**
 * Whose list.
 */
sessionId: string, 
/**
 * Which of its lists.
 */
listId: string, 
/**
 * The new revision.
 */
revision: number, 
/**
 * All items, in order.
 */
todos: Array<Item>, 
/**
 * Who did it.
 */
actor: Actor, 
/**
 * The session after it, so that a client need not ask: its progress, state and edits. Its own `todos` is empty.
 */
session: SessionTodos, };

export type TodoWrite = { 
/**
 * Which session; or `session`; or, for an agent that said who it is, neither.
 */
sessionId?: string, 
/**
 * A label: the session of that label, made when new.
 */
session?: string, 
/**
 * The items as the agent says them: `{id?, content, status?, activeForm?, …}`.
 */
todos: Array<Record<string, unknown>>, 
/**
 * Only what has changed is sent: items named by `id` or `uid`, or new ones; everything else stays.
 */
merge?: boolean, 
/**
 * For a subagent: the session of the agent that it works for. Counts when the session is new.
 */
parentSessionId?: string, 
/**
 * The message's id as the transport saw it; the `requestId` of the `todo.update`. Transports set it.
 */
requestId?: string, };

export type TodoWritten = { 
/**
 * Which session it was.
 */
sessionId: string, 
/**
 * Its label.
 */
session?: string, 
/**
 * The newest revision.
 */
revision: number, 
/**
 * The list after the merge.
 */
todos: Array<Item>, 
/**
 * How far it is.
 */
progress: Progress, 
/**
 * The user's edits that this answer tells; see [`TodoDelivered`].
 */
edits: Array<EditView>, 
/**
 * What else the sender should know, in sentences: several items in progress, an item that stays removed.
 */
remarks: Array<string>, };

export type ToolApprovalRequest = { 
/**
 * The run.
 */
requestId: string, 
/**
 * Its session.
 */
sessionId: string, 
/**
 * Names the call, in the answer too.
 */
toolCallId: string, 
/**
 * Which tool.
 */
toolName: string, 
/**
 * As the model sent them.
 */
args: unknown, 
/**
 * When it counts as not answered (RFC 3339, UTC).
 */
expiresAt: string, };

export type ToolApprovalResponse = { 
/**
 * Which call.
 */
toolCallId: string, 
/**
 * It may be made.
 */
approved: boolean, 
/**
 * And all later ones of this tool in this session.
 */
sessionApprove: boolean, };

export type ToolCalled = { 
/**
 * The run.
 */
requestId: string, 
/**
 * Its session.
 */
sessionId: string, 
/**
 * Names the call.
 */
toolCallId: string, 
/**
 * Which tool.
 */
toolName: string, 
/**
 * As the model sent them: an object, or text where they are no JSON.
 */
args: unknown, };

export type ToolFailed = { 
/**
 * The run.
 */
requestId: string, 
/**
 * Its session.
 */
sessionId: string, 
/**
 * Which call.
 */
toolCallId: string, 
/**
 * Which tool.
 */
toolName: string, 
/**
 * Why. Not trusted.
 */
error: string, };

export type ToolPolicy = "auto" | "ask" | "deny";

export type ToolResulted = { 
/**
 * The run.
 */
requestId: string, 
/**
 * Its session.
 */
sessionId: string, 
/**
 * Which call.
 */
toolCallId: string, 
/**
 * Which tool.
 */
toolName: string, 
/**
 * Text. Not trusted.
 */
result: string, };

export type Transport = "window" | "page" | "cli" | "websocket" | "mcp" | "hook" | "file" | "builtin";

export type VaultKeys = { 
/**
 * Where each provider's key is: `environment`, `keyring` or `file`.
 */
keys: { [key in string]: string }, };

export type VaultKeysDelete = { 
/**
 * Whose.
 */
provider: string, };

export type VaultKeysList = Record<symbol, never>;

export type VaultKeysSet = { 
/**
 * Whose.
 */
provider: string, 
/**
 * The key.
 */
key: string, };

/** The answer to each request, by the request's `type`. */
export interface Answers {
  "hello": HelloResult;
  "events.subscribe": EventsSnapshot;
  "todo.write": TodoWritten;
  "todo.read": TodoWritten;
  "todo.delivered": Done;
  "todo.add": Edited;
  "todo.delete": Edited;
  "todo.clear": Edited;
  "todo.setStatus": Edited;
  "todo.edit": Edited;
  "todo.move": Edited;
  "todo.undo": Edited;
  "todo.restore": Edited;
  "todo.archive": Edited;
  "note.send": Edited;
  "edit.insist": Edited;
  "todo.command": Commanded;
  "todo.complete": Completions;
  "todo.manage": TodoManaged;
  "session.list": Sessions;
  "session.get": SessionAt;
  "session.load": Edited;
  "session.revisions": Revisions;
  "session.report": SessionReported;
  "todo.observe": TodoObserved;
  "session.delete": Done;
  "session.undelete": Done;
  "session.leave": Done;
  "session.mark": Done;
  "need.dismiss": Done;
  "session.export": Exported;
  "session.import": SessionsImported;
  "session.search": Found;
  "archive.status": ArchiveInfo;
  "archive.insight": Insight;
  "session.open": Done;
  "session.resume": ResumeCommand;
  "settings.get": Settings;
  "settings.update": Settings;
  "agents.list": AgentsThere;
  "agents.plan": AgentsPlanned;
  "agents.apply": AgentsApplied;
  "agents.test": AgentsTested;
  "import.start": ImportProgress;
  "import.cancel": ImportProgress;
  "chat.send": ChatStarted;
  "chat.abort": Done;
  "chat.resume": ChatStarted;
  "chat.get": Chat;
  "tool.approval.response": Done;
  "preflight.approval": Done;
  "chat.models": ChatModelsThere;
  "chat.test": Done;
  "chat.tools": ChatToolsThere;
  "vault.keys.list": VaultKeys;
  "vault.keys.set": VaultKeys;
  "vault.keys.delete": VaultKeys;
  "gateway.status": GatewayInfo;
}

/** The window's IPC command for each request. */
export const COMMANDS = {
  "hello": "hello",
  "events.subscribe": "events_subscribe",
  "todo.write": "todo_write",
  "todo.read": "todo_read",
  "todo.delivered": "todo_delivered",
  "todo.add": "todo_add",
  "todo.delete": "todo_delete",
  "todo.clear": "todo_clear",
  "todo.setStatus": "todo_set_status",
  "todo.edit": "todo_edit",
  "todo.move": "todo_move",
  "todo.undo": "todo_undo",
  "todo.restore": "todo_restore",
  "todo.archive": "todo_archive",
  "note.send": "note_send",
  "edit.insist": "edit_insist",
  "todo.command": "todo_command",
  "todo.complete": "todo_complete",
  "todo.manage": "todo_manage",
  "session.list": "session_list",
  "session.get": "session_get",
  "session.load": "session_load",
  "session.revisions": "session_revisions",
  "session.report": "session_report",
  "todo.observe": "todo_observe",
  "session.delete": "session_delete",
  "session.undelete": "session_undelete",
  "session.leave": "session_leave",
  "session.mark": "session_mark",
  "need.dismiss": "need_dismiss",
  "session.export": "session_export",
  "session.import": "session_import",
  "session.search": "session_search",
  "archive.status": "archive_status",
  "archive.insight": "archive_insight",
  "session.open": "session_open",
  "session.resume": "session_resume",
  "settings.get": "settings_get",
  "settings.update": "settings_update",
  "agents.list": "agents_list",
  "agents.plan": "agents_plan",
  "agents.apply": "agents_apply",
  "agents.test": "agents_test",
  "import.start": "import_start",
  "import.cancel": "import_cancel",
  "chat.send": "chat_send",
  "chat.abort": "chat_abort",
  "chat.resume": "chat_resume",
  "chat.get": "chat_get",
  "tool.approval.response": "tool_approval_response",
  "preflight.approval": "preflight_approval",
  "chat.models": "chat_models",
  "chat.test": "chat_test",
  "chat.tools": "chat_tools",
  "vault.keys.list": "vault_keys_list",
  "vault.keys.set": "vault_keys_set",
  "vault.keys.delete": "vault_keys_delete",
  "gateway.status": "gateway_status",
} as const;
