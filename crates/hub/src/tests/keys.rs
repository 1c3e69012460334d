//! Keys, pairing and the log: nobody gives away more than they have, and everything is written down.

use super::{World, agent, todos, user};
use crate::Hub;
use protocol::proof::Secret;
use protocol::{
    AgentsWritten, Audit, AuditDeed, AuditEntry, AuditList, Caller, Code, Done, Error, Event, ExportFormat,
    ImportProgress, ImportStart, Key, KeyCode, KeyConfirm, KeyKind, KeyList, KeyMade, KeyNew, KeyRenew, KeyRevoke,
    Reply, Rights, SessionDelete, SessionExport, SessionImport, SettingsUpdate, ToolApprovalRequest,
    ToolApprovalResponse, Transport,
};
use std::sync::Arc;
use std::time::Duration;

fn terminal() -> Caller {
    Caller::user(Transport::Cli, "cli")
}

async fn new(world: &World, caller: &Caller, name: &str, rights: Option<Rights>) -> Result<KeyMade, Error> {
    world.ask(caller, KeyNew { name: name.to_owned(), rights }).await
}

async fn keys(world: &World) -> Vec<Key> {
    world.ask(&user(), KeyList {}).await.expect("a list").keys
}

async fn audit(world: &World) -> Audit {
    world.ask(&user(), AuditList::default()).await.expect("the log")
}

/// The key that a secret opens, as the door looks for it.
fn opened(hub: &Hub, secret: &str) -> Option<Key> {
    let secret = Secret::of(secret);
    hub.keys().borrow().iter().find(|known| known.verifier.is_of(&secret)).map(|known| known.key.clone())
}

async fn paired(world: &World, address: &str, name: &str) -> Result<Key, Error> {
    let (_, code) = address.split_once("/#pair=").expect("an address with a code");
    let id = Secret::id(code).expect("an id and a secret");
    let known = world.hub().code(id).ok_or_else(|| Error::new(Code::Unauthorized, "gone"))?;
    assert!(known.verifier.is_of(&Secret::of(code)));
    world.hub().pair(id, name.to_owned(), Secret::of("page").verifier()).await
}

#[tokio::test]
async fn nobody_gives_away_more_than_they_have() {
    let world = World::new().await;
    for (rights, has, waits) in [
        (Rights::Look, Rights::Look, None),
        (Rights::Edit, Rights::Edit, None),
        (Rights::Answer, Rights::Edit, Some(Rights::Answer)),
        (Rights::Administer, Rights::Edit, Some(Rights::Administer)),
    ] {
        let made = new(&world, &terminal(), rights.word(), Some(rights)).await.expect("a key");
        assert_eq!((made.key.rights, made.key.wanted), (Some(has), waits));
        assert!(made.secret.len() >= 40);
        assert_eq!(opened(world.hub(), &made.secret), Some(made.key.clone()));
        // Whoever made it cannot confirm it.
        for caller in [terminal(), Caller { key: Some(made.key.key_id.clone()), ..terminal() }] {
            let confirm = KeyConfirm { key_id: made.key.key_id.clone(), accept: true };
            assert_eq!(world.ask(&caller, confirm).await.expect_err("refused").code, Code::Unauthorized);
        }
    }
    let at_window = new(&world, &user(), "window", Some(Rights::Administer)).await.expect("a key");
    assert_eq!((at_window.key.rights, at_window.key.wanted), (Some(Rights::Administer), None));
    let of_agent = new(&world, &terminal(), "codex", None).await.expect("a key");
    assert_eq!((of_agent.key.kind, of_agent.key.rights), (KeyKind::Agent, None));
    let refused = world.ask(&agent("run"), KeyNew::default()).await.expect_err("an agent makes no keys");
    assert_eq!(refused.code, Code::Unauthorized);
}

