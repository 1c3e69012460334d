// Made from crates/protocol by `cargo xtask types`; do not edit.

export type Actor = { 
/**
 * Agent, subagent or user.
 */
kind: ActorKind, 
/**
 * The agent's name; `you` for the user.
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
 * For a subagent: the own id of the session that it works for.
 */
parent?: string, 
/**
 * The agent's own id of this very call, which its hooks name as well.
 */
call?: string, 
/**
 * The MCP session, or the shim's process.
 */
connection?: string, 
/**
 * The label in the address (`/mcp/LABEL`) or on the shim's command line.
 */
label?: string, 
/**
 * The processes that it is or may be, nearest first, each as its id and start: for a tool server the process that
 * started it, for a hook those above it.
 */
processes?: Array<string>, 
/**
 * The terminal that it runs in. It counts only for an agent without a key.
 */
terminal?: Terminal, 
/**
 * Path of the folder that it works in.
 */
folder?: string, 
/**
 * Short name of the project: of the folder that holds the repository, or of the folder itself.
 */
project?: string, 
/**
 * Git branch that is checked out there; the first letters of the commit where none is.
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

export type AgentOverview = { 
/**
 * Every agent that can be connected, installed or not; empty with `knownOnly`.
 */
agents: Array<AgentSetup>, 
/**
 * The program and arguments of our tool server, for an agent that is not known; empty with `knownOnly`.
 */
server?: Array<string>, 
/**
 * Every agent that is known, also those that cannot be connected.
 */
known?: Array<KnownAgent>, 
/**
 * The import that runs, or the last one since the gateway started.
 */
import?: ImportProgress, };

export type AgentSetup = { 
/**
 * Name in requests: `codex`.
 */
agent: string, 
/**
 * Name for people: `Codex`.
 */
title: string, 
/**
 * Path of its program; absent where it was not found.
 */
program?: string, 
/**
 * Version that the program says.
 */
version?: string, 
/**
 * The state of this version in our tests.
 */
proof: Proof, 
/**
 * The version that our tests have seen; absent where the program itself was never tried.
 */
proven?: string, 
/**
 * Our tool server in its configuration.
 */
server: Registered, 
/**
 * Problem with that entry, in words.
 */
serverProblem?: string, 
/**
 * The same in the catalogue, where it is there.
 */
serverProblemText?: TextRef, 
/**
 * Our hooks in its configuration; absent where the agent has no hooks.
 */
hooks?: Registered, 
/**
 * Problem with the hooks, in words.
 */
hooksProblem?: string, 
/**
 * The same in the catalogue, where it is there.
 */
hooksProblemText?: TextRef, 
/**
 * The time at which its hooks can answer its permission prompts; absent where they cannot.
 */
asks?: AskKind, 
/**
 * Seconds for which it waits for an answer that is given here; absent where it is not connected so.
 */
answers?: number, 
/**
 * Its built-in list.
 */
ownList: OwnSwitch, 
/**
 * Last time it wrote a list here (RFC 3339, UTC); absent where it never did.
 */
lastList?: string, 
/**
 * Last time it wrote its built-in list (RFC 3339, UTC).
 */
lastOwnList?: string, 
/**
 * The file that gets the line about Sightline: `AGENTS.md`.
 */
instructions: string, };

export type AgentStarted = { 
/**
 * Where it runs.
 */
by: StartedBy, };

export type AgentsApplied = { 
/**
 * Files that were written or removed.
 */
written: Array<string>, 
/**
 * Copies of the files as they were.
 */
backups: Array<string>, 
/**
 * Further things for the user to know or to do, each a sentence without a full stop.
 */
notes: Array<string>, 
/**
 * The same in the catalogue, one for each.
 */
noteTexts?: Array<TextRef>, };

export type AgentsApply = { 
/**
 * Id of the plan.
 */
planId: string, };

export type AgentsList = { 
/**
 * Leaves out `agents`: nothing on the computer is looked at, so the answer comes at once.
 */
knownOnly?: boolean, };

export type AgentsPlan = { 
/**
 * Name of the agent.
 */
agent: string, 
/**
 * The change.
 */
change: AgentChange, 
/**
 * Absolute path of a project, whose configuration is changed instead of the user's. Needed for instructions.
 */
folder?: string, 
/**
 * Connects without hooks.
 */
noHooks?: boolean, 
/**
 * Replaces another server of our name.
 */
replace?: boolean, 
/**
 * Has permission prompts answered here, too: seconds for which the agent waits, at most 3,600. An agent that is asked at
 * every call waits for nobody, whatever it says. As it is when left out.
 */
answers?: number, 
/**
 * Has the agent ask by itself again.
 */
noAnswers?: boolean, };

export type AgentsPlanned = { 
/**
 * Id of the plan, for [`AgentsApply`]. The plan is kept until the next one for the same agent, or until the
 * gateway ends.
 */
planId: string, 
/**
 * Unified diff of the files, and commands as `$ command`; empty where nothing has to change.
 */
diff: string, 
/**
 * Further things for the user to know or to do, each a sentence without a full stop.
 */
notes: Array<string>, 
/**
 * The same in the catalogue, one for each.
 */
noteTexts?: Array<TextRef>, };

export type AgentsStart = { 
/**
 * Name of the agent.
 */
agent: string, 
/**
 * The folder that it works in, from the root.
 */
folder: string, 
/**
 * The task, 1 to 16,000 characters.
 */
task: string, };

export type AgentsStepEvent = { 
/**
 * Name of the agent.
 */
agent: string, 
/**
 * Its number, from 1.
 */
at: number, 
/**
 * The number of steps that the test has where all succeed.
 */
of: number, 
/**
 * The step succeeded.
 */
ok: boolean, 
/**
 * The step in words.
 */
what: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
text?: TextRef, };

export type AgentsTest = { 
/**
 * Name of the agent.
 */
agent: string, 
/**
 * Lets the agent itself make a call as well, for which it asks its model.
 */
real?: boolean, };

export type AgentsTestCancel = { 
/**
 * Name of the agent.
 */
agent: string, };

export type AgentsTested = { 
/**
 * Name of the agent.
 */
agent: string, 
/**
 * Every step succeeded.
 */
ok: boolean, 
/**
 * It was ended before it was over.
 */
cancelled?: boolean, 
/**
 * The steps, in order.
 */
steps: Array<TestStep>, 
/**
 * Advice on the step that failed.
 */
mend?: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
mendText?: TextRef, };

export type AgentsWritten = { 
/**
 * Files that were written or removed.
 */
written: Array<string>, };

export type AnnouncedCall = { 
/**
 * Id of the subagent within its agent's session, where the call is a subagent's.
 */
subagent?: string, 
/**
 * The agent's own id of the call, where the call will name it, too.
 */
id?: string, 
/**
 * The call's arguments.
 */
arguments: unknown, };

export type ArchiveInfo = { 
/**
 * Size of the database file in bytes.
 */
bytes: number, 
/**
 * Bytes of the file that are unused and go back to the disk soon.
 */
freeBytes: number, 
/**
 * Sessions, deleted ones not counted.
 */
sessions: number, 
/**
 * Deleted sessions that can still be brought back.
 */
deleted: number, 
/**
 * Lists, deleted ones not counted.
 */
lists: number, 
/**
 * Deleted lists that can still be brought back.
 */
deletedLists: number, 
/**
 * Sessions that retention removes by their age the next time it runs.
 */
due: number, 
/**
 * Names of agents with sessions, at most 500.
 */
agents: Array<string>, 
/**
 * Names of projects with sessions, at most 500.
 */
projects: Array<string>, 
/**
 * Tags of sessions, at most 500.
 */
tags: Array<string>, };

export type ArchiveInsight = { 
/**
 * Begins with the hour of this time (RFC 3339); with the first one when left out.
 */
since?: string, 
/**
 * Ends with the hour before this time (RFC 3339); now when left out.
 */
until?: string, };

export type ArchiveLists = { 
/**
 * `nextCursor` of the page before.
 */
cursor?: string, 
/**
 * Lists on a page: 1 to 200, 50 when left out.
 */
limit?: number, 
/**
 * Conditions on the lists and their sessions.
 */
filter?: SessionFilter, };

export type ArchiveStatus = { 
/**
 * Retention to count `due` with, instead of the one in [`Settings`].
 */
with?: Retention, };

export type Archiving = "when-completed" | "always" | "never";

export type AskKind = "beside" | "before" | "everyCall";

export type Audit = { 
/**
 * The entries, the newest first.
 */
entries: Array<AuditEntry>, 
/**
 * Present where there are older ones: the `before` of the next page.
 */
nextBefore?: number, };

export type AuditDeed = "settings" | "keyNew" | "keyRevoke" | "keyRenew" | "keyConfirm" | "keyRefuse" | "keyWait" | "keyCode" | "pair" | "connect" | "refuse" | "approve" | "deny" | "rule" | "toolCall" | "agents" | "start" | "providerKey" | "delete" | "import" | "host";

export type AuditEntry = { 
/**
 * Its number, which grows.
 */
number: number, 
/**
 * Time of the deed (RFC 3339, UTC).
 */
at: string, 
/**
 * Name of the key; absent in the gateway's own process and over the private socket.
 */
who?: string, 
/**
 * Rights of whoever did it; absent for an agent.
 */
rights?: Rights, 
/**
 * The way in, by the door that was taken: the window is that of the gateway's own process, a page or another program
 * has its key, and `cli` stands for all programs of the user without one.
 */
way: Transport, 
/**
 * The deed.
 */
deed: AuditDeed, 
/**
 * Its subject, for people.
 */
subject: string, 
/**
 * The same in the catalogue, where it is a sentence of ours.
 */
subjectText?: TextRef, };

export type AuditList = { 
/**
 * Go on before this entry: `nextBefore` of the page before.
 */
before?: number, 
/**
 * Entries at most: 1 to 1,000; 100 when left out.
 */
limit?: number, };

export type ChangedFile = { 
/**
 * Its path, from the root, as the agent gave it.
 */
path: string, 
/**
 * The number of calls that changed it.
 */
times: number, 
/**
 * Time of the last of them (RFC 3339, UTC).
 */
at: string, 
/**
 * Name of the agent that made the last one, where several share the list.
 */
agent?: string, };

export type ChangedFiles = { 
/**
 * The files.
 */
files: Array<ChangedFile>, };

export type Chat = { 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * Model of its next answer, `provider:model`; empty where none was chosen.
 */
model: string, 
/**
 * At most 200 messages, oldest first; fewer where they take more than 8 MiB.
 */
messages: Array<ChatMessage>, 
/**
 * There are older messages.
 */
more: boolean, 
/**
 * The run that is under way.
 */
run?: ChatRun, 
/**
 * The last run left open items or a plan that waits, so that it can be resumed.
 */
canResume: boolean, 
/**
 * The conversation came from elsewhere, and the user has not allowed yet that a model reads it: `chat.send` and
 * `chat.resume` are refused without `allowImported`.
 */
imported?: boolean, };

export type ChatAbort = { 
/**
 * The session.
 */
sessionId: string, };

export type ChatCost = { 
/**
 * Cost of the tokens read.
 */
inputCost: number, 
/**
 * Cost of the tokens written.
 */
outputCost: number, 
/**
 * Total cost.
 */
totalCost: number, };

export type ChatGet = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Only messages before the one with this `seq`; the newest when left out.
 */
before?: number, };

export type ChatMessage = { 
/**
 * Number in the conversation, from 1; some are left out.
 */
seq: number, 
/**
 * Time of the message (RFC 3339, UTC).
 */
at: string, } & ({ "kind": "user", 
/**
 * The prompt.
 */
content: string, } | { "kind": "assistant", 
/**
 * Markdown, without `<todo>` blocks. Not trusted.
 */
content: string, 
/**
 * The model's reasoning, where it shows that. Not trusted.
 */
reasoning?: string, } | { "kind": "tool", 
/**
 * Id of the call.
 */
toolCallId: string, 
/**
 * Name of the tool.
 */
toolName: string, 
/**
 * Arguments as the model sent them: an object, or text where they are no JSON.
 */
args: unknown, 
/**
 * The result, or why the call failed or was not made; absent while it is under way. Not trusted.
 */
result?: string, 
/**
 * The call failed or was not made.
 */
isError?: boolean, 
/**
 * The call was not made: refused, denied, not answered in time, or stopped before it began.
 */
notMade?: boolean, } | { "kind": "notice", 
/**
 * The notice, for people.
 */
message: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
text?: TextRef, 
/**
 * The failure after which a model is asked once more. Of such notices in a row the last is enough.
 */
retries?: string, } | { "kind": "end", 
/**
 * Outcome of the run.
 */
outcome: ChatOutcome, 
/**
 * For people; empty where there is nothing to add.
 */
message: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
text?: TextRef, 
/**
 * Tokens, where the model tells them.
 */
usage?: ChatUsage, 
/**
 * Cost, where the provider tells it.
 */
cost?: ChatCost, });

export type ChatModelList = { 
/**
 * Their providers, those without configuration first.
 */
providers: Array<ChatProviderModels>, };

export type ChatModels = Record<symbol, never>;

export type ChatOutcome = "completed" | "waiting" | "aborted" | "failed" | "interrupted";

export type ChatProvider = { 
/**
 * Name: 1 to 32 letters, digits and hyphens, beginning with a letter.
 */
name: string, 
/**
 * The protocol that it understands.
 */
kind: ProviderKind, 
/**
 * Base address: `http://127.0.0.1:1234/v1/`.
 */
endpoint: string, 
/**
 * Origin to which the environment's key of this name may be sent, such as `https://api.example.com`. Left out, it is
 * sent to the known provider's own address only.
 */
environmentKey?: string, };

export type ChatProviderModels = { 
/**
 * Name of the provider: the part of a model's name before the colon.
 */
name: string, 
/**
 * Its models, each `provider:model`.
 */
models: Array<string>, 
/**
 * Why its models cannot be asked for, and what to do.
 */
problem?: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
problemText?: TextRef, 
/**
 * Place of its key: `environment`, `keyring`, `file`, or empty where there is none.
 */
key: string, 
/**
 * It does not answer without a key.
 */
needsKey: boolean, };

export type ChatResume = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The model, `provider:model`, for this session from now on; when left out the session's, else that of the
 * settings.
 */
model?: string, 
/**
 * The user allows that the model reads this conversation, which came from elsewhere ([`Chat`](super::Chat)
 * `imported`).
 */
allowImported?: boolean, 
/**
 * Set by transports to the message's id, which becomes the run's id.
 */
requestId?: string, };

