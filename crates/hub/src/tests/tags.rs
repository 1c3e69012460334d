//! Tags that the user gives to sessions: kept, found, exported, and none of an agent's business.

use super::own_lists::hook;
use super::{World, agent, user};
use protocol::{
    ArchiveStatus, Code, ExportFormat, SessionExport, SessionFilter, SessionImport, SessionList, SessionMark,
    SessionSearch,
};
use serde_json::{Value, json};

fn words(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|&tag| tag.to_owned()).collect()
}

fn marked(id: &str, add: &[&str], remove: &[&str]) -> SessionMark {
    let session_id = id.to_owned();
    SessionMark { session_id, add_tags: words(add), remove_tags: words(remove), ..SessionMark::default() }
}

async fn tagged(world: &World, tag: &str) -> Vec<String> {
    let filter = SessionFilter { tag: Some(tag.to_owned()), ..SessionFilter::default() };
    let page = world.ask(&user(), SessionList { filter, ..SessionList::default() }).await.expect("a page");
    page.sessions.into_iter().map(|session| session.session_id).collect()
}

async fn found(world: &World, query: &str) -> Vec<String> {
    let ask = SessionSearch { query: query.to_owned(), ..SessionSearch::default() };
    let hits = world.ask(&user(), ask).await.expect("an answer").results;
    hits.into_iter().map(|hit| hit.session_id).collect()
}

#[tokio::test]
async fn tags_are_kept_with_a_session_and_found() {
    let world = World::new().await;
    let todos = json!([{ "content": "Fix" }]);
    let one = world.write(&agent("one"), todos.clone()).await.session_id;
    let two = world.write(&agent("two"), todos).await.session_id;
    world.ask(&user(), marked(&one, &["#Release", "team/infra"], &[])).await.expect("tagged");
    world.ask(&user(), marked(&two, &["release-2"], &[])).await.expect("tagged");
    world.ask(&user(), marked(&one, &["RELEASE", "urgent"], &["Team/Infra"])).await.expect("tagged");
    assert_eq!(world.session(&one).await.tags, ["release", "urgent"]);

    let refused = world.ask(&user(), marked(&one, &["fine", "<b>bold</b>"], &[])).await.expect_err("it is markup");
    assert_eq!(refused.code, Code::InvalidMessage);
    let many: Vec<String> = (0..12).map(|at| format!("t{at}")).collect();
    let ask = SessionMark { add_tags: many, ..marked(&one, &[], &[]) };
    let refused = world.ask(&user(), ask).await.expect_err("too many");
    assert!(refused.message.contains("12 tags"), "{}", refused.message);
    world.ask(&agent("one"), marked(&one, &["mine"], &[])).await.expect_err("they are the user's");

    let world = world.restart().await;
    assert_eq!(world.session(&one).await.tags, ["release", "urgent"], "nothing of what was refused");
    assert_eq!(tagged(&world, "Release").await, std::slice::from_ref(&one), "whole tags only");
    assert_eq!(tagged(&world, "elease").await, [""; 0]);
    assert_eq!(tagged(&world, "%").await, [""; 0]);
    assert_eq!(found(&world, "urgent").await, std::slice::from_ref(&one));
    assert_eq!(found(&world, "releas").await.len(), 2);
    assert_eq!(found(&world, "team").await, [""; 0], "it was taken away");
    let known = world.ask(&user(), ArchiveStatus::default()).await.expect("what there is").tags;
    assert_eq!(known, ["release", "release-2", "urgent"]);
}

#[tokio::test]
async fn tags_go_with_an_export_and_a_built_in_list() {
    let world = World::new().await;
    let id = world.write(&agent("one"), json!([{ "content": "Fix" }])).await.session_id;
    world.ask(&user(), marked(&id, &["release"], &[])).await.expect("tagged");
    let export = SessionExport { session_id: id.clone(), format: ExportFormat::Json, ..SessionExport::default() };
    let text = world.ask(&user(), export).await.expect("an export").text;
    let other = World::new().await;
    let mut wrong: Value = serde_json::from_str(&text).expect("JSON");
    wrong["sessions"][0]["tags"] = json!(["Two words"]);
    let ask = SessionImport { text: wrong.to_string(), ..SessionImport::default() };
    let refused = other.ask(&user(), ask).await.expect_err("it could not have been written here");
    assert!(refused.message.contains("tags"), "{}", refused.message);
    other.ask(&user(), SessionImport { text, ..SessionImport::default() }).await.expect("imported");
    assert_eq!(other.session(&id).await.tags, ["release"]);
    assert_eq!(tagged(&other, "release").await, [id]);

    // A run that is known by its built-in list is found by that list, and its tags stand there too.
    let list = world.observe(&hook("run"), json!([{ "content": "Read" }]), None).await.session_id;
    let run = world.session(&list).await.parent_session_id.expect("it has a run");
    world.ask(&user(), marked(&run, &["mine"], &[])).await.expect("tagged");
    assert_eq!(world.session(&list).await.tags, ["mine"]);
    assert_eq!(tagged(&world, "mine").await, [list]);
}