#[tokio::test]
async fn a_key_that_waits_gets_its_rights_when_it_is_confirmed() {
    let world = World::new().await;
    let mut events = world.hub().follow();
    for (accept, rights) in [(true, Rights::Answer), (false, Rights::Edit)] {
        let made = new(&world, &terminal(), &format!("{accept}"), Some(Rights::Answer)).await.expect("a key");
        let told = futures_util::StreamExt::next(&mut events).await.expect("an event");
        assert!(matches!(told.event(), Event::KeysUpdated(told) if told.waiting == 1), "{told:?}");
        let confirm = KeyConfirm { key_id: made.key.key_id.clone(), accept };
        let key = world.ask(&user(), confirm.clone()).await.expect("decided");
        assert_eq!((key.rights, key.wanted), (Some(rights), None));
        assert_eq!(opened(world.hub(), &made.secret), Some(key));
        let told = futures_util::StreamExt::next(&mut events).await.expect("an event");
        assert!(matches!(told.event(), Event::KeysUpdated(told) if told.waiting == 0), "{told:?}");
        assert_eq!(world.ask(&user(), confirm).await.expect_err("once only").code, Code::KeyNotFound);
    }
}

#[tokio::test]
async fn a_key_that_waits_is_not_taken_by_those_who_may_less() {
    let world = World::new().await;
    let made = new(&world, &terminal(), "ci", Some(Rights::Administer)).await.expect("a key");
    // The user looks at the name alone. So it is neither given a new secret nor made anew by another program.
    let refused = world.ask(&terminal(), KeyRenew { key_id: "ci".to_owned() }).await.expect_err("no new secret");
    assert_eq!(refused.code, Code::Unauthorized);
    assert!(refused.message.contains("may administer once"), "{refused}");
    let refused = world.ask(&terminal(), KeyRevoke { key_id: "ci".to_owned() }).await.expect_err("the name stays");
    assert_eq!(refused.code, Code::Unauthorized);
    assert_eq!(opened(world.hub(), &made.secret), Some(made.key.clone()));
    // Its holder ends it, and whoever may do as much.
    let holder = Caller { key: Some(made.key.key_id.clone()), ..terminal() };
    world.ask(&holder, KeyRevoke { key_id: "ci".to_owned() }).await.expect("revoked");
    new(&world, &terminal(), "ci", Some(Rights::Administer)).await.expect("a key");
    world.ask(&user(), KeyRenew { key_id: "ci".to_owned() }).await.expect("renewed");
    world.ask(&user(), KeyRevoke { key_id: "ci".to_owned() }).await.expect("revoked");
}

#[tokio::test]
async fn a_name_can_be_read_and_is_there_once() {
    let world = World::new().await;
    for name in ["", "  ", &"x".repeat(101), "a\nb", "a\u{7}", "a\u{202e}b", "a\u{200b}", "\u{e0041}b", "a\u{0}"] {
        let refused = new(&world, &terminal(), name, Some(Rights::Look)).await.expect_err(name);
        assert_eq!(refused.code, Code::InvalidKey, "{name:?}");
    }
    new(&world, &terminal(), &"ü".repeat(100), Some(Rights::Look)).await.expect("a long name");
    new(&world, &terminal(), " backup ", Some(Rights::Look)).await.expect("a key");
    assert_eq!(new(&world, &terminal(), "backup", None).await.expect_err("twice").code, Code::InvalidKey);
    assert_eq!(keys(&world).await.len(), 2);
}

