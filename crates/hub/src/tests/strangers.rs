//! Agents are strangers to one another: what an agent with a key makes up gets it nothing of another's.

use super::own_lists::{file, listens, worked};
use super::{World, contents, todos, user};
use jiff::SignedDuration;
use proptest::prelude::*;
use protocol::{
    AgentIdentity, AgentInfo, Caller, Code, EditState, NoteSend, SessionDelete, SessionGet, SessionList, SessionMark,
    SessionReport, TodoAdd, TodoDelivered, TodoManage, TodoObserve, TodoRead, TodoWrite, TodoWritten, Transport,
};
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// An agent with a key, whose calls come over a connection.
fn keyed(key: &str, connection: &str) -> Caller {
    let identity = AgentIdentity {
        agent: AgentInfo { name: "codex".to_owned(), version: None },
        connection: Some(connection.to_owned()),
        ..AgentIdentity::default()
    };
    let caller = Caller::agent(Transport::Mcp, connection, identity);
    Caller { key: Some(key.to_owned()), ..caller }
}

fn with(mut caller: Caller, change: impl FnOnce(&mut AgentIdentity)) -> Caller {
    change(caller.agent.as_mut().expect("an agent"));
    caller
}

/// A hook that came with a key; whoever has the key may say any id.
fn keyed_hook(key: &str, own: &str) -> Caller {
    let caller = Caller { transport: Transport::Hook, ..keyed(key, "") };
    with(caller, |agent| (agent.connection, agent.own_session) = (None, Some(own.to_owned())))
}

/// A hook of our own command.
fn hook(own: &str) -> Caller {
    Caller { key: None, ..keyed_hook("", own) }
}

impl World {
    async fn note(&self, session_id: &str, text: &str) {
        let ask = NoteSend { session_id: session_id.to_owned(), text: text.to_owned() };
        self.ask(&user(), ask).await.expect("it is taken");
    }

    async fn get(&self, caller: &Caller, id: &str) -> Result<protocol::SessionAt, protocol::Error> {
        self.ask(caller, SessionGet { session_id: id.to_owned(), revision: None }).await
    }

    async fn waiting(&self, id: &str) -> usize {
        let edits = self.get(&user(), id).await.expect("it is there").edits;
        edits.iter().filter(|edit| edit.state == EditState::Queued).count()
    }
}

