//! Those that wait for a permission, and the rules that answer for the user, in memory.

use crate::error::Result;
use crate::keys::lock;
use jiff::Timestamp;
use protocol::{Permission, PermissionDecided, Rule, RuleNew, input_digest};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::{PermissionRow, RuleRow};
use tokio::sync::oneshot;

/// A permission that an agent waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) permission: Arc<Permission>,
    /// The call's arguments, as its end tells them.
    pub(crate) digest: String,
}

impl Waiting {
    pub(crate) fn new(permission: Permission) -> Self {
        let digest = input_digest(&permission.input);
        Self { permission: Arc::new(permission), digest }
    }
}

/// The outcome of a permission, to be told to whoever waits.
pub(crate) type Settled = (String, PermissionDecided);

#[derive(Default)]
pub(crate) struct Permissions {
    waiters: Mutex<HashMap<String, oneshot::Sender<PermissionDecided>>>,
    rules: Mutex<Arc<Vec<Rule>>>,
}

impl Permissions {
    pub(crate) fn new(rules: Vec<RuleRow>) -> Self {
        let permissions = Self::default();
        permissions.replace(Arc::new(rules.into_iter().filter_map(rule).collect()));
        permissions
    }

    /// Waits for what becomes of a permission.
    pub(crate) fn wait(&self, id: &str) -> oneshot::Receiver<PermissionDecided> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.waiters).insert(id.to_owned(), sender);
        receiver
    }

    /// Tells whoever waits; who does not wait any more is forgotten.
    pub(crate) fn settle(&self, (id, decided): Settled) {
        if let Some(waiter) = lock(&self.waiters).remove(&id) {
            // It may have gone.
            let _ = waiter.send(decided);
        }
    }

    /// Nobody waits for it.
    pub(crate) fn forget(&self, id: &str) {
        lock(&self.waiters).remove(id);
    }

    /// Takes over the rules that are stored, and of the stored permissions those that somebody still waits for, which it
    /// gives. All other agents ask by themselves.
    pub(crate) fn rebuild(&self, rules: Vec<RuleRow>, open: &[String]) -> Vec<Permission> {
        self.replace(Arc::new(rules.into_iter().filter_map(rule).collect()));
        let mut open: Vec<Permission> = open.iter().filter_map(|body| serde_json::from_str(body).ok()).collect();
        let mut waiters = lock(&self.waiters);
        open.retain(|permission| waiters.contains_key(&permission.permission_id));
        waiters.retain(|id, _| open.iter().any(|permission| permission.permission_id == *id));
        drop(waiters);
        open
    }

    pub(crate) fn rules(&self) -> Arc<Vec<Rule>> {
        lock(&self.rules).clone()
    }

    pub(crate) fn replace(&self, rules: Arc<Vec<Rule>>) {
        *lock(&self.rules) = rules;
    }
}

/// Reads a rule; one of a later build, which this one does not understand, decides nothing.
fn rule(row: RuleRow) -> Option<Rule> {
    let says: RuleNew = serde_json::from_str(&row.body).ok()?;
    let RuleRow { rule_id, created_at, decided, decided_at, .. } = row;
    Some(Rule { rule_id, says, created_at, decided, decided_at })
}

pub(crate) fn rule_row(rule: &Rule) -> Result<RuleRow> {
    Ok(RuleRow {
        rule_id: rule.rule_id.clone(),
        body: serde_json::to_string(&rule.says).map_err(store::Error::from)?,
        created_at: rule.created_at,
        decided: rule.decided,
        decided_at: rule.decided_at,
    })
}

pub(crate) fn permission_row(permission: &Permission) -> Result<PermissionRow> {
    let state = serde_json::to_value(permission.state).map_err(store::Error::from)?;
    Ok(PermissionRow {
        permission_id: permission.permission_id.clone(),
        state: state.as_str().unwrap_or_default().to_owned(),
        asked_at: permission.asked_at,
        body: serde_json::to_string(permission).map_err(store::Error::from)?,
    })
}

/// A permission in a line: its command, or its tool and arguments.
pub(crate) fn subject(permission: &Permission) -> String {
    match (&permission.command, permission.questions.first()) {
        (_, Some(question)) => question.text.clone(),
        (Some(command), None) => format!("{}: {command}", permission.tool),
        (None, None) => format!("{}: {}", permission.tool, permission.input),
    }
}

/// The time so many seconds later.
pub(crate) fn later(at: Timestamp, seconds: u32) -> Timestamp {
    at.saturating_add(jiff::SignedDuration::from_secs(seconds.into())).unwrap_or(Timestamp::MAX)
}