#[tokio::test]
async fn a_key_is_ended_and_renewed_by_those_who_may_do_as_much() {
    let world = World::new().await;
    let strong = new(&world, &user(), "strong", Some(Rights::Administer)).await.expect("a key");
    let weak = new(&world, &user(), "weak", Some(Rights::Look)).await.expect("a key");
    for key_id in [strong.key.key_id.clone(), "strong".to_owned()] {
        let revoke = KeyRevoke { key_id: key_id.clone() };
        assert_eq!(world.ask(&terminal(), revoke).await.expect_err("refused").code, Code::Unauthorized);
        let renew = KeyRenew { key_id };
        assert_eq!(world.ask(&terminal(), renew).await.expect_err("refused").code, Code::Unauthorized);
    }
    let renewed = world.ask(&terminal(), KeyRenew { key_id: "weak".to_owned() }).await.expect("renewed");
    assert_eq!(renewed.key, weak.key);
    assert_eq!(opened(world.hub(), &weak.secret), None);
    assert_eq!(opened(world.hub(), &renewed.secret), Some(weak.key.clone()));
    world.ask(&terminal(), KeyRevoke { key_id: weak.key.key_id.clone() }).await.expect("revoked");
    assert_eq!(opened(world.hub(), &renewed.secret), None);
    for gone in [weak.key.key_id, "nobody".to_owned(), String::new()] {
        let refused = world.ask(&user(), KeyRevoke { key_id: gone }).await.expect_err("there is none");
        assert_eq!(refused.code, Code::KeyNotFound);
    }
    // Its name is free again.
    new(&world, &terminal(), "weak", None).await.expect("a key");
    let world = world.restart().await;
    assert_eq!(opened(world.hub(), &strong.secret), Some(strong.key));
    assert_eq!(opened(world.hub(), &renewed.secret), None);
    assert_eq!(keys(&world).await.len(), 2);
}

#[tokio::test]
async fn there_are_only_so_many_keys() {
    let world = World::new().await;
    for number in 0..20 {
        new(&world, &terminal(), &format!("waits {number}"), Some(Rights::Answer)).await.expect("a key");
    }
    let refused = new(&world, &terminal(), "one more", Some(Rights::Answer)).await.expect_err("too many wait");
    assert_eq!(refused.code, Code::InvalidKey);
    for number in 0..180 {
        new(&world, &terminal(), &format!("key {number}"), None).await.expect("a key");
    }
    assert_eq!(new(&world, &user(), "one more", None).await.expect_err("too many").code, Code::InvalidKey);
}

#[tokio::test]
async fn the_first_page_is_trusted_and_later_ones_wait() {
    let world = World::new().await;
    let early = world.hub().first_code().address;
    let first = paired(&world, &world.hub().first_code().address, "Firefox on Linux").await.expect("paired");
    assert_eq!((first.kind, first.rights, first.wanted), (KeyKind::Page, Some(Rights::Administer), None));
    assert!(first.expires_at.is_some());
    // Also by a code that was there before it.
    let second = paired(&world, &early, "Firefox on Linux").await.expect("paired");
    assert_eq!(second.name, "Firefox on Linux 2");
    assert_eq!((second.rights, second.wanted), (Some(Rights::Edit), Some(Rights::Administer)));
    let world = world.restart().await;
    let third = paired(&world, &world.hub().first_code().address, "Safari").await.expect("paired");
    assert_eq!((third.rights, third.wanted), (Some(Rights::Edit), Some(Rights::Administer)));
    let of_window = world.ask(&user(), KeyCode::default()).await.expect("a code").address;
    assert_eq!(paired(&world, &of_window, "Edge").await.expect("paired").rights, Some(Rights::Administer));
    let to_look = world.ask(&user(), KeyCode { rights: Some(Rights::Look), host: None }).await.expect("a code").address;
    let looks = paired(&world, &to_look, "Phone").await.expect("paired");
    assert_eq!((looks.rights, looks.wanted), (Some(Rights::Look), None));
}

#[tokio::test]
async fn a_folder_that_a_window_had_trusts_nobody_for_being_first() {
    let world = World::new().await;
    let early = world.hub().first_code().address;
    world.hub().end_trust().await.expect("noted");
    let page = paired(&world, &early, "Firefox").await.expect("paired");
    assert_eq!((page.rights, page.wanted), (Some(Rights::Edit), Some(Rights::Administer)));
    // A terminal's code gives no more than the terminal has.
    let world = World::new().await;
    let code = world.ask(&terminal(), KeyCode::default()).await.expect("a code").address;
    let page = paired(&world, &code, "Firefox").await.expect("paired");
    assert_eq!((page.rights, page.wanted), (Some(Rights::Edit), Some(Rights::Administer)));
}