export type ChatRun = { 
/**
 * Id of the run in its events.
 */
requestId: string, 
/**
 * The answer under way, so far.
 */
content: string, 
/**
 * The model's reasoning before it, so far.
 */
reasoning: string, 
/**
 * Activity for people: `Planning`.
 */
doing: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
doingText?: TextRef, 
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
 * A session of the built-in agent; a new one when left out.
 */
sessionId?: string, 
/**
 * The task, 1 to 100,000 characters.
 */
content: string, 
/**
 * The model, `provider:model`, for this session from now on; when left out the session's, else that of the
 * settings.
 */
model?: string, 
/**
 * Path of the folder in which a new session's tools work.
 */
folder?: string, 
/**
 * The user allows that the model reads this conversation, which came from elsewhere ([`Chat`](super::Chat)
 * `imported`).
 */
allowImported?: boolean, 
/**
 * Set by transports to the message's id, which becomes the run's id.
 */
requestId?: string, };

export type ChatServer = { 
/**
 * Name: 1 to 32 letters, digits and hyphens, beginning with a letter.
 */
name: string, 
/**
 * Program and arguments; empty where there is a `url`.
 */
command: Array<string>, 
/**
 * Variables added to the gateway's environment. `${NAME}` in a value stands for the gateway's own variable, so
 * that no secret is written down here.
 */
env: { [key in string]: string }, 
/**
 * Folder that it starts in; the session's when empty.
 */
folder: string, 
/**
 * Address: `http://127.0.0.1:8080/mcp`; empty where there is a `command`.
 */
url: string, 
/**
 * Headers of each request; `${NAME}` as in `env`.
 */
headers: { [key in string]: string }, 
/**
 * The server is not used.
 */
disabled: boolean, 
/**
 * The server, a command, writes to its folder and a temporary one only, and sees neither Sightline's data nor the
 * user's secrets. It is not started where the system cannot do that: Linux with bubblewrap can.
 */
confined: boolean, };

export type ChatServerTools = { 
/**
 * Name of the server in the settings.
 */
name: string, 
/**
 * Its tools.
 */
tools: Array<ChatTool>, 
/**
 * Why it cannot be reached, and what to do.
 */
problem?: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
problemText?: TextRef, };

export type ChatStarted = { 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * Id of the run in its events.
 */
requestId: string, 
/**
 * The model, `provider:model`.
 */
model: string, 
/**
 * The session is new.
 */
created: boolean, };

export type ChatStreamDelta = { 
/**
 * Id of the run.
 */
requestId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * Text to append. Not trusted.
 */
delta: string, 
/**
 * Length of the text before it, in UTF-16 code units: a [`ChatRun`] whose `content` or `reasoning` is longer has
 * this part already.
 */
offset: number, };

export type ChatStreamEnd = { 
/**
 * Id of the run.
 */
requestId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * Tokens; zeros where the model does not tell them.
 */
usage: ChatUsage, 
/**
 * Cost; zeros where the provider does not tell it.
 */
cost: ChatCost, 
/**
 * Outcome of the run.
 */
outcome: ChatOutcome, 
/**
 * For people; empty where there is nothing to add.
 */
message: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
text?: TextRef, };

export type ChatStreamStart = { 
/**
 * Id of the run.
 */
requestId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * The model, `provider:model`.
 */
model: string, };

export type ChatTest = { 
/**
 * The model, `provider:model`.
 */
model: string, };

export type ChatTool = { 
/**
 * Name of the tool, as in `chatTools` of the settings.
 */
name: string, 
/**
 * Its own description. Not trusted.
 */
description: string, 
/**
 * Policy for its calls; `ask` for one that has `changed`.
 */
policy: ToolPolicy, 
/**
 * Digest of its description, its schema and its server's configuration, for `chatToolDigests` of the settings.
 */
digest: string, 
/**
 * Its policy is `auto` in the settings, and it is another one since that was chosen.
 */
changed: boolean, };

export type ChatToolList = { 
/**
 * The configured servers, in their order.
 */
servers: Array<ChatServerTools>, };

export type ChatTools = Record<symbol, never>;

export type ChatUpdated = { 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * The message that was added.
 */
message?: ChatMessage, 
/**
 * The run that is under way now.
 */
run?: ChatRun, 
/**
 * The last run left open items or a plan that waits, so that it can be resumed.
 */
canResume: boolean, };

export type ChatUsage = { 
/**
 * Tokens read.
 */
inputTokens: number, 
/**
 * Tokens written.
 */
outputTokens: number, 
/**
 * Their sum.
 */
totalTokens: number, };

export type Choice = { 
/**
 * The whole line with it.
 */
line: string, 
/**
 * The part that it adds: `add`, `2`, `completed`.
 */
label: string, 
/**
 * Its meaning: the command's purpose, or the item at that position.
 */
detail?: string, 
/**
 * The same in the catalogue, where it is ours.
 */
detailText?: TextRef, };

export type ClientInfo = { 
/**
 * Name for people: `sightline mcp`.
 */
name: string, 
/**
 * Its version.
 */
version?: string, 
/**
 * Id that the client keeps over all its connections, so that it can undo its own edits after a reconnect.
 */
id?: string, 
/**
 * The way in; `websocket` when left out.
 */
transport?: Transport, };

export type Code = "INVALID_MESSAGE" | "USAGE" | "UNKNOWN_TYPE" | "MESSAGE_TOO_LARGE" | "INVALID_TODOS" | "LIMIT_EXCEEDED" | "INVALID_POSITION" | "ITEM_NOT_FOUND" | "ITEM_REMOVED" | "SESSION_NOT_FOUND" | "SESSION_AMBIGUOUS" | "REVISION_NOT_FOUND" | "READ_ONLY" | "CONFIGURATION" | "INVALID_SETTING" | "CANNOT_UNDO" | "UNAUTHORIZED" | "PERMISSION_NOT_FOUND" | "RULE_NOT_FOUND" | "HOST_NOT_FOUND" | "KEY_NOT_FOUND" | "INVALID_KEY" | "FORBIDDEN" | "STREAM_IN_PROGRESS" | "IMPORTED_CONVERSATION" | "PROVIDER_NOT_CONFIGURED" | "AGENT_ERROR" | "NO_PENDING_APPROVAL" | "NO_PENDING_PREFLIGHT" | "PREFLIGHT_REJECTED" | "RATE_LIMITED" | "STORAGE" | "UNAVAILABLE" | "INTERNAL";

export type Commanded = { 
/**
 * Lines for a terminal: `Added TODO at position 2: "x"`, or a whole list.
 */
output: string, 
/**
 * The same in parts, of which some are texts of the catalogue; left out where it was an edit.
 */
parts?: Array<TextPart>, 
/**
 * The list after the command, where it was an edit.
 */
edited?: Edited, };

export type Completions = { 
/**
 * Usage of the command, once it is known: `/todo add <position> <description>`.
 */
usage?: string, 
/**
 * Completions, best first; at most 50.
 */
choices: Array<Choice>, };

export type DemoStart = Record<symbol, never>;

export type DemoStarted = { 
/**
 * The address of its page, with a code that opens it once; left out where it has a window of its own.
 */
page?: string, };

export type Done = Record<symbol, never>;

export type DoneCall = { 
/**
 * The tool, as the agent calls it.
 */
tool: string, 
/**
 * The first 24 hexadecimal digits of the SHA-256 of the arguments' JSON text, by which a permission for them is known
 * to be settled.
 */
input?: string, 
/**
 * Its subject, such as a command or a file: at most 300 characters.
 */
text?: string, 
/**
 * Path of the file that it has changed.
 */
file?: string, };

export type EditDiscard = { 
/**
 * Its key.
 */
key: string, };

export type EditInsist = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The edit; the newest such edit when left out.
 */
editId?: string, };

export type EditKind = "add" | "delete" | "clear" | "set" | "move" | "load" | "note";

export type EditOnce = { 
/**
 * Key of the edit, chosen by the client: 1 to 100 characters, never used for another edit. It is remembered for 30
 * days.
 */
key: string, 
/**
 * The edit: a request such as `todo.add` with its `type`.
 */
edit: unknown, 
/**
 * The client that made it there, whose edits `todo.undo` without an id takes back.
 */
client?: string, };

export type EditState = "queued" | "delivered" | "reflected" | "overridden" | "ignored" | "superseded";

export type EditStateEvent = { 
/**
 * Place in the stream of all changes; opaque.
 */
cursor: string, 
/**
 * Id of the edit.
 */
editId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * Uid of the item that it is about; absent where there are several.
 */
uid?: string, 
/**
 * Its new state.
 */
state: EditState, 
/**
 * Time of the change of state (RFC 3339, UTC).
 */
at: string, 
/**
 * Id of the tool call whose result delivered it.
 */
toolCall?: string, };

export type EditView = { 
/**
 * Id of the edit, for [`TodoUndo`](crate::TodoUndo) and [`EditInsist`](crate::EditInsist).
 */
editId: string, 
/**
 * The kind of edit.
 */
kind: EditKind, 
/**
 * Uid of the item that it is about; absent where there are several.
 */
uid?: string, 
/**
 * Short text of what was added, removed or changed.
 */
text: string, 
/**
 * The change: `status completed`, `to 2`.
 */
detail?: string, 
/**
 * The same in the catalogue, where it is a status or a place.
 */
detailText?: TextRef, 
/**
 * Progress on its way to the agent.
 */
state: EditState, 
/**
 * Time since which it has been in that state (RFC 3339, UTC).
 */
at: string, 
/**
 * Time at which it was delivered (RFC 3339, UTC).
 */
deliveredAt?: string, 
/**
 * Id of the tool call whose result delivered it.
 */
toolCall?: string, 
/**
 * The user sent it again, after the agent overrode or did not follow it.
 */
insisted?: boolean, 
/**
 * The client that made it; each window undoes its own edits.
 */
client: string, };

export type Edited = { 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * The newest revision.
 */
revision: number, 
/**
 * The list after the edit, in order.
 */
todos: Array<Item>, 
/**
 * Id of the edit, for [`TodoUndo`]; an undo names the edit that it took back. Empty where nothing was to change:
 * then there is no new revision either.
 */
editId: string, 
/**
 * Summary of the edit, in the words of the terminal: `Added TODO at position 2: "x"`.
 */
message: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
text?: TextRef, 
/**
 * Parts that an undo left as they are, since others changed them meanwhile.
 */
remarks?: Array<string>, 
/**
 * The same in the catalogue, one for each.
 */
remarkTexts?: Array<TextRef>, };

export type EditedOnce = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The revision that it made.
 */
revision: number, 
/**
 * Id of the edit, for `todo.undo`; absent where it made none.
 */
editId?: string, 
/**
 * The outcome, for people.
 */
message: string, };

export type EndedList = { 
/**
 * Id of the list.
 */
listId: string, 
/**
 * Text of its first item, shortened.
 */
title: string, 
/**
 * Its progress.
 */
progress: Progress, 
/**
 * The session's revision that began it.
 */
firstRevision: number, 
/**
 * The session's last revision of it: with this it is opened, loaded and exported.
 */
revision: number, 
/**
 * Time at which it began (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Time at which it ended (RFC 3339, UTC).
 */
endedAt: string, 
/**
 * Time at which the user deleted it (RFC 3339, UTC); only among deleted lists.
 */
deletedAt?: string, };

export type ErrorEvent = { 
/**
 * Id of the request, where it had one; for a run, the run's id.
 */
requestId?: string, 
/**
 * For a run: id of its session.
 */
sessionId?: string, 
/**
 * The error, for programs.
 */
code: Code, 
/**
 * The error in English: what happened and what to do.
 */
message: string, 
/**
 * The error in the catalogue, for clients that show it to people in their own language. The catalogue may say less.
 */
text?: TextRef, };

export type Event = { "type": "todo.update" } & TodoUpdate | { "type": "session.created" } & SessionEvent | { "type": "session.updated" } & SessionEvent | { "type": "session.deleted" } & SessionDeleted | { "type": "list.deleted" } & ListEvent | { "type": "list.undeleted" } & ListEvent | { "type": "edit.state" } & EditStateEvent | { "type": "gateway.state" } & GatewayStateEvent | { "type": "agents.step" } & AgentsStepEvent | { "type": "import.progress" } & ImportProgress | { "type": "settings.updated" } & SettingsEvent | { "type": "keys.updated" } & KeysEvent | { "type": "hosts.updated" } & HostsEvent | { "type": "later.updated" } & LaterEvent | { "type": "chat.stream.start" } & ChatStreamStart | { "type": "chat.stream.delta" } & ChatStreamDelta | { "type": "chat.stream.reasoning" } & ChatStreamDelta | { "type": "chat.stream.end" } & ChatStreamEnd | { "type": "chat.updated" } & ChatUpdated | { "type": "tool.call" } & ToolCalled | { "type": "tool.result" } & ToolResulted | { "type": "tool.error" } & ToolFailed | { "type": "tool.approval.request" } & ToolApprovalRequest | { "type": "preflight.checklist" } & PreflightChecklist | { "type": "error" } & ErrorEvent;

export type EventsSnapshot = { 
/**
 * Cursor of the snapshot; the events that follow have later ones.
 */
cursor: string, 
/**
 * The current sessions, newest activity first, at most 200; [`SessionList`] has the rest.
 */
sessions: Array<SessionTodos>, 
/**
 * The number of current sessions that are not among them, for want of room.
 */
left?: number, 
/**
 * The snapshot replaces everything that the client had. Otherwise it holds only what changed after `since`.
 */
whole: boolean, 
/**
 * Ids of the sessions that were deleted after `since`.
 */
deleted: Array<string>, 
/**
 * The settings.
 */
settings: Settings, };

export type EventsSubscribe = { 
/**
 * The newest cursor that the client saw: the snapshot then holds only sessions that changed after it.
 */
since?: string, };

export type ExportFormat = "markdown" | "json" | "training";

export type Exported = { 
/**
 * The text.
 */
text: string, 
/**
 * Sentences for people on parts that training examples lack: each begins with the session's id.
 */
leftOut?: Array<string>, 
/**
 * The same in the catalogue, for clients that show them to people in their own language; empty where one has no name.
 */
leftOutTexts?: Array<TextRef>, };

export type FeedChanges = { 
/**
 * `cursor` of the page before; left out for the first page.
 */
cursor?: string, 
/**
 * Leaves sessions out whose agents were last heard of before this time (RFC 3339, UTC), but for those that are
 * pinned, wait for the user or for an agent.
 */
since?: string, 
/**
 * A revision that the client has from here, by which a database that was put back from a backup is noticed.
 */
witness?: FeedRevision, 
/**
 * Sessions on a page: 1 to 500, 200 when left out.
 */
limit?: number, };

export type FeedDeleted = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The time at which it was deleted (RFC 3339, UTC).
 */
at: string, };

export type FeedPage = { 
/**
 * Continues after this page, at once or whenever something has changed.
 */
cursor: string, 
/**
 * Ids of the sessions that changed, each once.
 */
sessions: Array<string>, 
/**
 * The sessions that were deleted.
 */
deleted: Array<FeedDeleted>, 
/**
 * More has changed already.
 */
more: boolean, 
/**
 * The page begins anew, as without a cursor: the cursor is not of this database, or is ahead of it, or the witness is
 * otherwise here. The client compares each session that it has with the `at` of `feed.session`.
 */
anew?: boolean, };