#[tokio::test]
async fn every_id_but_its_own_has_one_answer() {
    let world = World::new().await;
    let victim = keyed("key-1", "mcp:one");
    let id = world.write(&victim, todos(&["Secret"])).await.session_id;
    let other = keyed("key-1", "mcp:two");
    let own = world.write(&other, todos(&["Mine"])).await.session_id;
    let gone = world.write(&keyed("key-1", "mcp:three"), todos(&["Gone"])).await.session_id;
    world.ask(&user(), SessionDelete { session_id: gone.clone(), for_good: false }).await.expect("it goes");
    let labelled = TodoWrite { session: Some("release".to_owned()), todos: todos(&["R"]), ..TodoWrite::default() };
    world.ask(&victim, labelled).await.expect("it is written");
    let none = "0199aa11-2b3c-7d4e-8f50-123456789abc";
    let mut answers = HashSet::new();
    for asked in [&id, &id[..8], &id[..1], "0", "release", &gone, none, "x", "\u{1f}", "%", &id.to_uppercase()] {
        for caller in [&other, &keyed("key-2", "mcp:one"), &keyed("key-1", "mcp:new")] {
            let refused = world.get(caller, asked).await.expect_err("it is another's");
            assert_eq!(refused.code, Code::SessionNotFound);
            answers.insert(refused.message);
        }
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(contents(&world.get(&other, &own).await.expect("its own").todos), ["Mine"]);
    assert_eq!(contents(&world.get(&victim, &id).await.expect("its own").todos), ["Secret"]);
    world.running.stop().await;
}

#[tokio::test]
async fn an_agent_that_names_a_strangers_session_neither_reads_nor_writes_it() {
    let world = World::new().await;
    let victim = super::agent("shim");
    let id = world.write(&victim, todos(&["Secret"])).await.session_id;
    for caller in [super::agent("another shim"), keyed("key-1", "mcp:one")] {
        let session_id = Some(id.clone());
        let mut refusals = Vec::new();
        let write = TodoWrite { session_id: session_id.clone(), todos: todos(&["Forged"]), ..TodoWrite::default() };
        refusals.push(world.ask(&caller, write).await.expect_err("it is another's"));
        let read = TodoRead { session_id: session_id.clone(), ..TodoRead::default() };
        refusals.push(world.ask(&caller, read).await.expect_err("it is another's"));
        let fields = json!({ "todos": [] }).as_object().expect("fields").clone();
        let clear = TodoManage { session_id, session: None, prove: false, action: "replace_all".to_owned(), fields };
        refusals.push(world.ask(&caller, clear).await.expect_err("it is another's"));
        let delivered = TodoDelivered { session_id: id.clone(), revision: Some(1), edits: Vec::new(), tool_call: None };
        refusals.push(world.ask(&caller, delivered).await.expect_err("it is another's"));
        if caller.key.is_some() {
            let under = TodoWrite { parent_session_id: Some(id.clone()), todos: todos(&["x"]), ..TodoWrite::default() };
            refusals.push(world.ask(&caller, under).await.expect_err("it is another's"));
        }
        assert!(refusals.iter().all(|refusal| refusal == &refusals[0]), "{refusals:?}");
    }
    assert_eq!(contents(&world.get(&user(), &id).await.expect("it is there").todos), ["Secret"]);
    world.running.stop().await;
}

#[tokio::test]
async fn ids_that_are_made_up_count_for_their_key_only() {
    let world = World::new().await;
    let claims = |caller: Caller| {
        with(caller, |agent| {
            agent.own_session = Some("run-1".to_owned());
            agent.processes = vec!["100:1".to_owned()];
            agent.folder = Some("/home/me/billing".to_owned());
        })
    };
    // A run of our own command, one of a key, and one that only a file knows.
    let mut ids = Vec::new();
    ids.push(world.write(&claims(super::agent("shim")), todos(&["Secret"])).await.session_id);
    world.report(&claims(hook("run-1")), worked()).await;
    ids.push(world.write(&claims(keyed("key-1", "mcp:one")), todos(&["Secret"])).await.session_id);
    ids.push(world.report(&file("run-2"), worked()).await.session_id.expect("it begins"));
    for id in &ids {
        world.note(id, "for the other").await;
    }
    for own in ["run-1", "run-2"] {
        let forger = with(claims(keyed("key-2", "mcp:one")), |agent| agent.own_session = Some(own.to_owned()));
        let forged = keyed_hook("key-2", own);
        let heard = world.report(&forged, listens()).await;
        assert!(heard.edits.is_empty() && !ids.contains(&heard.session_id.expect("a run of its own")));
        let ask = TodoObserve { tool: "update_plan".to_owned(), todos: todos(&["Forged"]), ..TodoObserve::default() };
        world.ask(&forged, ask).await.expect("it is a list of its own");
        let written = world.write(&forger, todos(&["Forged"])).await;
        assert!(written.edits.is_empty() && !ids.contains(&written.session_id));
    }
    for id in &ids {
        assert_eq!(world.waiting(id).await, 1, "its message waits for it");
        let at = world.get(&user(), id).await.expect("it is there");
        assert!(contents(&at.todos).iter().all(|content| *content == "Secret") && at.own_session_id.is_none());
    }
    world.running.stop().await;
}

#[tokio::test]
async fn a_proof_is_good_once_soon_and_for_its_key() {
    let world = World::new().await;
    let victim = keyed("key-1", "mcp:one");
    let id = world.write(&victim, todos(&["Secret"])).await.session_id;
    let reads = async |caller: &Caller, proof: &Option<String>| {
        world.report(caller, SessionReport { proof: proof.clone(), ..listens() }).await.session_id
    };
    let proof = world.proof(&victim).await;
    for guess in [id.as_str(), "", "x", &proof.clone().expect("a secret")[..31], &"0".repeat(32)] {
        assert_ne!(reads(&keyed_hook("key-1", "run-0"), &Some(guess.to_owned())).await.as_deref(), Some(id.as_str()));
    }
    assert_ne!(reads(&keyed_hook("key-2", "run-1"), &proof).await, Some(id.clone()), "another key's hook");
    world.pass(2);
    assert_ne!(reads(&keyed_hook("key-1", "run-2"), &proof).await, Some(id.clone()), "it is old");
    let proof = world.proof(&victim).await;
    assert_eq!(reads(&keyed_hook("key-1", "run-3"), &proof).await, Some(id.clone()), "its own hook");
    assert_ne!(reads(&keyed_hook("key-1", "run-4"), &proof).await, Some(id.clone()), "it was used");
    let another = world.proof(&victim).await;
    assert_ne!(reads(&keyed_hook("key-1", "run-5"), &another).await, Some(id.clone()), "it has another run's hooks");
    // Neither is anything of it in the database as it was given.
    let file = std::fs::read(world.folder.path().join("sightline.db-wal")).expect("the newest pages");
    let secret = another.expect("a secret");
    assert!(!file.windows(secret.len()).any(|window| window == secret.as_bytes()));
    assert_eq!(
        reads(&hook("run-6"), &Some(secret)).await,
        Some(id),
        "our own command's hook of a run that was cleared"
    );
    world.running.stop().await;
}

#[tokio::test]
async fn secrets_that_nobody_uses_do_not_gather() {
    let world = World::new().await;
    let one = keyed("key-1", "mcp:one");
    let id = world.write(&one, todos(&["A"])).await.session_id;
    let mut secrets = Vec::new();
    for _ in 0..20 {
        secrets.push(world.proof(&one).await.expect("a secret"));
        // The oldest is found by its time.
        *world.now.lock().expect("nobody panicked") += SignedDuration::from_secs(1);
    }
    let reads = async |own: &str, secret: &String| {
        let report = SessionReport { proof: Some(secret.clone()), ..worked() };
        world.report(&keyed_hook("key-1", own), report).await.session_id
    };
    assert_ne!(reads("run-1", &secrets[3]).await, Some(id.clone()), "it made room");
    assert_eq!(reads("run-2", &secrets[4]).await, Some(id));
    world.running.stop().await;
}

#[tokio::test]
async fn a_label_is_its_keys_until_the_user_opens_it_to_all() {
    let world = World::new().await;
    let writes = async |caller: &Caller, content: &str| {
        let session = Some("release".to_owned());
        let ask = TodoWrite { session, todos: todos(&[content]), ..TodoWrite::default() };
        world.ask(caller, ask).await.expect("it is written").session_id
    };
    let (one, two, shim) = (keyed("key-1", "mcp:one"), keyed("key-2", "mcp:two"), super::agent("shim"));
    let id = writes(&one, "Secret").await;
    assert_eq!(writes(&keyed("key-1", "mcp:three"), "Secret").await, id, "a label joins runs of one key");
    let others = [writes(&two, "Mine").await, writes(&shim, "Mine").await];
    assert!(others[0] != id && others[1] != id && others[0] != others[1]);
    assert_eq!(contents(&world.get(&user(), &id).await.expect("there").todos), ["Secret"]);
    // The run that opened it by its label reads it by its id.
    assert!(world.get(&keyed("key-1", "mcp:three"), &id).await.is_ok());
    assert!(world.get(&two, &id).await.is_err() && world.get(&shim, &id).await.is_err());

    let mark = |shared| SessionMark { session_id: id.clone(), shared: Some(shared), ..SessionMark::default() };
    let refused = world.ask(&one, mark(true)).await.expect_err("only the user says it");
    assert_eq!(refused.code, Code::Unauthorized);
    world.ask(&user(), mark(true)).await.expect("it is the user's word");
    assert!(world.session(&id).await.shared);
    assert_eq!([writes(&two, "Secret").await, writes(&shim, "Secret").await], [id.clone(), id.clone()]);
    let world = world.restart().await;
    let writes = async |caller: &Caller, content: &str| {
        let session = Some("release".to_owned());
        let ask = TodoWrite { session, todos: todos(&[content]), ..TodoWrite::default() };
        world.ask(caller, ask).await.expect("it is written").session_id
    };
    assert_eq!(writes(&two, "Secret").await, id);
    world.ask(&user(), mark(false)).await.expect("it is taken back");
    assert_eq!([writes(&two, "Mine").await, writes(&shim, "Mine").await], others);
    assert_eq!(writes(&one, "Secret").await, id);

    let unlabelled = world.write(&keyed("key-1", "mcp:four"), todos(&["x"])).await.session_id;
    let mark = SessionMark { session_id: unlabelled, shared: Some(true), ..SessionMark::default() };
    assert_eq!(world.ask(&user(), mark).await.expect_err("nobody could open it").code, Code::InvalidMessage);
    world.running.stop().await;
}

#[tokio::test]
async fn a_list_that_the_user_labelled_is_for_whoever_opens_it() {
    let world = World::new().await;
    let add = TodoAdd { label: Some("mine".to_owned()), content: "Do it".to_owned(), ..TodoAdd::default() };
    world.ask(&user(), add.clone()).await.expect("it begins");
    let opens = async |caller: &Caller| {
        let ask = TodoRead { session: Some("mine".to_owned()), ..TodoRead::default() };
        contents(&world.ask(caller, ask).await.expect("it is read").todos).join(",")
    };
    for caller in [keyed("key-1", "mcp:one"), keyed("key-2", "mcp:two"), super::agent("shim")] {
        assert_eq!(opens(&caller).await, "Do it");
    }
    world.ask(&user(), add).await.expect("the same list");
    assert_eq!(world.ask(&user(), SessionList::default()).await.expect("a page").sessions.len(), 1);
    world.running.stop().await;
}

#[tokio::test]
async fn what_an_agent_says_of_itself_is_bounded() {
    let world = World::new().await;
    let long = "x".repeat(900_000);
    let named = with(keyed("key-1", "mcp:one"), |agent| {
        agent.agent = AgentInfo { name: format!("a\u{1f}\n{long}"), version: Some(long.clone()) };
        agent.folder = Some(long.clone());
    });
    let id = world.write(&named, todos(&["A"])).await.session_id;
    let session = world.session(&id).await;
    assert!(session.agent.name.starts_with("a  x") && session.agent.name.len() == 200, "{}", session.agent.name.len());
    assert_eq!(session.agent.version.map(|version| version.len()), Some(200));
    for change in [
        |agent: &mut AgentIdentity, id| agent.own_session = Some(id),
        |agent: &mut AgentIdentity, id| agent.parent = Some(id),
        |agent: &mut AgentIdentity, id| agent.connection = Some(id),
        |agent: &mut AgentIdentity, id| agent.processes = vec![id],
    ] as [fn(&mut AgentIdentity, String); 4]
    {
        for id in ["x".repeat(501), String::new(), "a\u{1f}b".to_owned(), "a\nb".to_owned()] {
            let caller = with(keyed("key-1", "mcp:two"), |agent| change(agent, id));
            let refused = world.ask(&caller, TodoRead::default()).await.expect_err("it is no id");
            assert_eq!(refused.code, Code::InvalidMessage);
            assert!(refused.message.contains("1 to 500"), "{}", refused.message);
        }
    }
    world.running.stop().await;
}

/// A step of a random history: a door (a key or none), a run behind it, and its deed.
#[derive(Debug, Clone)]
enum Step {
    Write {
        door: usize,
        run: usize,
        says_own: bool,
    },
    Label {
        door: usize,
        run: usize,
        label: usize,
    },
    Hook {
        door: usize,
        run: usize,
    },
    /// A hook brings the secret that a run was given last, be it its own or another's.
    Join {
        door: usize,
        run: usize,
        of: (usize, usize),
    },
    Observe {
        door: usize,
        run: usize,
    },
    Get {
        door: usize,
        run: usize,
    },
    Note {
        session: usize,
    },
    Share {
        session: usize,
    },
    Restart,
}

const DOORS: [Option<&str>; 3] = [Some("key-1"), Some("key-2"), None];
const RUNS: usize = 3;
const LABELS: [&str; 2] = ["release", "plan"];

fn step() -> impl Strategy<Value = Step> {
    let (door, run) = (0..DOORS.len(), 0..RUNS);
    prop_oneof![
        4 => (door.clone(), run.clone(), any::<bool>()).prop_map(|(door, run, says_own)| Step::Write { door, run, says_own }),
        2 => (door.clone(), run.clone(), 0..LABELS.len()).prop_map(|(door, run, label)| Step::Label { door, run, label }),
        3 => (door.clone(), run.clone()).prop_map(|(door, run)| Step::Hook { door, run }),
        4 => (door.clone(), run.clone(), (door.clone(), run.clone())).prop_map(|(door, run, of)| Step::Join { door, run, of }),
        2 => (door.clone(), run.clone()).prop_map(|(door, run)| Step::Observe { door, run }),
        3 => (door, run).prop_map(|(door, run)| Step::Get { door, run }),
        2 => (0_usize..6).prop_map(|session| Step::Note { session }),
        1 => (0_usize..6).prop_map(|session| Step::Share { session }),
        1 => Just(Step::Restart),
    ]
}

/// The runs of every door have the same ids, as a forger would say them.
fn calls(door: usize, run: usize, says_own: bool) -> Caller {
    let caller = keyed("", &format!("mcp:{run}"));
    let caller = with(caller, |agent| agent.own_session = says_own.then(|| format!("run-{run}")));
    Caller { key: DOORS[door].map(str::to_owned), ..caller }
}

fn hooks(door: usize, run: usize) -> Caller {
    Caller { key: DOORS[door].map(str::to_owned), ..keyed_hook("", &format!("run-{run}")) }
}

/// A history as it ought to be: which doors may see a session, by what the history has allowed.
#[derive(Default)]
struct Strangers {
    /// The doors that each session is open to.
    doors: HashMap<String, HashSet<usize>>,
    secrets: HashMap<(usize, usize), String>,
    shared: HashSet<String>,
}

impl Strangers {
    /// A door was led to a session: one that nobody had is its own, any other has to be open to it, or to lie under one that
    /// is, as a built-in list under its run.
    async fn led(&mut self, world: &World, door: usize, session_id: &str, why: &Step) {
        let is_new = !self.doors.contains_key(session_id);
        let mut of = Some(session_id.to_owned());
        let mut is_open = is_new || self.shared.contains(session_id);
        while let Some(id) = of.take().filter(|_| !is_open) {
            is_open = self.doors.get(&id).is_some_and(|doors| doors.contains(&door));
            of = world.get(&user(), &id).await.ok().and_then(|at| at.session.parent_session_id);
        }
        assert!(is_open, "{why:?} led to a stranger's session");
        self.doors.entry(session_id.to_owned()).or_default().insert(door);
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.doors.keys().cloned().collect();
        names.sort();
        names
    }
}

async fn history(steps: Vec<Step>) {
    let mut world = World::new().await;
    let mut strangers = Strangers::default();
    for step in steps {
        // Each door writes its own word: none is ever read by another.
        let word = |door: usize| todos(&[&format!("of door {door}")]);
        match step.clone() {
            Step::Write { door, run, says_own } => {
                let ask = TodoWrite { todos: word(door), prove: true, ..TodoWrite::default() };
                let written = world.ask(&calls(door, run, says_own), ask).await.expect("it is written");
                strangers.led(&world, door, &written.session_id, &step).await;
                strangers.secrets.insert((door, run), written.proof.clone().expect("a secret"));
                only_of(&strangers, &written, door);
            }
            Step::Label { door, run, label } => {
                let session = Some(LABELS[label].to_owned());
                let ask = TodoWrite { todos: word(door), session, ..TodoWrite::default() };
                let written = world.ask(&calls(door, run, false), ask).await.expect("it is written");
                strangers.led(&world, door, &written.session_id, &step).await;
                only_of(&strangers, &written, door);
            }
            Step::Hook { door, run } => {
                let heard = world.report(&hooks(door, run), listens()).await;
                if let Some(id) = heard.session_id {
                    strangers.led(&world, door, &id, &step).await;
                }
            }
            Step::Join { door, run, of } => {
                let proof = strangers.secrets.get(&of).cloned();
                let heard = world.report(&hooks(door, run), SessionReport { proof, ..listens() }).await;
                if let Some(id) = heard.session_id {
                    // Our own command says what its agent has read; a hook with a key only what its own key was given.
                    if DOORS[door].is_none() {
                        strangers.doors.entry(id.clone()).or_default().insert(door);
                    }
                    strangers.led(&world, door, &id, &step).await;
                }
            }
            Step::Observe { door, run } => {
                let ask = TodoObserve { tool: "update_plan".to_owned(), todos: word(door), ..TodoObserve::default() };
                let observed = world.ask(&hooks(door, run), ask).await.expect("it is taken");
                strangers.led(&world, door, &observed.session_id, &step).await;
            }
            Step::Get { door, run } => {
                for id in strangers.names() {
                    if world.get(&calls(door, run, true), &id).await.is_ok() {
                        strangers.led(&world, door, &id, &step).await;
                    }
                    let prefix = &id[..id.len() - 1];
                    assert!(world.get(&calls(door, run, true), prefix).await.is_err(), "ids are whole");
                }
            }
            Step::Note { session } => {
                if let Some(id) = strangers.names().get(session) {
                    let ask = NoteSend { session_id: id.clone(), text: format!("for {id}") };
                    // It may have been joined to another.
                    let _ = world.ask(&user(), ask).await;
                }
            }
            Step::Share { session } => {
                if let Some(id) = strangers.names().get(session) {
                    let mark = SessionMark { session_id: id.clone(), shared: Some(true), ..SessionMark::default() };
                    if world.ask(&user(), mark).await.is_ok() {
                        strangers.shared.insert(id.clone());
                    }
                }
            }
            Step::Restart => world = world.restart().await,
        }
    }
    world.running.stop().await;
}

/// A list that no other door may see has no word of another's.
fn only_of(strangers: &Strangers, written: &TodoWritten, door: usize) {
    if strangers.doors[&written.session_id].len() == 1 {
        let own = format!("of door {door}");
        assert!(written.todos.iter().all(|item| item.content == own), "{:?}", contents(&written.todos));
    }
    for edit in &written.edits {
        let is_known = strangers.doors.keys().any(|id| edit.text == format!("for {id}"));
        assert!(is_known, "{edit:?}");
    }
}

// A run that our command has told of is its reader's, with the built-in list under it.
#[tokio::test]
async fn a_run_brings_its_built_in_list() {
    let write = Step::Write { door: 1, run: 1, says_own: true };
    let join = Step::Join { door: 2, run: 0, of: (1, 1) };
    history(vec![write, Step::Observe { door: 1, run: 1 }, join, Step::Get { door: 2, run: 0 }]).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_history_makes_friends_of_strangers(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(history(steps));
    }
}