#[tokio::test]
async fn what_a_trusted_page_has_and_gave_waits_once_a_window_has_the_folder() {
    let world = World::new().await;
    let page = paired(&world, &world.hub().first_code().address, "Firefox").await.expect("paired");
    assert_eq!(page.rights, Some(Rights::Administer));
    let by_page = Caller { key: Some(page.key_id.clone()), ..user() };
    let strong = new(&world, &by_page, "strong", Some(Rights::Answer)).await.expect("a key").key;
    let weak = new(&world, &by_page, "weak", Some(Rights::Look)).await.expect("a key").key;
    let world = world.restart().await;
    world.hub().end_trust().await.expect("noted");
    let rights = |keys: Vec<Key>| keys.into_iter().map(|key| (key.name, key.rights, key.wanted)).collect::<Vec<_>>();
    let waits = [
        ("Firefox".to_owned(), Some(Rights::Edit), Some(Rights::Administer)),
        ("strong".to_owned(), Some(Rights::Edit), Some(Rights::Answer)),
        ("weak".to_owned(), weak.rights, None),
    ];
    assert_eq!(rights(keys(&world).await), waits);
    let entries = audit(&world).await.entries;
    let waiting = entries.iter().filter(|entry| entry.deed == AuditDeed::KeyWait);
    assert_eq!(waiting.map(|entry| entry.way).collect::<Vec<_>>(), [Transport::Window; 2]);
    // A page that the window allowed stays so, also when the window comes again.
    world.ask(&user(), KeyConfirm { key_id: strong.key_id, accept: true }).await.expect("allowed");
    world.hub().end_trust().await.expect("noted");
    let world = world.restart().await;
    world.hub().end_trust().await.expect("noted");
    let after = rights(keys(&world).await);
    assert_eq!((after[0].clone(), after[1].1), (waits[0].clone(), Some(Rights::Answer)));
}

#[tokio::test]
async fn a_code_is_good_once_and_for_some_minutes() {
    let world = World::new().await;
    let code = world.hub().first_code().address;
    paired(&world, &code, "Firefox").await.expect("paired");
    assert_eq!(paired(&world, &code, "Firefox").await.expect_err("once").code, Code::Unauthorized);
    let code = world.hub().first_code().address;
    world.pass(11);
    assert_eq!(paired(&world, &code, "Firefox").await.expect_err("late").code, Code::Unauthorized);
    // The number of codes is bounded, and the oldest goes.
    let first = world.hub().first_code().address;
    for _ in 0..50 {
        world.ask(&terminal(), KeyCode::default()).await.expect("a code");
    }
    assert_eq!(paired(&world, &first, "Firefox").await.expect_err("gone").code, Code::Unauthorized);
    // A page's key ends by itself.
    world.set_clock(60 * 24 * 181);
    assert!(keys(&world).await.is_empty());
}

#[tokio::test]
async fn a_code_that_is_tried_without_its_secret_is_worth_nothing() {
    let world = World::new().await;
    let code = world.hub().first_code().address;
    let other = world.hub().first_code().address;
    let id = Secret::id(code.split_once("/#pair=").expect("a code").1).expect("an id").to_owned();
    for _ in 0..4 {
        world.hub().code_failed(&id);
        assert!(world.hub().code(&id).is_some());
    }
    world.hub().code_failed(&id);
    world.hub().code_failed("of nobody");
    assert_eq!(paired(&world, &code, "Chrome").await.expect_err("too often").code, Code::Unauthorized);
    paired(&world, &other, "Chrome").await.expect("another code stays");
}