export type FeedRevision = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The number of the revision.
 */
revision: number, 
/**
 * The time of the revision (RFC 3339, UTC).
 */
at: string, };

export type FeedRows = { 
/**
 * The session in the form of an export as JSON, with the revisions after the one that was asked for, the states of
 * items that begin or end with them, and the edits that changed. Where `firstRevision` is beyond the revision that
 * was asked for, those between were trimmed, and all states are told.
 */
session: unknown, 
/**
 * The cursor of this moment, for `cursor` of the next request.
 */
cursor: string, 
/**
 * The last revision of this page.
 */
revision: number, 
/**
 * There are more revisions.
 */
more: boolean, 
/**
 * The revision that was asked for is another one here: nothing of the history is told.
 */
differs?: boolean, 
/**
 * Calls of other tools since its list changed last.
 */
calls: number, 
/**
 * The time since which its list may be out of date (RFC 3339, UTC).
 */
driftAt?: string, 
/**
 * The agent is connected.
 */
connected?: boolean, };

export type FeedSession = { 
/**
 * The session, by its whole id.
 */
sessionId: string, 
/**
 * The newest revision that the client has; 0 for none.
 */
revision: number, 
/**
 * The time of that revision (RFC 3339, UTC), by which another history is noticed.
 */
at?: string, 
/**
 * Leaves edits out that have not changed since this cursor.
 */
cursor?: string, 
/**
 * Revisions at most: 1 to 1,000, 500 when left out.
 */
limit?: number, };

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
 * Id of its process.
 */
pid: number, 
/**
 * Number of subscribers.
 */
connections: number, 
/**
 * Number of current sessions.
 */
sessions: number, 
/**
 * Its version.
 */
version: string, 
/**
 * Transactions committed since its start.
 */
commits: number, 
/**
 * Path of its data folder.
 */
dataDir: string, 
/**
 * Address for browsers and agents: `http://127.0.0.1:3271`; absent where it serves no port.
 */
address?: string, 
/**
 * Hosts that were named where it was started, beside those of the settings.
 */
publicHosts?: Array<string>, 
/**
 * A command that sends a first list, ready to paste into a terminal.
 */
firstListCommand?: string, 
/**
 * The command that an agent's MCP configuration starts (stdio), ready to paste.
 */
mcpCommand?: string, 
/**
 * Time of its start (RFC 3339, UTC).
 */
startedAt: string, 
/**
 * Something that the user has to know about the data: the database was damaged, and what could be read was taken
 * over.
 */
notice?: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
noticeText?: TextRef, };

export type GatewayOpen = { 
/**
 * The thing to open.
 */
what: GatewayThing, };

export type GatewayState = "connected" | "disconnected" | "lagged" | "closing";

export type GatewayStateEvent = { 
/**
 * Its state.
 */
state: GatewayState, 
/**
 * The reason, or what to do.
 */
message?: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
text?: TextRef, };

export type GatewayStatus = Record<symbol, never>;

export type GatewayThing = "dataFolder" | "page";

export type GatewayYield = Record<symbol, never>;

export type HandedOver = { 
/**
 * The session that has the edit.
 */
sessionId: string, 
/**
 * Id of the edit.
 */
editId: string, 
/**
 * Time at which it was made (RFC 3339, UTC).
 */
at: string, };

export type Happened = "worked" | "prompted" | "waits" | "rests" | "failed" | "ended";

export type Hello = { 
/**
 * Version of the protocol that the client speaks, 1; the gateway's when left out.
 */
protocol?: number, 
/**
 * The client.
 */
client?: ClientInfo, 
/**
 * The agent that the client speaks for.
 */
agent?: AgentIdentity, };

export type HelloResult = { 
/**
 * Version of the protocol that the gateway speaks, 1.
 */
protocol: number, 
/**
 * The gateway's version.
 */
version: string, 
/**
 * The newest cursor.
 */
cursor: string, 
/**
 * Rights of this connection.
 */
rights?: Rights, 
/**
 * Id of the key that it was opened with.
 */
key?: string, 
/**
 * Features that the gateway has beyond the first version of this protocol: `feed` for the requests of gateways that
 * mirror it. One that says nothing is older.
 */
features?: Array<string>, 
/**
 * The gateway's time (RFC 3339, UTC).
 */
time?: string, };

export type Host = { 
/**
 * Its name.
 */
name: string, 
/**
 * The command whose pipes lead to it, word by word; no shell reads it. Empty for one at an address.
 */
command: Array<string>, 
/**
 * The address at which it is, such as `wss://box.example.net/gateway`.
 */
address?: string, 
/**
 * Days for which its sessions are fetched at first; 0 for all.
 */
days: number, 
/**
 * Its state.
 */
state: HostState, 
/**
 * Time since which it is in that state (RFC 3339, UTC).
 */
since: string, 
/**
 * The reason for which it does not answer; the last that its command said comes first.
 */
problem?: string, 
/**
 * The same in the catalogue, where the words are ours.
 */
problemText?: TextRef, 
/**
 * Version of its gateway.
 */
version?: string, 
/**
 * Milliseconds that its last answer took.
 */
delayMs?: number, 
/**
 * Sessions of it that are here.
 */
sessions: number, 
/**
 * Edits that it has not got yet.
 */
sending: number, };

export type HostState = "unconfirmed" | "connecting" | "up" | "down";

export type Hosts = { 
/**
 * By their names.
 */
hosts: Array<Host>, };

export type HostsAdd = { 
/**
 * Its name: 1 to 40 letters, digits, dots, hyphens and underscores.
 */
name: string, 
/**
 * The command whose pipes lead to it, word by word, such as `ssh`, `box`, `sightline`, `dial-stdio`; empty for one at an
 * address.
 */
command: Array<string>, 
/**
 * The address at which it is: `wss://` and a host; `ws://` on this machine only.
 */
address?: string, 
/**
 * Days for which its sessions are fetched at first; 0 for all, 30 when left out.
 */
days?: number, 
/**
 * This is the way to the host of this name from now on, with what is here of it; otherwise such a name is refused.
 */
replaces?: boolean, };

export type HostsConfirm = { 
/**
 * Its name.
 */
name: string, 
/**
 * The command, as whoever decides has seen it: another one is refused.
 */
command: Array<string>, 
/**
 * The address, as whoever decides has seen it.
 */
address?: string, 
/**
 * It is connected to from now on; otherwise the host is removed.
 */
accept: boolean, };

export type HostsEvent = { 
/**
 * All hosts, by their names.
 */
hosts: Array<Host>, };

export type HostsKey = { 
/**
 * Its name.
 */
name: string, 
/**
 * The key, as `sightline key new` prints it there.
 */
key: string, };

export type HostsList = Record<symbol, never>;

export type HostsRemove = { 
/**
 * Its name.
 */
name: string, };

export type HostsTest = { 
/**
 * Its name.
 */
name: string, };

export type HourOfWork = { 
/**
 * Beginning of the hour (RFC 3339, UTC).
 */
at: string, 
/**
 * The agent's name.
 */
agent: string, 
/**
 * Lists that were begun.
 */
lists: number, 
/**
 * Items that were completed; one that was taken up and completed again counts twice.
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
 * Time that the finished items were in progress, in milliseconds.
 */
workedMs: number, 
/**
 * Finished items that had an estimate.
 */
estimated: number, 
/**
 * Sum of those estimates, in milliseconds.
 */
estimatedMs: number, 
/**
 * Time that those items were in progress, in milliseconds.
 */
actualMs: number, };

export type ImportCancel = Record<symbol, never>;

export type ImportProgress = { 
/**
 * The agent whose transcripts are being read; absent before the first and after the last.
 */
agent?: string, 
/**
 * Transcripts read.
 */
read: number, 
/**
 * Transcripts found.
 */
total: number, 
/**
 * Runs with a list among those read.
 */
runs: number, 
/**
 * Lists that were new.
 */
lists: number, 
/**
 * Transcripts that could not be read, each with the reason; at most 20.
 */
unreadable: Array<string>, 
/**
 * The same in the catalogue, for clients that show them to people in their own language; empty where one has no name.
 */
unreadableTexts?: Array<TextRef>, 
/**
 * The import is over.
 */
done: boolean, 
/**
 * It was ended before all transcripts were read.
 */
cancelled: boolean, };

export type ImportStart = { 
/**
 * Names of agents whose [`KnownAgent`] has `transcripts`; all when empty.
 */
agents: Array<string>, };

export type Insight = { 
/**
 * Hours in which something was done, oldest first; at most the newest 20,000.
 */
hours: Array<HourOfWork>, };

export type Item = { 
/**
 * Our identifier, stable over the item's life, whatever identifier the agent uses.
 */
uid: string, 
/**
 * The agent's identifier; where it gave none, one of ours: `t1`, `t2`, … , never reused in a session.
 */
id: string, 
/**
 * The item that each of `dependsOn` means, in the same order; null for one that means none and blocks nothing.
 */
dependsOnUids?: Array<string | null>, 
/**
 * It is pending, and an item that it depends on is not terminal. Derived.
 */
waiting?: boolean, 
/**
 * The estimate in minutes, where it can be read. Derived.
 */
estimateMinutes?: number, 
/**
 * One level, shown as 1.1, 1.2, …
 */
subtasks?: Array<Item>, 
/**
 * Its author.
 */
origin: Origin, 
/**
 * The time at which it came into the list (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * The time since which it has had its status (RFC 3339, UTC).
 */
statusAt: string, 
/**
 * The time it was in progress, in milliseconds, over all its restarts; a stretch that goes on begins at
 * `statusAt` and is not in it.
 */
workedMs?: number, 
/**
 * The number of times that it was taken up again after it was done.
 */
reopened?: number, 
/**
 * 1 to 2,000 characters.
 */
content: string, 
/**
 * Shown instead of the content while the item is in progress: "Fixing the parser".
 */
activeForm?: string, 
/**
 * Its state: pending, in progress, completed …
 */
status: Status, 
/**
 * The agent's own word, where it is not one of our statuses.
 */
statusRaw?: string, 
/**
 * Its urgency.
 */
priority?: Priority, 
/**
 * A free word, such as `testing`.
 */
category?: string, 
/**
 * Items that have to be finished first, as the agent names them.
 */
dependsOn?: Array<string>, 
/**
 * The time it should take, in the agent's words: `30min`.
 */
estimate?: string, 
/**
 * A longer text about it.
 */
description?: string, 
/**
 * Remarks made on the way.
 */
notes?: string, 
/**
 * The agent that has taken it.
 */
owner?: string, 
/**
 * The reason why it was skipped or is blocked.
 */
reason?: string, 
/**
 * Every key that we do not know, as it was sent.
 */
extra?: Record<string, unknown>, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

export type Key = { 
/**
 * Its id, which is no secret.
 */
keyId: string, 
/**
 * Its holder.
 */
kind: KeyKind, 
/**
 * Name for people.
 */
name: string, 
/**
 * Its rights; absent for an agent's.
 */
rights?: Rights, 
/**
 * Rights that it gets when somebody who may administer confirms it.
 */
wanted?: Rights, 
/**
 * Time at which it was made (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Time of its last use, to the minute; absent where it was never used.
 */
usedAt?: string, 
/**
 * Time at which it ends by itself.
 */
expiresAt?: string, };

export type KeyCode = { 
/**
 * Rights of the page; `administer` when left out.
 */
rights?: Rights, 
/**
 * Named host that the address leads to, for another device; this machine when left out.
 */
host?: string, };

export type KeyConfirm = { 
/**
 * Its id.
 */
keyId: string, 
/**
 * It gets the rights; otherwise it stays as it is.
 */
accept: boolean, };

export type KeyKind = "person" | "page" | "agent";

export type KeyList = Record<symbol, never>;

export type KeyMade = { 
/**
 * Its secret, sent as `Authorization: Bearer SECRET`.
 */
secret: string, 
/**
 * Its id, which is no secret.
 */
keyId: string, 
/**
 * Its holder.
 */
kind: KeyKind, 
/**
 * Name for people.
 */
name: string, 
/**
 * Its rights; absent for an agent's.
 */
rights?: Rights, 
/**
 * Rights that it gets when somebody who may administer confirms it.
 */
wanted?: Rights, 
/**
 * Time at which it was made (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Time of its last use, to the minute; absent where it was never used.
 */
usedAt?: string, 
/**
 * Time at which it ends by itself.
 */
expiresAt?: string, };

export type KeyNew = { 
/**
 * Name for people, at most 100 characters; no other valid key has it.
 */
name: string, 
/**
 * Rights of a person's key; left out for an agent's.
 */
rights?: Rights, };

export type KeyRenew = { 
/**
 * Its id or its name.
 */
keyId: string, };

export type KeyRevoke = { 
/**
 * Its id or its name.
 */
keyId: string, };

export type Keys = { 
/**
 * The keys.
 */
keys: Array<Key>, };

export type KeysEvent = { 
/**
 * Keys that wait for rights.
 */
waiting: number, };

export type KnownAgent = { 
/**
 * Its name in requests: `codex`.
 */
agent: string, 
/**
 * Its name for people: `Codex`.
 */
title: string, 
/**
 * Other names under which its sessions may be stored: `claude-code`.
 */
aliases: Array<string>, 
/**
 * True if it can be connected.
 */
connectable: boolean, 
/**
 * True if edits can reach it by hooks.
 */
hooks: boolean, 
/**
 * True if its old transcripts can be imported.
 */
transcripts: boolean, 
/**
 * True if the command that resumes a run is known.
 */
resumable: boolean, 
/**
 * True if it can be started with a task.
 */
starts: boolean, 
/**
 * True if a run of its can be resumed with a prompt.
 */
continues: boolean, };

export type LastCall = { 
/**
 * The tool, as the agent calls it.
 */
tool: string, 
/**
 * Its subject, such as a command or a file: at most 300 characters.
 */
text?: string, 
/**
 * Time at which it ended (RFC 3339, UTC).
 */
at: string, };

export type LaterAdd = { 
/**
 * The session; left out where `folder` says where.
 */
sessionId?: string, 
/**
 * The folder, from the root.
 */
folder?: string, 
/**
 * It is a step, and not a message.
 */
step?: boolean, 
/**
 * The step or the message, 1 to 2,000 characters.
 */
text: string, };

export type LaterDelete = { 
/**
 * Its id.
 */
laterId: string, };

export type LaterEdit = { 
/**
 * Its id.
 */
laterId: string, 
/**
 * The step or the message, 1 to 2,000 characters.
 */
text?: string, 
/**
 * It is a step, and not a message.
 */
step?: boolean, 
/**
 * The place among those that wait for the same session or folder that it moves to, from 1.
 */
to?: number, };

export type LaterEvent = { 
/**
 * Place in the stream of all changes; opaque.
 */
cursor: string, 
/**
 * The session whose queue it is; absent where it is a folder's.
 */
sessionId?: string, 
/**
 * The folder whose queue it is.
 */
folder?: string, };

export type LaterItem = { 
/**
 * Its id.
 */
laterId: string, 
/**
 * The session that it is for; absent where it is for a folder.
 */
sessionId?: string, 
/**
 * The folder: the next session that works there gets it.
 */
folder?: string, 
/**
 * It is a step, and not a message.
 */
step?: boolean, 
/**
 * The step or the message.
 */
text: string, 
/**
 * Time at which the user made it (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Its edit; absent while it waits.
 */
handedOver?: HandedOver, };

export type LaterItems = { 
/**
 * Each queue in its order; those of a session before those of a folder.
 */
items: Array<LaterItem>, };

export type LaterList = { 
/**
 * The session whose are asked for, with those of its folder; all when left out.
 */
sessionId?: string, };

export type ListDelete = { 
/**
 * Id of the list.
 */
listId: string, 
/**
 * It cannot be brought back.
 */
forGood?: boolean, };

export type ListEntry = { 
/**
 * Id of the list.
 */
listId: string, 
/**
 * Its session as it is now; its title and progress are those of the present list.
 */
session: Session, 
/**
 * The list that has ended; absent for the present one.
 */
ended?: EndedList, };

export type ListEvent = { 
/**
 * Place in the stream of all changes; opaque.
 */
cursor: string, 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * Id of the list.
 */
listId: string, };

export type ListState = "active" | "known-empty" | "never-called" | "tool-off" | "unknown";

export type ListUndelete = { 
/**
 * Id of the list.
 */
listId: string, };

export type Lists = { 
/**
 * The lists. A page may hold fewer than asked for, or none, and not be the last.
 */
lists: Array<ListEntry>, 
/**
 * Cursor of the next page; absent on the last one.
 */
nextCursor?: string, };

export type Need = { 
/**
 * Id of the need within its session, for [`NeedDismiss`](crate::NeedDismiss); the same for as long as the need
 * lasts.
 */
id: string, 
/**
 * The reason.
 */
kind: NeedKind, 
/**
 * Since when (RFC 3339, UTC).
 */
since: string, 
/**
 * Its subject, in the agent's or the user's words: what the agent waits for, the item, the edit. At most 300
 * characters; empty where nothing is known.
 */
text: string, 
/**
 * The same in the catalogue, where the words are ours.
 */
words?: TextRef, 
/**
 * Uid of the item that it is about.
 */
uid?: string, 
/**
 * Id of the edit that it is about.
 */
editId?: string, 
/**
 * Id of the permission that is asked for.
 */
permissionId?: string, 
/**
 * Id of the other session that it is about.
 */
otherSessionId?: string, };

export type NeedDismiss = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Id of the need.
 */
needId: string, 
/**
 * `false` puts it back.
 */
dismissed?: boolean, 
/**
 * Time at which it comes back (RFC 3339, UTC), where it is put off only.
 */
until?: string, };

export type NeedKind = "permission" | "waiting" | "failed" | "unfinished" | "blocked" | "overridden" | "ignored" | "overlap" | "drift" | "toolOff";

export type NoteSend = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The message, 1 to 2,000 characters.
 */
text: string, };

export type OpenWith = "folder" | "terminal" | "editor" | "diff";

export type Origin = "agent" | "user";

export type OwnReported = { 
/**
 * Id of the session that holds the built-in list.
 */
sessionId: string, 
/**
 * The agent's tool that writes it.
 */
tool: string, 
/**
 * The user's edits that this answer delivers.
 */
edits: Array<EditView>, 
/**
 * The list.
 */
todos: Array<Item>, };

export type OwnSwitch = "on" | "off" | "unknown" | "none";

export type PairingCode = { 
/**
 * The page's address with the code in its fragment, which browsers do not send.
 */
address: string, 
/**
 * Time after which it is worth nothing (RFC 3339, UTC).
 */
expiresAt: string, };

export type Permission = { 
/**
 * Its id.
 */
permissionId: string, 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * Its state.
 */
state: PermissionState, 
/**
 * The tool, as the agent calls it.
 */
tool: string, 
/**
 * The arguments of the call as JSON text, to the letter as the agent wrote it.
 */
input: string, 
/**
 * The command, where the call runs one.
 */
command?: string, 
/**
 * The narrowest rule for such calls.
 */
narrowest: RuleCalls, 
/**
 * Path of the folder that the agent works in.
 */
folder?: string, 
/**
 * The questions, where the call asks the user something.
 */
questions?: Array<Question>, 
/**
 * The agent shows no prompt of its own until this one is over.
 */
alone?: boolean, 
/**
 * Time at which the agent asked (RFC 3339, UTC).
 */
askedAt: string, 
/**
 * Time after which the agent asks by itself (RFC 3339, UTC).
 */
expiresAt: string, 
/**
 * Time at which it was settled (RFC 3339, UTC).
 */
settledAt?: string, 
/**
 * Id of the rule that has answered.
 */
ruleId?: string, 
/**
 * The user's words to the model.
 */
message?: string, };

export type PermissionAnswer = { 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * Id of the permission.
 */
permissionId: string, 
/**
 * True to allow the call, false to deny it.
 */
allow: boolean, 
/**
 * Words to the model, where the call is denied: at most 2,000 characters.
 */
message?: string, 
/**
 * The chosen answers, for each question its own.
 */
answers?: Array<Array<string>>, 
/**
 * A rule that is made with it, and answers such calls from now on.
 */
rule?: RuleNew, };

export type PermissionAsk = { 
/**
 * The tool, as the agent calls it: 1 to 200 characters.
 */
tool: string, 
/**
 * The arguments of the call as JSON text, to the letter as the agent wrote it: at most 256 KiB.
 */
input: string, 
/**
 * Seconds for which the agent waits, at most 3,600. With 0 only the user's rules decide.
 */
waitSeconds: number, 
/**
 * The agent shows no prompt of its own until this one is over.
 */
alone?: boolean, 
/**
 * The choices that the agent gives the user, where the call is a question.
 */
questions?: Array<Question>, };

export type PermissionDecided = { 
/**
 * True to allow the call, false to deny it; absent where nobody decided.
 */
allowed?: boolean, 
/**
 * The user's words to the model, where the call is denied.
 */
message?: string, 
/**
 * The chosen answers, for each question its own, where questions were asked.
 */
answers?: Array<Array<string>>, };

export type PermissionList = { 
/**
 * Id of a session.
 */
sessionId?: string, 
/**
 * Permissions at most: 1 to 200; 50 when left out.
 */
limit?: number, };

export type PermissionState = "open" | "allowed" | "denied" | "elsewhere" | "expired";

export type Permissions = { 
/**
 * The permissions.
 */
permissions: Array<Permission>, };

export type PreflightApproval = { 
/**
 * Id of the run.
 */
requestId: string, 
/**
 * Its session; needed only where several clients gave their runs the same id.
 */
sessionId?: string, 
/**
 * The plan may begin.
 */
approved: boolean, 
/**
 * Steps to carry out instead; the plan's own when left out.
 */
editedSteps?: Array<PreflightEdit>, };

export type PreflightChecklist = { 
/**
 * Id of the run, which the response repeats.
 */
requestId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * The steps, in order.
 */
steps: Array<PreflightStep>, 
/**
 * Always zeros: the cost cannot be known before.
 */
estimatedCost: PreflightCost, 
/**
 * Names of the tools that need approval.
 */
requiredPermissions: Array<string>, 
/**
 * Always empty.
 */
warnings: Array<string>, 
/**
 * Time after which it counts as not answered (RFC 3339, UTC).
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
 * The step's text.
 */
description: string, 
/**
 * The tool to use.
 */
toolName?: string, 
/**
 * The step is left out.
 */
skip: boolean, };

export type PreflightStep = { 
/**
 * The step's text.
 */
description: string, 
/**
 * The tool that it is to use.
 */
toolName?: string, 
/**
 * `high` where the tool needs approval, else `low`.
 */
risk: string, 
/**
 * The tool needs approval.
 */
needsApproval: boolean, };

export type PreviewedStep = { 
/**
 * Its text.
 */
content: string, 
/**
 * Its status.
 */
status: Status, 
/**
 * True if it is a subtask of the last step before it that is none.
 */
isSubtask: boolean, };

export type PreviewedSteps = { 
/**
 * The steps; none where the text is no checklist.
 */
steps: Array<PreviewedStep>, };

export type Priority = "high" | "medium" | "low";

export type Progress = { 
/**
 * Items that are completed or skipped.
 */
completed: number, 
/**
 * All items but cancelled ones.
 */
total: number, 
/**
 * Progress for a bar, from 0 to 1, with parts of items by their subtasks.
 */
fraction: number, };

export type Proof = "seen" | "newer" | "untried";

export type ProviderKind = "openai" | "anthropic" | "gemini" | "ollama";

export type Question = { 
/**
 * The question: at most 2,000 characters.
 */
text: string, 
/**
 * A few words for it.
 */
header?: string, 
/**
 * The answers to choose from, at most 20.
 */
options: Array<QuestionOption>, 
/**
 * Several may be chosen.
 */
multiple?: boolean, };

export type QuestionOption = { 
/**
 * The answer.
 */
label: string, 
/**
 * Its meaning.
 */
description?: string, };

export type Raised = { 
/**
 * Its name in words: `tmux pane %2, X11 window 0x1200007`.
 */
raised: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
raisedText?: TextRef, 
/**
 * A part of the way to it that could not be raised, with the reason: tmux's window.
 */
note?: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
noteText?: TextRef, };

export type Registered = "absent" | "ours" | "outdated" | "disabled" | "other" | "unreadable";

export type Reply = { "type": "hello.result" } & HelloResult | { "type": "events.subscribe.result" } & EventsSnapshot | { "type": "session.list" } & Sessions | { "type": "session.get.result" } & SessionAt | { "type": "session.revisions.result" } & Revisions | { "type": "session.files.result" } & ChangedFiles | { "type": "session.search.result" } & SearchHits | { "type": "session.export.result" } & Exported | { "type": "todo.preview.result" } & PreviewedSteps | { "type": "todo.complete.result" } & Completions | { "type": "archive.lists.result" } & Lists | { "type": "archive.status.result" } & ArchiveInfo | { "type": "archive.insight.result" } & Insight | { "type": "settings.get.result" } & Settings | { "type": "key.list.result" } & Keys | { "type": "key.code.result" } & PairingCode | { "type": "permission.list.result" } & Permissions | { "type": "later.list.result" } & LaterItems | { "type": "rule.list.result" } & Rules | { "type": "audit.list.result" } & Audit | { "type": "feed.changes.result" } & FeedPage | { "type": "feed.session.result" } & FeedRows | { "type": "hosts.list.result" } & Hosts | { "type": "gateway.yield.result" } & Done | { "type": "gateway.status.result" } & GatewayInfo | { "type": "todo.command.result" } & Commanded | { "type": "todo.write.result" } & TodoWritten | { "type": "todo.read.result" } & TodoWritten | { "type": "todo.manage.result" } & TodoManaged | { "type": "todo.delivered.result" } & Done | { "type": "todo.observe.result" } & TodoObserved | { "type": "session.report.result" } & SessionReported | { "type": "session.leave.result" } & Done | { "type": "session.delete.result" } & Done | { "type": "session.undelete.result" } & Done | { "type": "list.delete.result" } & Done | { "type": "list.undelete.result" } & Done | { "type": "session.import.result" } & SessionsImported | { "type": "session.mark.result" } & Done | { "type": "need.dismiss.result" } & Done | { "type": "agents.written.result" } & Done | { "type": "settings.update.result" } & Settings | { "type": "permission.answer.result" } & Done | { "type": "rule.new.result" } & Rule | { "type": "rule.edit.result" } & Rule | { "type": "rule.delete.result" } & Done | { "type": "later.add.result" } & LaterItem | { "type": "later.edit.result" } & LaterItem | { "type": "later.delete.result" } & Done | { "type": "key.new.result" } & KeyMade | { "type": "key.revoke.result" } & Done | { "type": "key.renew.result" } & KeyMade | { "type": "hosts.add.result" } & Host | { "type": "hosts.confirm.result" } & Done | { "type": "hosts.remove.result" } & Done | { "type": "edit.once.result" } & EditedOnce | { "type": "edit.discard.result" } & Done | { "type": "key.confirm.result" } & Key | { "type": "permission.ask.result" } & PermissionDecided | { "type": "todo.add.result" } & Edited | { "type": "todo.clear.result" } & Edited | { "type": "todo.undo.result" } & Edited | { "type": "todo.restore.result" } & Edited | { "type": "todo.archive.result" } & Edited | { "type": "note.send.result" } & Edited | { "type": "edit.insist.result" } & Edited | { "type": "session.load.result" } & Edited | { "type": "todo.delete.result" } & Edited | { "type": "todo.setStatus.result" } & Edited | { "type": "todo.edit.result" } & Edited | { "type": "todo.move.result" } & Edited | { "type": "todo.indent.result" } & Edited | { "type": "agents.list.result" } & AgentOverview | { "type": "agents.plan.result" } & AgentsPlanned | { "type": "agents.apply.result" } & AgentsApplied | { "type": "agents.test.result" } & AgentsTested | { "type": "agents.test.cancel.result" } & Done | { "type": "demo.start.result" } & DemoStarted | { "type": "gateway.open.result" } & Done | { "type": "import.start.result" } & ImportProgress | { "type": "import.cancel.result" } & ImportProgress | { "type": "session.open.result" } & Done | { "type": "session.raise.result" } & Raised | { "type": "session.continue.result" } & AgentStarted | { "type": "agents.start.result" } & AgentStarted | { "type": "hosts.key.result" } & Done | { "type": "hosts.test.result" } & Host | { "type": "session.resume.result" } & ResumeCommand | { "type": "chat.send.result" } & ChatStarted | { "type": "chat.abort.result" } & Done | { "type": "chat.resume.result" } & ChatStarted | { "type": "chat.get.result" } & Chat | { "type": "tool.approval.response.result" } & Done | { "type": "preflight.approval.result" } & Done | { "type": "chat.models.result" } & ChatModelList | { "type": "chat.test.result" } & Done | { "type": "chat.tools.result" } & ChatToolList | { "type": "vault.keys.list.result" } & VaultKeys | { "type": "vault.keys.set.result" } & VaultKeys | { "type": "vault.keys.delete.result" } & VaultKeys;