#[tokio::test]
async fn a_code_leads_to_a_named_host_and_to_no_other() {
    let world = World::new().await;
    let code = async |host: &str| {
        world.ask(&user(), KeyCode { rights: Some(Rights::Look), host: Some(host.to_owned()) }).await
    };
    let refused = code("box.example.net").await.expect_err("it is not named");
    assert_eq!((refused.code, refused.text.map(|text| text.name)), (Code::InvalidKey, Some("code_host".into())));
    let named = SettingsUpdate { public_hosts: Some(vec!["Box.example.net".to_owned()]), ..SettingsUpdate::default() };
    world.ask(&user(), named).await.expect("it is named");
    let made = code("box.example.net:443").await.expect("a code");
    assert!(made.address.starts_with("https://box.example.net/#pair="), "{}", made.address);
    let page = paired(&world, &made.address, "Chrome on Android").await.expect("paired");
    assert_eq!((page.kind, page.rights, page.wanted), (KeyKind::Page, Some(Rights::Look), None));
    for odd in ["box.example.net:8443", "evil.example.net", "box.example.net/#pair=", "user@box.example.net", ""] {
        assert_eq!(code(odd).await.expect_err(odd).code, Code::InvalidKey);
    }
}

#[tokio::test]
async fn an_older_builds_key_goes_on_once() {
    let world = World::new().await;
    let (name, secret) = ("agents connected before", "k".repeat(40));
    world.hub().adopt_key(name, &secret).await.expect("adopted");
    world.hub().adopt_key(name, &secret).await.expect("adopted");
    let world = world.restart().await;
    world.hub().adopt_key(name, &secret).await.expect("adopted");
    let key = opened(world.hub(), &secret).expect("it opens");
    assert_eq!((key.kind, key.name.as_str(), keys(&world).await.len()), (KeyKind::Agent, name, 1));
}

#[tokio::test]
async fn the_last_use_is_stored_at_most_once_a_minute() {
    let world = World::new().await;
    let made = new(&world, &user(), "script", Some(Rights::Look)).await.expect("a key");
    let caller = Caller { key: Some(made.key.key_id.clone()), ..terminal() };
    for _ in 0..100 {
        world.hub().key_used(&made.key.key_id, || caller.clone(), "WebSocket");
    }
    let entries = || async {
        // The answer comes after what was queued before it.
        world.hub().end_trust().await.expect("noted");
        let entries = audit(&world).await.entries;
        entries.into_iter().filter(|entry| entry.deed == AuditDeed::Connect).collect::<Vec<_>>()
    };
    assert_eq!(entries().await.len(), 1);
    assert_eq!(entries().await[0].who.as_deref(), Some("script"));
    world.pass(2);
    world.hub().key_used(&made.key.key_id, || caller.clone(), "WebSocket");
    assert_eq!(entries().await.len(), 2);
    let used = keys(&world).await[0].used_at.expect("it was used");
    assert!(used > made.key.created_at);
    let world = world.restart().await;
    assert_eq!(keys(&world).await[0].used_at, Some(used));
}