export type Request = { "type": "hello" } & Hello | { "type": "events.subscribe" } & EventsSubscribe | { "type": "session.list" } & SessionList | { "type": "session.get" } & SessionGet | { "type": "session.revisions" } & SessionRevisions | { "type": "session.files" } & SessionFiles | { "type": "session.search" } & SessionSearch | { "type": "session.export" } & SessionExport | { "type": "todo.preview" } & TodoPreview | { "type": "todo.complete" } & TodoComplete | { "type": "archive.lists" } & ArchiveLists | { "type": "archive.status" } & ArchiveStatus | { "type": "archive.insight" } & ArchiveInsight | { "type": "settings.get" } & SettingsGet | { "type": "key.list" } & KeyList | { "type": "key.code" } & KeyCode | { "type": "permission.list" } & PermissionList | { "type": "later.list" } & LaterList | { "type": "rule.list" } & RuleList | { "type": "audit.list" } & AuditList | { "type": "feed.changes" } & FeedChanges | { "type": "feed.session" } & FeedSession | { "type": "hosts.list" } & HostsList | { "type": "gateway.yield" } & GatewayYield | { "type": "gateway.status" } & GatewayStatus | { "type": "todo.command" } & TodoCommand | { "type": "todo.write" } & TodoWrite | { "type": "todo.read" } & TodoRead | { "type": "todo.manage" } & TodoManage | { "type": "todo.delivered" } & TodoDelivered | { "type": "todo.observe" } & TodoObserve | { "type": "session.report" } & SessionReport | { "type": "session.leave" } & SessionLeave | { "type": "session.delete" } & SessionDelete | { "type": "session.undelete" } & SessionUndelete | { "type": "list.delete" } & ListDelete | { "type": "list.undelete" } & ListUndelete | { "type": "session.import" } & SessionImport | { "type": "session.mark" } & SessionMark | { "type": "need.dismiss" } & NeedDismiss | { "type": "agents.written" } & AgentsWritten | { "type": "settings.update" } & SettingsUpdate | { "type": "permission.answer" } & PermissionAnswer | { "type": "rule.new" } & RuleNew | { "type": "rule.edit" } & RuleEdit | { "type": "rule.delete" } & RuleDelete | { "type": "later.add" } & LaterAdd | { "type": "later.edit" } & LaterEdit | { "type": "later.delete" } & LaterDelete | { "type": "key.new" } & KeyNew | { "type": "key.revoke" } & KeyRevoke | { "type": "key.renew" } & KeyRenew | { "type": "hosts.add" } & HostsAdd | { "type": "hosts.confirm" } & HostsConfirm | { "type": "hosts.remove" } & HostsRemove | { "type": "edit.once" } & EditOnce | { "type": "edit.discard" } & EditDiscard | { "type": "key.confirm" } & KeyConfirm | { "type": "permission.ask" } & PermissionAsk | { "type": "todo.add" } & TodoAdd | { "type": "todo.clear" } & TodoClear | { "type": "todo.undo" } & TodoUndo | { "type": "todo.restore" } & TodoRestore | { "type": "todo.archive" } & TodoArchive | { "type": "note.send" } & NoteSend | { "type": "edit.insist" } & EditInsist | { "type": "session.load" } & SessionLoad | { "type": "todo.delete" } & TodoDelete | { "type": "todo.setStatus" } & TodoSetStatus | { "type": "todo.edit" } & TodoEdit | { "type": "todo.move" } & TodoMove | { "type": "todo.indent" } & TodoIndent | { "type": "agents.list" } & AgentsList | { "type": "agents.plan" } & AgentsPlan | { "type": "agents.apply" } & AgentsApply | { "type": "agents.test" } & AgentsTest | { "type": "agents.test.cancel" } & AgentsTestCancel | { "type": "demo.start" } & DemoStart | { "type": "gateway.open" } & GatewayOpen | { "type": "import.start" } & ImportStart | { "type": "import.cancel" } & ImportCancel | { "type": "session.open" } & SessionOpen | { "type": "session.raise" } & SessionRaise | { "type": "session.continue" } & SessionContinue | { "type": "agents.start" } & AgentsStart | { "type": "hosts.key" } & HostsKey | { "type": "hosts.test" } & HostsTest | { "type": "session.resume" } & SessionResume | { "type": "chat.send" } & ChatSend | { "type": "chat.abort" } & ChatAbort | { "type": "chat.resume" } & ChatResume | { "type": "chat.get" } & ChatGet | { "type": "tool.approval.response" } & ToolApprovalResponse | { "type": "preflight.approval" } & PreflightApproval | { "type": "chat.models" } & ChatModels | { "type": "chat.test" } & ChatTest | { "type": "chat.tools" } & ChatTools | { "type": "vault.keys.list" } & VaultKeysList | { "type": "vault.keys.set" } & VaultKeysSet | { "type": "vault.keys.delete" } & VaultKeysDelete;

export type ResumeCommand = { 
/**
 * The command, ready to paste into a terminal: `cd /home/ann/api && codex resume 0199…`.
 */
command: string, };

export type Retention = { 
/**
 * Days since the last activity.
 */
keepDays: number, 
/**
 * Days for single projects, by their short names; 0 keeps a project for ever.
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
 * Time of the change (RFC 3339, UTC).
 */
at: string, 
/**
 * Its maker.
 */
actor: Actor, 
/**
 * Type of the request that made it: `todo.write`, `todo.add`, `session.load`, …
 */
cause: string, 
/**
 * Uids of the items that were added.
 */
added: Array<string>, 
/**
 * Uids of the items that changed.
 */
changed: Array<string>, 
/**
 * Uids of the items that were removed.
 */
removed: Array<string>, };

export type Revisions = { 
/**
 * The revisions, newest first.
 */
revisions: Array<RevisionView>, 
/**
 * Cursor of the next page; absent on the last one.
 */
nextCursor?: string, };

export type Rights = "look" | "edit" | "answer" | "administer";

export type Rule = { 
/**
 * Its id.
 */
ruleId: string, 
/**
 * Time at which it was made (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Calls that it has decided.
 */
decided: number, 
/**
 * Time of the last of them (RFC 3339, UTC).
 */
decidedAt?: string, 
/**
 * True to allow such calls, false to deny them.
 */
allow: boolean, 
/**
 * The agent whose calls it is for; any agent's when left out.
 */
agent?: string, 
/**
 * The session that it is for; any when left out. It goes with the session.
 */
sessionId?: string, 
/**
 * The folder that it is for, with all below it; any when left out.
 */
folder?: string, 
/**
 * The tool, as the agent calls it.
 */
tool: string, 
/**
 * The calls of that tool.
 */
calls: RuleCalls, };

export type RuleCalls = { "kind": "tool" } | { "kind": "input", 
/**
 * The arguments as JSON text, or the command alone where it is not a plain one.
 */
input: string, } | { "kind": "command", 
/**
 * The words, as a shell would split them: at least one.
 */
words: Array<string>, };

export type RuleDelete = { 
/**
 * Id of the rule.
 */
ruleId: string, };

export type RuleEdit = { 
/**
 * Id of the rule.
 */
ruleId: string, 
/**
 * True to allow such calls, false to deny them.
 */
allow: boolean, 
/**
 * The agent whose calls it is for; any agent's when left out.
 */
agent?: string, 
/**
 * The session that it is for; any when left out. It goes with the session.
 */
sessionId?: string, 
/**
 * The folder that it is for, with all below it; any when left out.
 */
folder?: string, 
/**
 * The tool, as the agent calls it.
 */
tool: string, 
/**
 * The calls of that tool.
 */
calls: RuleCalls, };

export type RuleList = Record<symbol, never>;

export type RuleNew = { 
/**
 * True to allow such calls, false to deny them.
 */
allow: boolean, 
/**
 * The agent whose calls it is for; any agent's when left out.
 */
agent?: string, 
/**
 * The session that it is for; any when left out. It goes with the session.
 */
sessionId?: string, 
/**
 * The folder that it is for, with all below it; any when left out.
 */
folder?: string, 
/**
 * The tool, as the agent calls it.
 */
tool: string, 
/**
 * The calls of that tool.
 */
calls: RuleCalls, };

export type Rules = { 
/**
 * The rules, the newest first.
 */
rules: Array<Rule>, };

export type SearchHit = { 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * The newest revision that has the words.
 */
revision: number, 
/**
 * The session's title.
 */
title: string, 
/**
 * The words with the text around them.
 */
snippet: string, 
/**
 * The snippet in parts, to highlight the words.
 */
parts: Array<SnippetPart>, 
/**
 * Uid of the item that has the words; absent where the title or the folder has them.
 */
uid?: string, 
/**
 * The session as it is now.
 */
session: Session, 
/**
 * The list that has the words, where it has ended; absent for the present one.
 */
ended?: EndedList, 
/**
 * Id of the list that has the words.
 */
listId: string, };

export type SearchHits = { 
/**
 * One result of each list: first those whose title or folder has the words, then those whose items have them,
 * both newest first. A page may hold fewer results than asked for, or none, and not be the last.
 */
results: Array<SearchHit>, 
/**
 * Cursor of the next page; absent on the last one.
 */
nextCursor?: string, };

export type SendingEdit = { 
/**
 * Its key, for `edit.discard`.
 */
key: string, 
/**
 * Type of the request: `todo.add`, `note.send`, …
 */
kind: string, 
/**
 * Its text, where it has one.
 */
text: string, 
/**
 * Time at which it was made (RFC 3339, UTC).
 */
at: string, 
/**
 * The host's reason for refusing it; absent while it waits.
 */
problem?: string, 
/**
 * The same in the catalogue, where the host has said that, for clients that show it to people in their own language.
 */
problemText?: TextRef, };

export type Session = { 
/**
 * Id of the session, given by the gateway.
 */
sessionId: string, 
/**
 * Label under which it was opened.
 */
label?: string, 
/**
 * For a subagent: the session of the agent that it works for. For a built-in list: the session of the run.
 */
parentSessionId?: string, 
/**
 * For a built-in list: the agent's tool that writes it, such as `update_plan`.
 */
ownTool?: string, 
/**
 * For a run: the session of its built-in list, while that list stands for the run. It does until a list was written
 * to the run itself; left out from then on, also when that list is cleared.
 */
listSessionId?: string, 
/**
 * The list cannot be edited, since the agent cannot be told of edits.
 */
readOnly?: boolean, 
/**
 * Its subject, in a few words.
 */
title: string, 
/**
 * The agent.
 */
agent: AgentInfo, 
/**
 * Path of the folder that it works in.
 */
folder?: string, 
/**
 * Short name of the folder.
 */
project?: string, 
/**
 * Git branch that is checked out there.
 */
branch?: string, 
/**
 * State of the agent.
 */
state: SessionState, 
/**
 * The reason: what the agent waits for, or why it ended.
 */
stateReason?: string, 
/**
 * The same in the catalogue, where the words are ours.
 */
stateReasonText?: TextRef, 
/**
 * State of the list.
 */
listState: ListState, 
/**
 * Progress of the list.
 */
progress: Progress, 
/**
 * The newest revision; 0 before the first.
 */
revision: number, 
/**
 * Time at which it began (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Time at which its agent was last heard of (RFC 3339, UTC).
 */
lastActivityAt: string, 
/**
 * The agent is connected, was heard of within the time that makes a session stale, or waits for the user, for a
 * day at most.
 */
current: boolean, 
/**
 * The agent is connected. One that is not may come back.
 */
connected: boolean, 
/**
 * Calls of other tools since its lists changed last, where hooks or files tell of them.
 */
callsSinceList: number, 
/**
 * The last call of another tool that has ended, where hooks tell of it. Not kept when the gateway ends.
 */
lastCall?: LastCall, 
/**
 * Its model, context, tokens and cost, as far as its agent tells.
 */
usage?: Usage, 
/**
 * There were 15 such calls or more, and the list is not finished.
 */
drifts?: boolean, 
/**
 * Reasons why it needs the user, longest first; dismissed ones are left out. Only current sessions have any.
 */
needs?: Array<Need>, 
/**
 * Time since which the agent has been in its state (RFC 3339, UTC).
 */
stateAt: string, 
/**
 * Names of the agents that share its list, where there are several: `codex`, `codex 2`. A step whose owner is one of
 * them is given to that one only.
 */
agents?: Array<string>, 
/**
 * The user keeps it on the board, current or not.
 */
pinned?: boolean, 
/**
 * The user wants no notifications about it.
 */
muted?: boolean, 
/**
 * Agents of every key may open it by its label; without that only those with the key of the agent that chose it.
 */
shared?: boolean, 
/**
 * The user took it off the board, and it was not active since.
 */
dismissed?: boolean, 
/**
 * A message is given to its agent as a prompt at once, where it has nothing to do.
 */
prompts?: boolean, 
/**
 * Tags that the user gave it, oldest first: single words in lower case.
 */
tags?: Array<string>, 
/**
 * For a session that is mirrored: the host that it lives on. Its folder and its agent's terminal are there.
 */
host?: string, 
/**
 * For a session that is mirrored: edits that its host has not got yet or has refused, oldest first.
 */
sending?: Array<SendingEdit>, 
/**
 * For a session that is mirrored: what opens its folder there, over ssh; nothing for one that is reached otherwise.
 */
opens?: Array<OpenWith>, 
/**
 * Time at which the user deleted it (RFC 3339, UTC); only among deleted sessions.
 */
deletedAt?: string, };

export type SessionAt = { 
/**
 * The session as it is now.
 */
session: Session, 
/**
 * The revision of `todos`.
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
 * Where a revision was asked for: the items that it removed, as they were.
 */
removed?: Array<Item>, 
/**
 * The user's edits that are not settled yet, and the newest that are.
 */
edits: Array<EditView>, 
/**
 * Id of the session that holds the built-in list of this run.
 */
ownSessionId?: string, };

export type SessionContinue = { 
/**
 * The session.
 */
sessionId: string, };

export type SessionDelete = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Deletes it at once, so that it cannot be brought back; also a session that was deleted before.
 */
forGood?: boolean, };

export type SessionDeleted = { 
/**
 * Place in the stream of all changes; opaque.
 */
cursor: string, 
/**
 * Id of the session.
 */
sessionId: string, };

export type SessionEvent = { 
/**
 * Place in the stream of all changes; opaque.
 */
cursor: string, 
/**
 * Id of the list; changes when the list is archived or another one is loaded.
 */
listId: string, 
/**
 * The items, in order.
 */
todos: Array<Item>, 
/**
 * The user's edits that are not settled yet, and the newest that are.
 */
edits: Array<EditView>, 
/**
 * Id of the session, given by the gateway.
 */
sessionId: string, 
/**
 * Label under which it was opened.
 */
label?: string, 
/**
 * For a subagent: the session of the agent that it works for. For a built-in list: the session of the run.
 */
parentSessionId?: string, 
/**
 * For a built-in list: the agent's tool that writes it, such as `update_plan`.
 */
ownTool?: string, 
/**
 * For a run: the session of its built-in list, while that list stands for the run. It does until a list was written
 * to the run itself; left out from then on, also when that list is cleared.
 */
listSessionId?: string, 
/**
 * The list cannot be edited, since the agent cannot be told of edits.
 */
readOnly?: boolean, 
/**
 * Its subject, in a few words.
 */
title: string, 
/**
 * The agent.
 */
agent: AgentInfo, 
/**
 * Path of the folder that it works in.
 */
folder?: string, 
/**
 * Short name of the folder.
 */
project?: string, 
/**
 * Git branch that is checked out there.
 */
branch?: string, 
/**
 * State of the agent.
 */
state: SessionState, 
/**
 * The reason: what the agent waits for, or why it ended.
 */
stateReason?: string, 
/**
 * The same in the catalogue, where the words are ours.
 */
stateReasonText?: TextRef, 
/**
 * State of the list.
 */
listState: ListState, 
/**
 * Progress of the list.
 */
progress: Progress, 
/**
 * The newest revision; 0 before the first.
 */
revision: number, 
/**
 * Time at which it began (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Time at which its agent was last heard of (RFC 3339, UTC).
 */
lastActivityAt: string, 
/**
 * The agent is connected, was heard of within the time that makes a session stale, or waits for the user, for a
 * day at most.
 */
current: boolean, 
/**
 * The agent is connected. One that is not may come back.
 */
connected: boolean, 
/**
 * Calls of other tools since its lists changed last, where hooks or files tell of them.
 */
callsSinceList: number, 
/**
 * The last call of another tool that has ended, where hooks tell of it. Not kept when the gateway ends.
 */
lastCall?: LastCall, 
/**
 * Its model, context, tokens and cost, as far as its agent tells.
 */
usage?: Usage, 
/**
 * There were 15 such calls or more, and the list is not finished.
 */
drifts?: boolean, 
/**
 * Reasons why it needs the user, longest first; dismissed ones are left out. Only current sessions have any.
 */
needs?: Array<Need>, 
/**
 * Time since which the agent has been in its state (RFC 3339, UTC).
 */
stateAt: string, 
/**
 * Names of the agents that share its list, where there are several: `codex`, `codex 2`. A step whose owner is one of
 * them is given to that one only.
 */
agents?: Array<string>, 
/**
 * The user keeps it on the board, current or not.
 */
pinned?: boolean, 
/**
 * The user wants no notifications about it.
 */
muted?: boolean, 
/**
 * Agents of every key may open it by its label; without that only those with the key of the agent that chose it.
 */
shared?: boolean, 
/**
 * The user took it off the board, and it was not active since.
 */
dismissed?: boolean, 
/**
 * A message is given to its agent as a prompt at once, where it has nothing to do.
 */
prompts?: boolean, 
/**
 * Tags that the user gave it, oldest first: single words in lower case.
 */
tags?: Array<string>, 
/**
 * For a session that is mirrored: the host that it lives on. Its folder and its agent's terminal are there.
 */
host?: string, 
/**
 * For a session that is mirrored: edits that its host has not got yet or has refused, oldest first.
 */
sending?: Array<SendingEdit>, 
/**
 * For a session that is mirrored: what opens its folder there, over ssh; nothing for one that is reached otherwise.
 */
opens?: Array<OpenWith>, 
/**
 * Time at which the user deleted it (RFC 3339, UTC); only among deleted sessions.
 */
deletedAt?: string, };

export type SessionExport = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Further sessions, in this order; at most 1,000 in all.
 */
and?: Array<string>, 
/**
 * Revision for Markdown; the newest when left out.
 */
revision?: number, 
/**
 * The format.
 */
format: ExportFormat, };

export type SessionFiles = { 
/**
 * The session.
 */
sessionId: string, };

export type SessionFilter = { 
/**
 * The agent's name.
 */
agent?: string, 
/**
 * The project's short name.
 */
project?: string, 
/**
 * A tag of the session.
 */
tag?: string, 
/**
 * The session's state.
 */
state?: SessionState, 
/**
 * Only sessions with open items.
 */
unfinished?: boolean, 
/**
 * Last active at this time or later (RFC 3339).
 */
since?: string, 
/**
 * Last active before this time (RFC 3339).
 */
until?: string, 
/**
 * Only deleted sessions that can still be brought back.
 */
deleted?: boolean, };

export type SessionGet = { 
/**
 * The session. Empty for the calling agent's own.
 */
sessionId: string, 
/**
 * The revision; the newest when left out.
 */
revision?: number, };

export type SessionImport = { 
/**
 * The text of the export.
 */
text: string, 
/**
 * Only says what would be imported, or refused.
 */
check?: boolean, 
/**
 * Other sessions of an export that is sent in parts, each with the one that it is under: none may be under itself.
 */
parents?: { [key in string]: string | null }, };

export type SessionLeave = Record<symbol, never>;

export type SessionList = { 
/**
 * `nextCursor` of the page before.
 */
cursor?: string, 
/**
 * Sessions on a page: 1 to 200, 50 when left out.
 */
limit?: number, 
/**
 * Conditions on the sessions.
 */
filter?: SessionFilter, };

export type SessionLoad = { 
/**
 * The session that gets the list; left out where `label` names it.
 */
sessionId?: string, 
/**
 * Label of the session that gets the list. It is made when it is new, and an agent that opens it goes on with the
 * list.
 */
label?: string, 
/**
 * The session that the list is taken from; the same one when left out.
 */
from?: string, 
/**
 * The revision that is taken; the newest when left out.
 */
revision?: number, };

export type SessionMark = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Keeps it on the board, at the top.
 */
pinned?: boolean, 
/**
 * Sends no notifications about it and keeps its needs out of the queue.
 */
muted?: boolean, 
/**
 * Lets agents of every key open it by its label.
 */
shared?: boolean, 
/**
 * Takes it off the board until it is active again.
 */
dismissed?: boolean, 
/**
 * Its name from now on: one line of 1 to 200 characters.
 */
title?: string, 
/**
 * Tags to give it, each one word of at most 32 characters; they are stored in lower case. A session has at most 12.
 */
addTags?: Array<string>, 
/**
 * Tags to take from it.
 */
removeTags?: Array<string>, };

export type SessionOpen = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The program to open it with.
 */
with: OpenWith, 
/**
 * Path of a file in the folder, for `editor` and `diff`.
 */
file?: string, };

export type SessionRaise = { 
/**
 * The session.
 */
sessionId: string, };

export type SessionReport = { 
/**
 * The event.
 */
happened: Happened, 
/**
 * Time of the event (RFC 3339); now when left out. A report that is not newer than what is known of the session
 * changes nothing.
 */
at?: string, 
/**
 * A call of a tool that is not about a list has ended.
 */
tool?: boolean, 
/**
 * The call of a tool that has ended, where hooks tell of it.
 */
done?: DoneCall, 
/**
 * The run's model, context, tokens and cost so far, as far as they are known. Its time is that of the report.
 */
usage?: Usage, 
/**
 * The user's prompt, what the agent waits for, or why it ended.
 */
text?: string, 
/**
 * The secret that the agent read in one of our results: proof that the agent's own session id means the session of
 * that result.
 */
proof?: string, 
/**
 * The agent reads what is added to this report's answer.
 */
listens: boolean, 
/**
 * The run is about to call one of our tools, and the call may not say whose it is.
 */
calls?: AnnouncedCall, 
/**
 * A subagent has begun or ended, where nothing else tells a subagent's events from its agent's.
 */
subagent?: SubagentEvent, 
/**
 * Makes a session where the run has none yet.
 */
begins: boolean, 
/**
 * Whoever reports gives the agent a message of the user's as a prompt at once, where it has nothing to do.
 */
prompts?: boolean, };

export type SessionReported = { 
/**
 * Id of the session; absent where nothing is known of it yet.
 */
sessionId?: string, 
/**
 * The user's edits that this answer delivers.
 */
edits: Array<EditView>, 
/**
 * The list, without the steps of other agents of the session; empty where there are no such edits.
 */
todos: Array<Item>, 
/**
 * The agent's name among those of the session, where steps are shared out among several.
 */
agent?: string, 
/**
 * The same for the agent's built-in list, where it has such edits.
 */
own?: OwnReported, };

export type SessionResume = { 
/**
 * The session.
 */
sessionId: string, };

export type SessionRevisions = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Only revisions that changed this item.
 */
uid?: string, 
/**
 * `nextCursor` of the page before.
 */
cursor?: string, 
/**
 * Revisions on a page: 1 to 500, 100 when left out.
 */
limit?: number, };

export type SessionSearch = { 
/**
 * The words to search for.
 */
query: string, 
/**
 * `nextCursor` of the page before.
 */
cursor?: string, 
/**
 * Results on a page: 1 to 200, 50 when left out.
 */
limit?: number, 
/**
 * Conditions on the sessions to search.
 */
filter?: SessionFilter, };

export type SessionState = "running" | "waiting" | "idle" | "finished" | "failed" | "stale";

export type SessionTodos = { 
/**
 * Id of the list; changes when the list is archived or another one is loaded.
 */
listId: string, 
/**
 * The items, in order.
 */
todos: Array<Item>, 
/**
 * The user's edits that are not settled yet, and the newest that are.
 */
edits: Array<EditView>, 
/**
 * Id of the session, given by the gateway.
 */
sessionId: string, 
/**
 * Label under which it was opened.
 */
label?: string, 
/**
 * For a subagent: the session of the agent that it works for. For a built-in list: the session of the run.
 */
parentSessionId?: string, 
/**
 * For a built-in list: the agent's tool that writes it, such as `update_plan`.
 */
ownTool?: string, 
/**
 * For a run: the session of its built-in list, while that list stands for the run. It does until a list was written
 * to the run itself; left out from then on, also when that list is cleared.
 */
listSessionId?: string, 
/**
 * The list cannot be edited, since the agent cannot be told of edits.
 */
readOnly?: boolean, 
/**
 * Its subject, in a few words.
 */
title: string, 
/**
 * The agent.
 */
agent: AgentInfo, 
/**
 * Path of the folder that it works in.
 */
folder?: string, 
/**
 * Short name of the folder.
 */
project?: string, 
/**
 * Git branch that is checked out there.
 */
branch?: string, 
/**
 * State of the agent.
 */
state: SessionState, 
/**
 * The reason: what the agent waits for, or why it ended.
 */
stateReason?: string, 
/**
 * The same in the catalogue, where the words are ours.
 */
stateReasonText?: TextRef, 
/**
 * State of the list.
 */
listState: ListState, 
/**
 * Progress of the list.
 */
progress: Progress, 
/**
 * The newest revision; 0 before the first.
 */
revision: number, 
/**
 * Time at which it began (RFC 3339, UTC).
 */
createdAt: string, 
/**
 * Time at which its agent was last heard of (RFC 3339, UTC).
 */
lastActivityAt: string, 
/**
 * The agent is connected, was heard of within the time that makes a session stale, or waits for the user, for a
 * day at most.
 */
current: boolean, 
/**
 * The agent is connected. One that is not may come back.
 */
connected: boolean, 
/**
 * Calls of other tools since its lists changed last, where hooks or files tell of them.
 */
callsSinceList: number, 
/**
 * The last call of another tool that has ended, where hooks tell of it. Not kept when the gateway ends.
 */
lastCall?: LastCall, 
/**
 * Its model, context, tokens and cost, as far as its agent tells.
 */
usage?: Usage, 
/**
 * There were 15 such calls or more, and the list is not finished.
 */
drifts?: boolean, 
/**
 * Reasons why it needs the user, longest first; dismissed ones are left out. Only current sessions have any.
 */
needs?: Array<Need>, 
/**
 * Time since which the agent has been in its state (RFC 3339, UTC).
 */
stateAt: string, 
/**
 * Names of the agents that share its list, where there are several: `codex`, `codex 2`. A step whose owner is one of
 * them is given to that one only.
 */
agents?: Array<string>, 
/**
 * The user keeps it on the board, current or not.
 */
pinned?: boolean, 
/**
 * The user wants no notifications about it.
 */
muted?: boolean, 
/**
 * Agents of every key may open it by its label; without that only those with the key of the agent that chose it.
 */
shared?: boolean, 
/**
 * The user took it off the board, and it was not active since.
 */
dismissed?: boolean, 
/**
 * A message is given to its agent as a prompt at once, where it has nothing to do.
 */
prompts?: boolean, 
/**
 * Tags that the user gave it, oldest first: single words in lower case.
 */
tags?: Array<string>, 
/**
 * For a session that is mirrored: the host that it lives on. Its folder and its agent's terminal are there.
 */
host?: string, 
/**
 * For a session that is mirrored: edits that its host has not got yet or has refused, oldest first.
 */
sending?: Array<SendingEdit>, 
/**
 * For a session that is mirrored: what opens its folder there, over ssh; nothing for one that is reached otherwise.
 */
opens?: Array<OpenWith>, 
/**
 * Time at which the user deleted it (RFC 3339, UTC); only among deleted sessions.
 */
deletedAt?: string, };

export type SessionUndelete = { 
/**
 * Id of the session, in full.
 */
sessionId: string, };

export type Sessions = { 
/**
 * The sessions. A page may hold fewer than asked for, or none, and not be the last.
 */
sessions: Array<Session>, 
/**
 * Cursor of the next page; absent on the last one.
 */
nextCursor?: string, };

export type SessionsImported = { 
/**
 * Ids of the sessions that are new here.
 */
sessions: Array<string>, 
/**
 * Number of sessions that were there already.
 */
known: number, };