#[tokio::test]
async fn the_log_has_codes_deletions_imports_and_changes_by_commands() {
    let world = World::new().await;
    let written = world.write(&agent("run"), todos(&["step"])).await;
    let session_id = written.session_id;
    world.ask(&terminal(), KeyCode { rights: Some(Rights::Look), host: None }).await.expect("a code");
    world
        .ask(&terminal(), AgentsWritten { written: vec!["/home/me/.codex/config.toml".to_owned()] })
        .await
        .expect("noted");
    let export =
        SessionExport { session_id: session_id.clone(), format: ExportFormat::Json, ..SessionExport::default() };
    let text = world.ask(&user(), export).await.expect("exported").text;
    let for_good = SessionDelete { session_id: session_id.clone(), for_good: true };
    world.ask(&terminal(), for_good).await.expect("deleted");
    world.hub().sweep().await.expect("swept");
    for (check, text) in [(true, text.clone()), (false, text.clone()), (false, text)] {
        let import = SessionImport { text, check, ..SessionImport::default() };
        world.ask(&terminal(), import).await.expect("imported");
    }
    world.hub().answer_computer(Some(Arc::new(|_| {
        Box::pin(std::future::ready(Ok(Reply::ImportStart(ImportProgress::default()))))
    })));
    world.ask(&terminal(), ImportStart { agents: vec!["codex".to_owned()] }).await.expect("begun");
    // It comes after what was queued before it.
    world.hub().writes().await.expect("written");
    let log = audit(&world).await.entries;
    let said: Vec<_> = log.iter().rev().map(|entry| (entry.deed, entry.subject.as_str())).collect();
    assert_eq!(
        said,
        [
            (AuditDeed::KeyCode, "look"),
            (AuditDeed::Agents, "/home/me/.codex/config.toml"),
            (AuditDeed::Delete, format!("session {session_id}, for good").as_str()),
            (AuditDeed::Import, "sessions: 1"),
            (AuditDeed::Import, "transcripts of codex"),
        ]
    );
}

#[tokio::test]
async fn an_approval_is_in_the_log_with_its_tool() {
    let world = World::new().await;
    world
        .hub()
        .answer_agent(Some(Arc::new(|_| Box::pin(std::future::ready(Ok(Reply::ToolApprovalResponse(Done {})))))));
    world.hub().tell(Event::ToolApprovalRequest(ToolApprovalRequest {
        request_id: "run".to_owned(),
        session_id: "session".to_owned(),
        tool_call_id: "call-1".to_owned(),
        tool_name: "files__delete".to_owned(),
        args: serde_json::Value::Null,
        args_text: "null".to_owned(),
        changed: false,
        expires_at: world.hub().time(),
    }));
    for (call, approved) in [("call-1", true), ("call-2", false)] {
        let answer =
            ToolApprovalResponse { tool_call_id: call.to_owned(), approved, ..ToolApprovalResponse::default() };
        world.ask(&user(), answer).await.expect("answered");
    }
    world.hub().writes().await.expect("written");
    let log = audit(&world).await.entries;
    let said: Vec<_> = log.iter().rev().map(|entry| (entry.deed, entry.subject.as_str())).collect();
    assert_eq!(said, [(AuditDeed::Approve, "files__delete (call-1)"), (AuditDeed::Deny, "call call-2")]);
}

#[tokio::test]
async fn each_who_is_refused_is_in_the_log_once_a_minute() {
    let world = World::new().await;
    let look = new(&world, &user(), "reader", Some(Rights::Look)).await.expect("a key");
    let reader = Caller { key: Some(look.key.key_id), ..user().with(Rights::Look) };
    let refusals = || async {
        world.hub().writes().await.expect("written");
        let entries = audit(&world).await.entries.into_iter().rev();
        let refused = entries.filter(|entry| entry.deed == AuditDeed::Refuse);
        refused.map(|entry| (entry.who.unwrap_or_default(), entry.way, entry.subject)).collect::<Vec<_>>()
    };
    for _ in 0..100 {
        let edits = SettingsUpdate { keep_days: Some(3), ..SettingsUpdate::default() };
        world.ask(&reader, edits).await.expect_err("it may look");
        let starts = SettingsUpdate { terminal: Some("xterm".to_owned()), ..SettingsUpdate::default() };
        world.ask(&terminal(), starts).await.expect_err("it may edit");
        for way in ["/gateway", "/mcp"] {
            let nobody = Caller { rights: None, ..Caller::user(Transport::Websocket, "") };
            world.hub().refused(&nobody, way, way);
        }
    }
    let entry = |who: &str, way, subject: &str| (who.to_owned(), way, subject.to_owned());
    let once = [
        entry("reader", Transport::Websocket, "settings.update: edit"),
        entry("", Transport::Cli, "settings.update: administer"),
        entry("", Transport::Websocket, "/gateway"),
        entry("", Transport::Websocket, "/mcp"),
    ];
    assert_eq!(refusals().await, once);
    world.pass(2);
    world.hub().refused(&reader, "", "again");
    assert_eq!(refusals().await.len(), 5);
}