export type Settings = { 
/**
 * Notify when a session needs the user.
 */
notifyNeeds: boolean, 
/**
 * Notify when a session has finished or failed.
 */
notifyFinished: boolean, 
/**
 * Notifications have a sound.
 */
notifySound: boolean, 
/**
 * Beginning of the hours without notifications, in local time: `22:00`; empty for none.
 */
quietFrom: string, 
/**
 * End of the hours without notifications: `08:00`; empty where `quietFrom` is.
 */
quietTo: string, 
/**
 * At the end of an agent's turn, hand it the edits and messages that it has not seen, so that it goes on with them
 * (agents whose hooks can do that).
 */
deliverAtTurnEnd: boolean, 
/**
 * Minutes of silence after which a session is stale, and not current unless it is connected: 1 to 1,440.
 */
staleMinutes: number, 
/**
 * Seconds of silence after which an agent with nothing left on its list counts as idle: 0 to 3,600. An end that is
 * told, of a turn or of the run, counts at once.
 */
settleSeconds: number, 
/**
 * Command that opens a terminal; `{folder}` stands for the folder. At most 500 characters; empty for the system's.
 */
terminal: string, 
/**
 * Command that opens a folder in an editor; `{folder}` stands for the folder. At most 500 characters; empty for one
 * that is found.
 */
editor: string, 
/**
 * Keep Sightline in the tray when the window is closed.
 */
keepInTray: boolean, 
/**
 * Start Sightline in the tray when the user logs in.
 */
startAtLogin: boolean, 
/**
 * Keys that show and hide the window from everywhere: `CommandOrControl+Shift+L`; empty for none.
 */
shortcut: string, 
/**
 * Show a menu bar in the window (Linux and Windows; macOS always has one).
 */
menuBar: boolean, 
/**
 * Hosts by which this gateway is reached from other machines, through a proxy that speaks TLS, each with a port where that
 * is not 443: at most 20.
 */
publicHosts: Array<string>, 
/**
 * Days since the last activity after which a session is removed: at most 36,500; 0 keeps all.
 */
keepDays: number, 
/**
 * Days for single projects, by their short names, at most 500 of them; 0 keeps a project for ever.
 */
keepProjects: { [key in string]: number }, 
/**
 * Megabytes of the database above which the oldest sessions are removed: at least 10, or 0 for no limit.
 */
keepMegabytes: number, 
/**
 * Revisions of each session above which the oldest are removed; 0 for no limit.
 */
keepRevisions: number, 
/**
 * Model of the built-in agent for new sessions, `provider:model`; empty where none was chosen.
 */
chatModel: string, 
/**
 * Model providers that the user added: at most 50.
 */
chatProviders: Array<ChatProvider>, 
/**
 * MCP servers with tools for the built-in agent: at most 50.
 */
chatServers: Array<ChatServer>, 
/**
 * Policies of their tools, by name: at most 1,000.
 */
chatTools: { [key in string]: ToolPolicy }, 
/**
 * Digests of the tools whose policy is `auto`, by name: at most 1,000. A tool that has another one is asked for; one
 * that has none gets it when it is first offered to a model. Left out, those of tools whose policy changes are removed.
 */
chatToolDigests: { [key in string]: string }, 
/**
 * Policy of the tools that are not named.
 */
chatOtherTools: ToolPolicy, 
/**
 * Moment at which a new prompt puts the built-in agent's list into the history. `never` counts for the prompts of all
 * agents; those of the others archive finished lists only.
 */
chatArchiving: Archiving, 
/**
 * Calls of the model in one run: 1 to 1,000.
 */
chatSteps: number, 
/**
 * Continuations after one prompt, of turns that end with text while items are open: 0 to 20.
 */
chatContinuations: number, 
/**
 * Seconds to wait for an approval: 10 to 86,400.
 */
chatApprovalSeconds: number, };

export type SettingsEvent = { 
/**
 * Place in the stream of all changes; opaque.
 */
cursor: string, 
/**
 * Notify when a session needs the user.
 */
notifyNeeds: boolean, 
/**
 * Notify when a session has finished or failed.
 */
notifyFinished: boolean, 
/**
 * Notifications have a sound.
 */
notifySound: boolean, 
/**
 * Beginning of the hours without notifications, in local time: `22:00`; empty for none.
 */
quietFrom: string, 
/**
 * End of the hours without notifications: `08:00`; empty where `quietFrom` is.
 */
quietTo: string, 
/**
 * At the end of an agent's turn, hand it the edits and messages that it has not seen, so that it goes on with them
 * (agents whose hooks can do that).
 */
deliverAtTurnEnd: boolean, 
/**
 * Minutes of silence after which a session is stale, and not current unless it is connected: 1 to 1,440.
 */
staleMinutes: number, 
/**
 * Seconds of silence after which an agent with nothing left on its list counts as idle: 0 to 3,600. An end that is
 * told, of a turn or of the run, counts at once.
 */
settleSeconds: number, 
/**
 * Command that opens a terminal; `{folder}` stands for the folder. At most 500 characters; empty for the system's.
 */
terminal: string, 
/**
 * Command that opens a folder in an editor; `{folder}` stands for the folder. At most 500 characters; empty for one
 * that is found.
 */
editor: string, 
/**
 * Keep Sightline in the tray when the window is closed.
 */
keepInTray: boolean, 
/**
 * Start Sightline in the tray when the user logs in.
 */
startAtLogin: boolean, 
/**
 * Keys that show and hide the window from everywhere: `CommandOrControl+Shift+L`; empty for none.
 */
shortcut: string, 
/**
 * Show a menu bar in the window (Linux and Windows; macOS always has one).
 */
menuBar: boolean, 
/**
 * Hosts by which this gateway is reached from other machines, through a proxy that speaks TLS, each with a port where that
 * is not 443: at most 20.
 */
publicHosts: Array<string>, 
/**
 * Days since the last activity after which a session is removed: at most 36,500; 0 keeps all.
 */
keepDays: number, 
/**
 * Days for single projects, by their short names, at most 500 of them; 0 keeps a project for ever.
 */
keepProjects: { [key in string]: number }, 
/**
 * Megabytes of the database above which the oldest sessions are removed: at least 10, or 0 for no limit.
 */
keepMegabytes: number, 
/**
 * Revisions of each session above which the oldest are removed; 0 for no limit.
 */
keepRevisions: number, 
/**
 * Model of the built-in agent for new sessions, `provider:model`; empty where none was chosen.
 */
chatModel: string, 
/**
 * Model providers that the user added: at most 50.
 */
chatProviders: Array<ChatProvider>, 
/**
 * MCP servers with tools for the built-in agent: at most 50.
 */
chatServers: Array<ChatServer>, 
/**
 * Policies of their tools, by name: at most 1,000.
 */
chatTools: { [key in string]: ToolPolicy }, 
/**
 * Digests of the tools whose policy is `auto`, by name: at most 1,000. A tool that has another one is asked for; one
 * that has none gets it when it is first offered to a model. Left out, those of tools whose policy changes are removed.
 */
chatToolDigests: { [key in string]: string }, 
/**
 * Policy of the tools that are not named.
 */
chatOtherTools: ToolPolicy, 
/**
 * Moment at which a new prompt puts the built-in agent's list into the history. `never` counts for the prompts of all
 * agents; those of the others archive finished lists only.
 */
chatArchiving: Archiving, 
/**
 * Calls of the model in one run: 1 to 1,000.
 */
chatSteps: number, 
/**
 * Continuations after one prompt, of turns that end with text while items are open: 0 to 20.
 */
chatContinuations: number, 
/**
 * Seconds to wait for an approval: 10 to 86,400.
 */
chatApprovalSeconds: number, };

export type SettingsGet = Record<symbol, never>;

export type SettingsUpdate = { 
/**
 * Notify when a session needs the user.
 */
notifyNeeds?: boolean, 
/**
 * Notify when a session has finished or failed.
 */
notifyFinished?: boolean, 
/**
 * Notifications have a sound.
 */
notifySound?: boolean, 
/**
 * Beginning of the hours without notifications, in local time: `22:00`; empty for none.
 */
quietFrom?: string, 
/**
 * End of the hours without notifications: `08:00`; empty where `quietFrom` is.
 */
quietTo?: string, 
/**
 * At the end of an agent's turn, hand it the edits and messages that it has not seen, so that it goes on with them
 * (agents whose hooks can do that).
 */
deliverAtTurnEnd?: boolean, 
/**
 * Minutes of silence after which a session is stale, and not current unless it is connected: 1 to 1,440.
 */
staleMinutes?: number, 
/**
 * Seconds of silence after which an agent with nothing left on its list counts as idle: 0 to 3,600. An end that is
 * told, of a turn or of the run, counts at once.
 */
settleSeconds?: number, 
/**
 * Command that opens a terminal; `{folder}` stands for the folder. At most 500 characters; empty for the system's.
 */
terminal?: string, 
/**
 * Command that opens a folder in an editor; `{folder}` stands for the folder. At most 500 characters; empty for one
 * that is found.
 */
editor?: string, 
/**
 * Keep Sightline in the tray when the window is closed.
 */
keepInTray?: boolean, 
/**
 * Start Sightline in the tray when the user logs in.
 */
startAtLogin?: boolean, 
/**
 * Keys that show and hide the window from everywhere: `CommandOrControl+Shift+L`; empty for none.
 */
shortcut?: string, 
/**
 * Show a menu bar in the window (Linux and Windows; macOS always has one).
 */
menuBar?: boolean, 
/**
 * Hosts by which this gateway is reached from other machines, through a proxy that speaks TLS, each with a port where that
 * is not 443: at most 20.
 */
publicHosts?: Array<string>, 
/**
 * Days since the last activity after which a session is removed: at most 36,500; 0 keeps all.
 */
keepDays?: number, 
/**
 * Days for single projects, by their short names, at most 500 of them; 0 keeps a project for ever.
 */
keepProjects?: { [key in string]: number }, 
/**
 * Megabytes of the database above which the oldest sessions are removed: at least 10, or 0 for no limit.
 */
keepMegabytes?: number, 
/**
 * Revisions of each session above which the oldest are removed; 0 for no limit.
 */
keepRevisions?: number, 
/**
 * Model of the built-in agent for new sessions, `provider:model`; empty where none was chosen.
 */
chatModel?: string, 
/**
 * Model providers that the user added: at most 50.
 */
chatProviders?: Array<ChatProvider>, 
/**
 * MCP servers with tools for the built-in agent: at most 50.
 */
chatServers?: Array<ChatServer>, 
/**
 * Policies of their tools, by name: at most 1,000.
 */
chatTools?: { [key in string]: ToolPolicy }, 
/**
 * Digests of the tools whose policy is `auto`, by name: at most 1,000. A tool that has another one is asked for; one
 * that has none gets it when it is first offered to a model. Left out, those of tools whose policy changes are removed.
 */
chatToolDigests?: { [key in string]: string }, 
/**
 * Policy of the tools that are not named.
 */
chatOtherTools?: ToolPolicy, 
/**
 * Moment at which a new prompt puts the built-in agent's list into the history. `never` counts for the prompts of all
 * agents; those of the others archive finished lists only.
 */
chatArchiving?: Archiving, 
/**
 * Calls of the model in one run: 1 to 1,000.
 */
chatSteps?: number, 
/**
 * Continuations after one prompt, of turns that end with text while items are open: 0 to 20.
 */
chatContinuations?: number, 
/**
 * Seconds to wait for an approval: 10 to 86,400.
 */
chatApprovalSeconds?: number, };

export type SnippetPart = { 
/**
 * The text.
 */
text: string, 
/**
 * The part was searched for.
 */
hit: boolean, };

export type StartedBy = "terminal" | "prompt";

export type Status = "pending" | "in_progress" | "completed" | "blocked" | "skipped" | "cancelled" | "unknown";

export type SubagentEvent = "began" | "ended";

export type Terminal = { 
/**
 * Ids of the processes from the agent's up to the terminal's, nearest first.
 */
processes?: Array<number>, 
/**
 * Variables of its environment that name a display, a window, a tab or a pane: `TMUX_PANE`. Others are dropped.
 */
variables?: { [key in string]: string }, };

export type TestStep = { 
/**
 * The step succeeded.
 */
ok: boolean, 
/**
 * The step in words.
 */
what: string, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
text?: TextRef, };

export type TextPart = string | TextRef;

export type TextRef = { 
/**
 * `session_unknown` is `gateway_session_unknown` in the catalogue.
 */
name: string, 
/**
 * The values of the text's parameters. Those named `status`, `fields`, `rights` and `settings` are words of ours, with
 * commas between them, which have texts of their own: `gateway_status_pending`.
 */
params?: { [key in string]: string }, 
/**
 * The parameters that are texts themselves; `params` has them in English.
 */
texts?: { [key in string]: TextRef }, };

export type TodoAdd = { 
/**
 * The session; left out where `label` names it, or where a list begins.
 */
sessionId?: string, 
/**
 * Label of the session. It is made when it is new, and the first agent that opens it goes on with the list.
 */
label?: string, 
/**
 * Position of the new item: `1`, `last`, `2.1`, `2.last`; `last` when left out.
 */
position?: string, 
/**
 * The item's text, 1 to 2,000 characters.
 */
content: string, };

export type TodoArchive = { 
/**
 * The session.
 */
sessionId: string, };

export type TodoClear = { 
/**
 * The session.
 */
sessionId: string, };

export type TodoCommand = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The typed line; `/todo` may be left out.
 */
line: string, };

export type TodoComplete = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The line up to the cursor.
 */
line: string, };

export type TodoDelete = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Position of the item, `1`, `last`, `2.1`, `2.last`, or of several: `2-4`, `all`.
 */
position?: string, 
/**
 * Uid of the item, wherever it stands by now; goes before `position`.
 */
uid?: string, };

export type TodoDelivered = { 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * The revision that the agent got, which it knows from now on. Left out where only edits were sent, and not the
 * list.
 */
revision?: number, 
/**
 * Ids of the edits in the answer.
 */
edits: Array<string>, 
/**
 * Id of the tool call whose result had them.
 */
toolCall?: string, };

export type TodoEdit = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Position of the item, `1`, `last`, `2.1`, `2.last`, or of several: `2-4`, `all`.
 */
position?: string, 
/**
 * Uid of the item, wherever it stands by now; goes before `position`.
 */
uid?: string, };

export type TodoIndent = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Position of the item, `1`, `last`, `2.1`, `2.last`, or of several: `2-4`, `2.1-2.last`.
 */
position?: string, 
/**
 * Uid of the item, wherever it stands by now; goes before `position`.
 */
uid?: string, 
/**
 * Out of the item that it belongs to, instead of under the one above it.
 */
out?: boolean, };

export type TodoManage = { 
/**
 * The session. Left out where `session` names it, or by a client that said in [`Hello`] for which agent it speaks.
 */
sessionId?: string, 
/**
 * Label of the session; the session is made when the label is new.
 */
session?: string, 
/**
 * Asks for `proof` in the answer.
 */
prove?: boolean, 
/**
 * `list`, `next`, `add_multiple`, `add_after_position`, `complete_multiple`, `skip` or `replace_all`.
 */
action: string, };

export type TodoManaged = { 
/**
 * `Added 2 TODOs`, the list, or the next item.
 */
output: JsonValue, 
/**
 * The action is one that changes the list, even where everything was so already.
 */
changes: boolean, 
/**
 * It is such an action, and everything was so already.
 */
unchanged?: boolean, 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * The session's label.
 */
session?: string, 
/**
 * The newest revision.
 */
revision: number, 
/**
 * The list, in order, without the steps of other agents of the session.
 */
todos: Array<Item>, 
/**
 * The progress of these.
 */
progress: Progress, 
/**
 * The user's edits that this answer delivers. They stay pending until the answer was sent; see [`TodoDelivered`].
 */
edits: Array<EditView>, 
/**
 * Further sentences for the agent: several items are in progress, an item stays removed.
 */
remarks: Array<string>, 
/**
 * A secret for the agent's result. A hook or a file of the agent that has read it proves by it that it is of the
 * same run; it is good once, and for a minute ([`SessionReport`]).
 */
proof?: string, 
/**
 * The caller's name among the agents of the session, where steps are shared out among several.
 */
agent?: string, };

export type TodoMove = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Position of the item: `1`, `last`, `2.1`, `2.last`.
 */
position?: string, 
/**
 * Uid of the item, wherever it stands by now; goes before `position`.
 */
uid?: string, 
/**
 * The position that it moves to.
 */
to: string, };

export type TodoObserve = { 
/**
 * The agent's tool that wrote it, such as `update_plan`: 1 to 100 characters.
 */
tool: string, 
/**
 * The items, in the form of [`TodoWrite`].
 */
todos: Array<Record<string, unknown>>, 
/**
 * Only changed and new items are sent, as in [`TodoWrite`].
 */
merge?: boolean, 
/**
 * Time at which it was written (RFC 3339); now when left out. A list that is not newer than the newest one
 * reported is known already.
 */
at?: string, 
/**
 * The first prompt of the run, which becomes its title.
 */
title?: string, };

export type TodoObserved = { 
/**
 * Id of the session that holds the list.
 */
sessionId: string, 
/**
 * Its newest revision.
 */
revision: number, 
/**
 * The list was new.
 */
news: boolean, };

export type TodoPreview = { 
/**
 * The text.
 */
text: string, };

export type TodoRead = { 
/**
 * The session. Left out where `session` names it, or by a client that said in [`Hello`] for which agent it speaks.
 */
sessionId?: string, 
/**
 * Label of the session; the session is made when the label is new.
 */
session?: string, 
/**
 * Asks for `proof` in the answer.
 */
prove?: boolean, };

export type TodoRestore = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Uid of the item.
 */
uid: string, };

export type TodoSetStatus = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * Position of the item, `1`, `last`, `2.1`, `2.last`, or of several: `2-4`, `all`.
 */
position?: string, 
/**
 * Uid of the item, wherever it stands by now; goes before `position`.
 */
uid?: string, 
/**
 * `pending`, `in_progress`, `completed`, `blocked`, `skipped` or `cancelled`, or a word that means one of them.
 */
status: string, 
/**
 * Why it is blocked or skipped, at most 2,000 characters.
 */
reason?: string, };

export type TodoUndo = { 
/**
 * The session.
 */
sessionId: string, 
/**
 * The edit; this client's newest when left out.
 */
editId?: string, };

export type TodoUpdate = { 
/**
 * Id of the `todo.write` that made the revision; otherwise an id of the revision itself.
 */
requestId: string, 
/**
 * Place in the stream of all changes; opaque.
 */
cursor: string, 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * Id of the list; changes when the list is archived or another one is loaded.
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
 * The maker of the revision.
 */
actor: Actor, 
/**
 * The session after it, so that a client need not ask: its progress, state and edits. Its own `todos` is empty.
 */
session: SessionTodos, };

export type TodoWrite = { 
/**
 * The session. Left out where `session` names it, or by a client that said in [`Hello`] for which agent it speaks.
 */
sessionId?: string, 
/**
 * Label of the session, 1 to 200 characters; the session is made when the label is new.
 */
session?: string, 
/**
 * The items as the agent writes them: `{id?, content, status?, activeForm?, …}`, at most 256.
 */
todos: Array<Record<string, unknown>>, 
/**
 * Updates instead of replacing: `todos` holds only items that changed, named by `id` or `uid`, and new ones.
 * Everything else stays.
 */
merge?: boolean, 
/**
 * For a subagent: the session of the agent that it works for. Counts only when the session is new.
 */
parentSessionId?: string, 
/**
 * Set by transports to the message's id; becomes the `requestId` of the `todo.update`.
 */
requestId?: string, 
/**
 * Asks for `proof` in the answer.
 */
prove?: boolean, };

export type TodoWritten = { 
/**
 * Id of the session.
 */
sessionId: string, 
/**
 * The session's label.
 */
session?: string, 
/**
 * The newest revision.
 */
revision: number, 
/**
 * The list, in order, without the steps of other agents of the session.
 */
todos: Array<Item>, 
/**
 * The progress of these.
 */
progress: Progress, 
/**
 * The user's edits that this answer delivers. They stay pending until the answer was sent; see [`TodoDelivered`].
 */
edits: Array<EditView>, 
/**
 * Further sentences for the agent: several items are in progress, an item stays removed.
 */
remarks: Array<string>, 
/**
 * A secret for the agent's result. A hook or a file of the agent that has read it proves by it that it is of the
 * same run; it is good once, and for a minute ([`SessionReport`]).
 */
proof?: string, 
/**
 * The caller's name among the agents of the session, where steps are shared out among several.
 */
agent?: string, };

export type ToolApprovalRequest = { 
/**
 * Id of the run.
 */
requestId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * Id of the call, which the response repeats.
 */
toolCallId: string, 
/**
 * Name of the tool.
 */
toolName: string, 
/**
 * Arguments as the model sent them: an object, or text where they are no JSON.
 */
args: unknown, 
/**
 * The same as JSON text. A program that reads JSON may round a number of many digits, and shall show what is called.
 */
argsText: string, 
/**
 * The policy of the tool is `auto`, and the tool is another one since that was chosen.
 */
changed?: boolean, 
/**
 * Time after which it counts as not answered (RFC 3339, UTC).
 */
expiresAt: string, };

export type ToolApprovalResponse = { 
/**
 * Id of the call.
 */
toolCallId: string, 
/**
 * The call may be made.
 */
approved: boolean, 
/**
 * Later calls of this tool in this session may be made, too.
 */
sessionApprove: boolean, };

export type ToolCalled = { 
/**
 * Id of the run.
 */
requestId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * Id of the call.
 */
toolCallId: string, 
/**
 * Name of the tool.
 */
toolName: string, 
/**
 * Arguments as the model sent them: an object, or text where they are no JSON.
 */
args: unknown, };

export type ToolFailed = { 
/**
 * Id of the run.
 */
requestId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * Id of the call.
 */
toolCallId: string, 
/**
 * Name of the tool.
 */
toolName: string, 
/**
 * The reason. Not trusted.
 */
error: string, };

export type ToolPolicy = "auto" | "ask" | "deny";

export type ToolResulted = { 
/**
 * Id of the run.
 */
requestId: string, 
/**
 * Id of its session.
 */
sessionId: string, 
/**
 * Id of the call.
 */
toolCallId: string, 
/**
 * Name of the tool.
 */
toolName: string, 
/**
 * The result as text. Not trusted.
 */
result: string, };

export type Transport = "window" | "page" | "cli" | "websocket" | "mcp" | "hook" | "file" | "builtin";

export type Usage = { 
/**
 * The model, as the agent calls it.
 */
model?: string, 
/**
 * Tokens that the model was given with its last call.
 */
contextTokens?: number, 
/**
 * Tokens that the model can be given.
 */
contextWindow?: number, 
/**
 * Tokens read by the model so far, with those from its cache.
 */
inputTokens?: number, 
/**
 * Those of them that came from its cache.
 */
cachedTokens?: number, 
/**
 * Tokens written by the model so far.
 */
outputTokens?: number, 
/**
 * Cost so far, in millionths of a US dollar.
 */
microDollars?: number, 
/**
 * Time at which the agent told it (RFC 3339, UTC).
 */
at: string, };

export type VaultKeys = { 
/**
 * Place of each provider's key, by the provider's name: `environment`, `keyring` or `file`.
 */
keys: { [key in string]: string }, 
/**
 * Origin of each provider's address, such as `https://api.openai.com`, to which its key belongs.
 */
origins: { [key in string]: string }, 
/**
 * Why the key of a provider is not sent to its address, by the provider's name, and what to do.
 */
withheld: { [key in string]: string }, 
/**
 * The same in the catalogue, for clients that show it to people in their own language.
 */
withheldTexts?: { [key in string]: TextRef }, };

export type VaultKeysDelete = { 
/**
 * Name of the provider.
 */
provider: string, };

export type VaultKeysList = Record<symbol, never>;

export type VaultKeysSet = { 
/**
 * Name of the provider.
 */
provider: string, 
/**
 * The key.
 */
key: string, 
/**
 * Origin that the key is for; refused where the provider has another address by now.
 */
origin?: string, };

/** The answer to each request, by the request's `type`. */
export interface Answers {
  "hello": HelloResult;
  "events.subscribe": EventsSnapshot;
  "session.list": Sessions;
  "session.get": SessionAt;
  "session.revisions": Revisions;
  "session.files": ChangedFiles;
  "session.search": SearchHits;
  "session.export": Exported;
  "todo.preview": PreviewedSteps;
  "todo.complete": Completions;
  "archive.lists": Lists;
  "archive.status": ArchiveInfo;
  "archive.insight": Insight;
  "settings.get": Settings;
  "key.list": Keys;
  "key.code": PairingCode;
  "permission.list": Permissions;
  "later.list": LaterItems;
  "rule.list": Rules;
  "audit.list": Audit;
  "feed.changes": FeedPage;
  "feed.session": FeedRows;
  "hosts.list": Hosts;
  "gateway.yield": Done;
  "gateway.status": GatewayInfo;
  "todo.command": Commanded;
  "todo.write": TodoWritten;
  "todo.read": TodoWritten;
  "todo.manage": TodoManaged;
  "todo.delivered": Done;
  "todo.observe": TodoObserved;
  "session.report": SessionReported;
  "session.leave": Done;
  "session.delete": Done;
  "session.undelete": Done;
  "list.delete": Done;
  "list.undelete": Done;
  "session.import": SessionsImported;
  "session.mark": Done;
  "need.dismiss": Done;
  "agents.written": Done;
  "settings.update": Settings;
  "permission.answer": Done;
  "rule.new": Rule;
  "rule.edit": Rule;
  "rule.delete": Done;
  "later.add": LaterItem;
  "later.edit": LaterItem;
  "later.delete": Done;
  "key.new": KeyMade;
  "key.revoke": Done;
  "key.renew": KeyMade;
  "hosts.add": Host;
  "hosts.confirm": Done;
  "hosts.remove": Done;
  "edit.once": EditedOnce;
  "edit.discard": Done;
  "key.confirm": Key;
  "permission.ask": PermissionDecided;
  "todo.add": Edited;
  "todo.clear": Edited;
  "todo.undo": Edited;
  "todo.restore": Edited;
  "todo.archive": Edited;
  "note.send": Edited;
  "edit.insist": Edited;
  "session.load": Edited;
  "todo.delete": Edited;
  "todo.setStatus": Edited;
  "todo.edit": Edited;
  "todo.move": Edited;
  "todo.indent": Edited;
  "agents.list": AgentOverview;
  "agents.plan": AgentsPlanned;
  "agents.apply": AgentsApplied;
  "agents.test": AgentsTested;
  "agents.test.cancel": Done;
  "demo.start": DemoStarted;
  "gateway.open": Done;
  "import.start": ImportProgress;
  "import.cancel": ImportProgress;
  "session.open": Done;
  "session.raise": Raised;
  "session.continue": AgentStarted;
  "agents.start": AgentStarted;
  "hosts.key": Done;
  "hosts.test": Host;
  "session.resume": ResumeCommand;
  "chat.send": ChatStarted;
  "chat.abort": Done;
  "chat.resume": ChatStarted;
  "chat.get": Chat;
  "tool.approval.response": Done;
  "preflight.approval": Done;
  "chat.models": ChatModelList;
  "chat.test": Done;
  "chat.tools": ChatToolList;
  "vault.keys.list": VaultKeys;
  "vault.keys.set": VaultKeys;
  "vault.keys.delete": VaultKeys;
}

/** The window's IPC command for each request. */
export const COMMANDS = {
  "hello": "hello",
  "events.subscribe": "events_subscribe",
  "session.list": "session_list",
  "session.get": "session_get",
  "session.revisions": "session_revisions",
  "session.files": "session_files",
  "session.search": "session_search",
  "session.export": "session_export",
  "todo.preview": "todo_preview",
  "todo.complete": "todo_complete",
  "archive.lists": "archive_lists",
  "archive.status": "archive_status",
  "archive.insight": "archive_insight",
  "settings.get": "settings_get",
  "key.list": "key_list",
  "key.code": "key_code",
  "permission.list": "permission_list",
  "later.list": "later_list",
  "rule.list": "rule_list",
  "audit.list": "audit_list",
  "feed.changes": "feed_changes",
  "feed.session": "feed_session",
  "hosts.list": "hosts_list",
  "gateway.yield": "gateway_yield",
  "gateway.status": "gateway_status",
  "todo.command": "todo_command",
  "todo.write": "todo_write",
  "todo.read": "todo_read",
  "todo.manage": "todo_manage",
  "todo.delivered": "todo_delivered",
  "todo.observe": "todo_observe",
  "session.report": "session_report",
  "session.leave": "session_leave",
  "session.delete": "session_delete",
  "session.undelete": "session_undelete",
  "list.delete": "list_delete",
  "list.undelete": "list_undelete",
  "session.import": "session_import",
  "session.mark": "session_mark",
  "need.dismiss": "need_dismiss",
  "agents.written": "agents_written",
  "settings.update": "settings_update",
  "permission.answer": "permission_answer",
  "rule.new": "rule_new",
  "rule.edit": "rule_edit",
  "rule.delete": "rule_delete",
  "later.add": "later_add",
  "later.edit": "later_edit",
  "later.delete": "later_delete",
  "key.new": "key_new",
  "key.revoke": "key_revoke",
  "key.renew": "key_renew",
  "hosts.add": "hosts_add",
  "hosts.confirm": "hosts_confirm",
  "hosts.remove": "hosts_remove",
  "edit.once": "edit_once",
  "edit.discard": "edit_discard",
  "key.confirm": "key_confirm",
  "permission.ask": "permission_ask",
  "todo.add": "todo_add",
  "todo.clear": "todo_clear",
  "todo.undo": "todo_undo",
  "todo.restore": "todo_restore",
  "todo.archive": "todo_archive",
  "note.send": "note_send",
  "edit.insist": "edit_insist",
  "session.load": "session_load",
  "todo.delete": "todo_delete",
  "todo.setStatus": "todo_set_status",
  "todo.edit": "todo_edit",
  "todo.move": "todo_move",
  "todo.indent": "todo_indent",
  "agents.list": "agents_list",
  "agents.plan": "agents_plan",
  "agents.apply": "agents_apply",
  "agents.test": "agents_test",
  "agents.test.cancel": "agents_test_cancel",
  "demo.start": "demo_start",
  "gateway.open": "gateway_open",
  "import.start": "import_start",
  "import.cancel": "import_cancel",
  "session.open": "session_open",
  "session.raise": "session_raise",
  "session.continue": "session_continue",
  "agents.start": "agents_start",
  "hosts.key": "hosts_key",
  "hosts.test": "hosts_test",
  "session.resume": "session_resume",
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
} as const;