#[tokio::test]
async fn the_log_goes_by_the_door_and_not_by_words() {
    let world = World::new().await;
    let made = new(&world, &user(), "You, in the window", Some(Rights::Edit)).await.expect("a key");
    let says = |transport| Caller { agent: agent("Firefox on Linux").agent, ..Caller::user(transport, "window") };
    let by_key = |transport| Caller { key: Some(made.key.key_id.clone()), ..says(transport) };
    for (days, transport) in (3..).zip([Transport::Window, Transport::Page, Transport::Builtin]) {
        let set = |keep_days| SettingsUpdate { keep_days: Some(keep_days), ..SettingsUpdate::default() };
        world.ask(&says(transport), set(days)).await.expect("set");
        world.ask(&by_key(transport), set(days + 100)).await.expect("set");
    }
    let log = audit(&world).await.entries;
    let by = |entry: &AuditEntry| (entry.who.clone(), entry.way);
    let keyed = (Some("You, in the window".to_owned()), Transport::Websocket);
    assert_eq!(
        log.iter().map(by).collect::<Vec<_>>(),
        [
            keyed.clone(),
            (None, Transport::Cli),
            keyed.clone(),
            (None, Transport::Cli),
            keyed,
            (None, Transport::Cli),
            (None, Transport::Window),
        ]
    );
}

#[tokio::test]
async fn what_was_done_is_in_the_log() {
    let world = World::new().await;
    world.write(&agent("run"), todos(&["step"])).await;
    assert!(audit(&world).await.entries.is_empty(), "lists have their own history");
    let made = new(&world, &terminal(), "script", Some(Rights::Answer)).await.expect("a key");
    let by_key = Caller { key: Some(made.key.key_id.clone()), ..user() };
    world.ask(&by_key, SettingsUpdate { keep_days: Some(3), ..SettingsUpdate::default() }).await.expect("set");
    // Setting the same value again is no change.
    world.ask(&by_key, SettingsUpdate { keep_days: Some(3), ..SettingsUpdate::default() }).await.expect("set");
    world.ask(&user(), KeyConfirm { key_id: made.key.key_id.clone(), accept: true }).await.expect("confirmed");
    world.ask(&user(), KeyRevoke { key_id: made.key.key_id }).await.expect("revoked");
    let log = audit(&world).await;
    let deeds: Vec<_> =
        log.entries.iter().rev().map(|entry| (entry.deed, entry.who.as_deref(), entry.rights)).collect();
    assert_eq!(
        deeds,
        [
            (AuditDeed::KeyNew, None, Some(Rights::Edit)),
            (AuditDeed::Settings, Some("script"), Some(Rights::Administer)),
            (AuditDeed::KeyConfirm, None, Some(Rights::Administer)),
            (AuditDeed::KeyRevoke, None, Some(Rights::Administer)),
        ]
    );
    assert_eq!(log.entries[2].subject, "keepDays");
    assert!(!format!("{log:?}").contains(&made.secret));
    let two = world.ask(&user(), AuditList { limit: Some(2), before: None }).await.expect("a page");
    assert_eq!(two.entries, log.entries[..2]);
    let rest = world.ask(&user(), AuditList { limit: Some(2), before: two.next_before }).await.expect("a page");
    assert_eq!((rest.entries.as_slice(), rest.next_before), (&log.entries[2..], None));
    // A year later it is forgotten, with the next entry.
    world.pass(60 * 24 * 366);
    tokio::time::timeout(Duration::from_secs(30), new(&world, &terminal(), "later", None))
        .await
        .expect("in time")
        .expect("a key");
    assert_eq!(audit(&world).await.entries.len(), 1);
}
