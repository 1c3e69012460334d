//! Permissions: asked for, decided by a rule or by the user, or settled elsewhere; and the rules.

use crate::error::{Failure, Result};
use crate::evidence::{OWN, READ, reporter};
use crate::live::Live;
use crate::paths;
use crate::permissions::{Waiting, later, permission_row, rule_row, subject};
use crate::turn::{News, Turn};
use crate::writer::Work;
use protocol::{
    AuditDeed, Caller, Code, Done, DoneCall, Happened, PERMISSION_INPUT_BYTES, PERMISSION_SECONDS, Permission,
    PermissionAnswer, PermissionAsk, PermissionDecided, PermissionState, Question, Rule, RuleCalls, RuleDelete,
    RuleEdit, RuleNew, SessionReport, Text, command_of, say,
};
use session::ReportedState;
use std::sync::Arc;
use todo::short;

/// Permissions that agents of one session, and all agents, wait for at once.
const OF_A_SESSION: usize = 32;
const OF_ALL: usize = 512;

/// Characters of a tool's name, and of the user's words to the model.
const TOOL_CHARS: usize = 200;
const TEXT_CHARS: usize = 2_000;

/// Questions of one call, and answers to choose from.
const QUESTIONS: usize = 20;

/// Rules in all.
const RULES: usize = 1_000;

/// An agent asks, under the id by which it waits.
pub(crate) struct AskPermission {
    pub(crate) caller: Caller,
    pub(crate) id: String,
    pub(crate) ask: PermissionAsk,
}

impl Work for AskPermission {
    /// The decision of a rule; `None` where the user is to decide.
    type Answer = Option<PermissionDecided>;

    fn caller(&self) -> &Caller {
        &self.caller
    }

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<Self::Answer> {
        turn.ask_permission(&self.id, &self.ask).await
    }
}

/// Nobody waits for a permission any more.
pub(crate) struct Expire {
    pub(crate) permission_id: String,
}

impl Work for Expire {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        turn.expire(&self.permission_id).await
    }
}

/// After a start nobody waits.
pub(crate) struct ExpireAll(pub(crate) Vec<String>);

impl Work for ExpireAll {
    type Answer = ();

    async fn perform(&self, turn: &mut Turn<'_, '_>) -> Result<()> {
        for body in &self.0 {
            let Ok(mut permission) = serde_json::from_str::<Permission>(body) else { continue };
            permission.state = PermissionState::Expired;
            permission.settled_at = Some(turn.now());
            turn.transaction.save_permission(&permission_row(&permission)?).await?;
        }
        Ok(())
    }
}

impl Turn<'_, '_> {
    async fn ask_permission(&mut self, id: &str, ask: &PermissionAsk) -> Result<Option<PermissionDecided>> {
        check(ask)?;
        let (agent, key) = reporter(self.caller)?;
        let folder = agent.folder.clone();
        let bound = match self.sessions().bound(OWN, &key).await? {
            Some(live) => Some(live),
            None => self.sessions().bound(READ, &key).await?,
        };
        let Some(mut live) = bound else {
            let problem = "nothing is known of this run yet; report it by session.report first";
            return Err(Failure::refused(Code::SessionNotFound, problem));
        };
        let now = self.now();
        let rule = if ask.questions.is_empty() { self.rule_for(&live, folder.as_deref(), ask) } else { None };
        if rule.is_none() && ask.wait_seconds == 0 {
            return Ok(Some(PermissionDecided::default()));
        }
        let mut permission = Permission {
            permission_id: id.to_owned(),
            session_id: live.row.session_id.clone(),
            state: PermissionState::Open,
            tool: ask.tool.clone(),
            input: ask.input.clone(),
            command: command_of(&ask.input).map(|(command, _)| command),
            narrowest: RuleCalls::narrowest(&ask.input),
            folder: folder.or_else(|| live.row.who.folder.clone()),
            questions: ask.questions.clone(),
            alone: ask.alone,
            asked_at: now,
            expires_at: later(now, ask.wait_seconds),
            settled_at: None,
            rule_id: None,
            message: None,
        };
        if let Some(rule) = rule {
            permission.state = decided(rule.says.allow);
            permission.settled_at = Some(now);
            permission.rule_id = Some(rule.rule_id.clone());
            self.transaction.add_permission(&live.row, &permission_row(&permission)?).await?;
            self.count_rule(&rule).await?;
            self.audit(deed(rule.says.allow), &say::log_rule_applied(subject(&permission)).english).await?;
            return Ok(Some(PermissionDecided { allowed: Some(rule.says.allow), ..PermissionDecided::default() }));
        }
        self.check_room(&live)?;
        self.transaction.add_permission(&live.row, &permission_row(&permission)?).await?;
        live.row.life.last_activity_at = live.row.life.last_activity_at.max(now);
        live.enter(ReportedState::Waiting, Some(short(&say::reason_approval(&ask.tool).english)), now);
        live.waiting.push(Waiting::new(permission));
        self.save(&mut live, News::Updated).await?;
        Ok(None)
    }

    fn check_room(&self, live: &Live) -> Result<()> {
        if live.waiting.len() < OF_A_SESSION && self.core.board.waiting() < OF_ALL {
            return Ok(());
        }
        let problem = format!("{OF_A_SESSION} calls of a session, or {OF_ALL} in all, wait for an answer already");
        Err(Failure::refused(Code::LimitExceeded, problem))
    }

    fn rules(&self) -> Arc<Vec<Rule>> {
        self.staged.rules.clone().unwrap_or_else(|| self.core.permissions.rules())
    }

    /// The rule that decides a call: one that denies before one that allows.
    fn rule_for(&self, live: &Live, folder: Option<&str>, ask: &PermissionAsk) -> Option<Rule> {
        let (agent, folder) = (&live.row.who.agent_name, folder.or(live.row.who.folder.as_deref()));
        let rules = self.rules();
        let covers = |rule: &&Rule| rule.says.covers(agent, &live.row.session_id, folder, &ask.tool, &ask.input);
        rules.iter().filter(covers).min_by_key(|rule| rule.says.allow).cloned()
    }

    async fn count_rule(&mut self, rule: &Rule) -> Result<()> {
        let now = self.now();
        self.transaction.count_rule(&rule.rule_id, now).await?;
        self.change_rules(|rules| {
            for known in rules.iter_mut().filter(|known| known.rule_id == rule.rule_id) {
                known.decided += 1;
                known.decided_at = Some(now);
            }
        });
        Ok(())
    }

    fn change_rules(&mut self, change: impl FnOnce(&mut Vec<Rule>)) {
        let mut rules = Vec::clone(&self.rules());
        change(&mut rules);
        self.staged.rules = Some(Arc::new(rules));
    }

    /// The user decides.
    pub(super) async fn answer_permission(&mut self, ask: &PermissionAnswer) -> Result<Done> {
        let mut live = self.find(&ask.session_id).await?;
        let Some(waiting) = live.waiting.iter().find(|it| it.permission.permission_id == ask.permission_id).cloned()
        else {
            return Err(Failure::refused(Code::PermissionNotFound, say::permission_gone()));
        };
        check_answer(ask, &waiting.permission.questions)?;
        let rule = match &ask.rule {
            Some(says) if says.allow == ask.allow => Some(self.rule_new(says).await?),
            Some(_) => return Err(invalid("a rule that comes with an answer says the same as the answer")),
            None => None,
        };
        let message = ask.message.clone().filter(|message| !message.trim().is_empty() && !ask.allow);
        let told = PermissionDecided { allowed: Some(ask.allow), message, answers: ask.answers.clone() };
        self.settle_permission(&mut live, &waiting, decided(ask.allow), &told, None).await?;
        self.audit(deed(ask.allow), &subject(&waiting.permission)).await?;
        // The others of the session that the new rule is for are decided with it.
        if let Some(rule) = rule {
            for waiting in live.waiting.clone() {
                let it = &*waiting.permission;
                let agent = &live.row.who.agent_name;
                if it.questions.is_empty()
                    && rule.says.covers(agent, &it.session_id, it.folder.as_deref(), &it.tool, &it.input)
                {
                    let told = PermissionDecided { allowed: Some(rule.says.allow), ..PermissionDecided::default() };
                    self.settle_permission(&mut live, &waiting, decided(rule.says.allow), &told, Some(&rule)).await?;
                    self.audit(deed(rule.says.allow), &say::log_rule_applied(subject(it)).english).await?;
                }
            }
        }
        if live.waiting.is_empty() {
            live.mark_active(self.now());
        }
        self.save(&mut live, News::Updated).await?;
        Ok(Done {})
    }

    async fn expire(&mut self, permission_id: &str) -> Result<()> {
        let of = |live: &Live| live.waiting.iter().find(|it| it.permission.permission_id == permission_id).cloned();
        let staged = self.staged.lives.values().find_map(|live| Some((live.clone(), of(live)?)));
        let found = staged.or_else(|| {
            let live = self.core.board.asking(permission_id)?;
            let id = &live.row.session_id;
            // The batch may have settled it.
            let is_staged = self.staged.lives.contains_key(id) || self.staged.deleted.contains(id);
            if is_staged { None } else { Some((Live::clone(&live), of(&live)?)) }
        });
        let Some((mut live, waiting)) = found else { return Ok(()) };
        self.settle_permission(&mut live, &waiting, PermissionState::Expired, &PermissionDecided::default(), None)
            .await?;
        self.save(&mut live, News::Updated).await
    }

    /// Settles permissions that were answered in the agent's own prompt, by what has happened to the run.
    pub(super) async fn settle_elsewhere(&mut self, live: &mut Live, ask: &SessionReport) -> Result<()> {
        let is_over = matches!(ask.happened, Happened::Prompted | Happened::Rests | Happened::Failed | Happened::Ended);
        let is_done = |waiting: &Waiting, done: &DoneCall| {
            waiting.permission.tool == done.tool && done.input.as_ref().is_none_or(|input| *input == waiting.digest)
        };
        self.leave_to_agent(live, |waiting| is_over || ask.done.as_deref().is_some_and(|done| is_done(waiting, done)))
            .await
    }

    /// Settles what waits in a session that ends, so that its agents ask by themselves at once.
    pub(super) async fn release_agents(&mut self, live: &mut Live) -> Result<()> {
        self.leave_to_agent(live, |_| true).await
    }

    async fn leave_to_agent(&mut self, live: &mut Live, which: impl Fn(&Waiting) -> bool) -> Result<()> {
        for waiting in live.waiting.clone().into_iter().filter(which) {
            self.settle_permission(live, &waiting, PermissionState::Elsewhere, &PermissionDecided::default(), None)
                .await?;
        }
        Ok(())
    }

    async fn settle_permission(
        &mut self,
        live: &mut Live,
        waiting: &Waiting,
        state: PermissionState,
        told: &PermissionDecided,
        rule: Option<&Rule>,
    ) -> Result<()> {
        let permission = Permission {
            state,
            settled_at: Some(self.now()),
            rule_id: rule.map(|rule| rule.rule_id.clone()),
            message: told.message.clone(),
            ..Permission::clone(&waiting.permission)
        };
        self.transaction.save_permission(&permission_row(&permission)?).await?;
        if let Some(rule) = rule {
            self.count_rule(rule).await?;
        }
        live.waiting.retain(|known| known.permission.permission_id != permission.permission_id);
        self.staged.settled.push((permission.permission_id, told.clone()));
        Ok(())
    }

    pub(super) async fn rule_new(&mut self, says: &RuleNew) -> Result<Rule> {
        let rules = self.rules();
        if let Some(same) = rules.iter().find(|rule| rule.says == *says) {
            return Ok(same.clone());
        }
        if rules.len() >= RULES {
            return Err(invalid(say::rules_full(RULES)));
        }
        let rule = Rule {
            rule_id: self.core.uid().to_string(),
            says: says.clone(),
            created_at: self.now(),
            decided: 0,
            decided_at: None,
        };
        self.save_rule(&rule).await?;
        self.change_rules(|rules| rules.push(rule.clone()));
        Ok(rule)
    }

    pub(super) async fn rule_edit(&mut self, ask: &RuleEdit) -> Result<Rule> {
        let known = self.named_rule(&ask.rule_id)?;
        let rule = Rule { says: ask.says.clone(), ..known };
        self.save_rule(&rule).await?;
        self.change_rules(|rules| {
            rules.iter_mut().filter(|known| known.rule_id == rule.rule_id).for_each(|known| *known = rule.clone());
        });
        Ok(rule)
    }

    pub(super) async fn rule_delete(&mut self, ask: &RuleDelete) -> Result<Done> {
        let rule = self.named_rule(&ask.rule_id)?;
        self.transaction.delete_rule(&rule.rule_id).await?;
        self.change_rules(|rules| rules.retain(|known| known.rule_id != rule.rule_id));
        self.audit(AuditDeed::Rule, &say::log_rule_deleted(described(&rule.says)).english).await?;
        Ok(Done {})
    }

    fn named_rule(&self, id: &str) -> Result<Rule> {
        let known = self.rules().iter().find(|rule| rule.rule_id == id).cloned();
        known.ok_or_else(|| Failure::refused(Code::RuleNotFound, say::rule_gone()))
    }

    async fn save_rule(&mut self, rule: &Rule) -> Result<()> {
        let says = &rule.says;
        check_rule(says)?;
        let session = match &says.session_id {
            Some(id) => Some(self.find(id).await?),
            None => None,
        };
        if says.session_id.as_ref() != session.as_ref().map(|live| &live.row.session_id) {
            return Err(invalid("a rule for a session has the session's whole id"));
        }
        self.transaction.save_rule(&rule_row(rule)?, session.as_ref().map(|live| &live.row)).await?;
        self.audit(AuditDeed::Rule, &described(says)).await
    }
}

fn decided(allow: bool) -> PermissionState {
    if allow { PermissionState::Allowed } else { PermissionState::Denied }
}

fn deed(allow: bool) -> AuditDeed {
    if allow { AuditDeed::Approve } else { AuditDeed::Deny }
}

/// A rule in a line, for the log.
fn described(says: &RuleNew) -> String {
    let calls = match &says.calls {
        RuleCalls::Tool => None,
        RuleCalls::Input { input } => Some(input.clone()),
        RuleCalls::Command { words } => Some(format!("{} …", words.join(" "))),
    };
    let rule = match (says.allow, calls) {
        (true, None) => say::log_rule_allow_every(&says.tool),
        (true, Some(calls)) => say::log_rule_allow(&says.tool, calls),
        (false, None) => say::log_rule_deny_every(&says.tool),
        (false, Some(calls)) => say::log_rule_deny(&says.tool, calls),
    };
    let place = says.folder.as_ref().map(|folder| format!(" · {folder}")).unwrap_or_default();
    rule.english + &place
}

fn invalid(text: impl Into<Text>) -> Failure {
    Failure::refused(Code::InvalidMessage, text)
}

fn check(ask: &PermissionAsk) -> Result<()> {
    check_tool(&ask.tool)?;
    if ask.input.len() > PERMISSION_INPUT_BYTES {
        return Err(invalid(format!("\"input\" has at most {PERMISSION_INPUT_BYTES} bytes")));
    }
    if serde_json::from_str::<serde::de::IgnoredAny>(&ask.input).is_err() {
        return Err(invalid("\"input\" is the JSON text of the call's arguments"));
    }
    if ask.wait_seconds > PERMISSION_SECONDS {
        return Err(invalid(format!("\"waitSeconds\" is at most {PERMISSION_SECONDS}")));
    }
    let is_long = |text: &str| text.chars().count() > TEXT_CHARS;
    let is_wrong = |question: &Question| {
        is_long(&question.text)
            || question.header.as_deref().is_some_and(is_long)
            || question.options.len() > QUESTIONS
            || question.options.iter().any(|it| is_long(&it.label) || it.description.as_deref().is_some_and(is_long))
    };
    if ask.questions.len() > QUESTIONS || ask.questions.iter().any(is_wrong) {
        let problem =
            format!("at most {QUESTIONS} questions with {QUESTIONS} options each, of {TEXT_CHARS} characters");
        return Err(invalid(problem));
    }
    Ok(())
}

fn check_tool(tool: &str) -> Result<()> {
    let is_name = !tool.is_empty() && tool.chars().count() <= TOOL_CHARS && !tool.chars().any(char::is_control);
    if is_name { Ok(()) } else { Err(invalid(format!("\"tool\" is the tool's name in 1 to {TOOL_CHARS} characters"))) }
}

fn check_answer(ask: &PermissionAnswer, questions: &[Question]) -> Result<()> {
    let is_long = |text: &String| text.chars().count() > TEXT_CHARS;
    if ask.message.as_ref().is_some_and(is_long) || ask.answers.iter().flatten().any(is_long) {
        return Err(invalid(say::permission_length(TEXT_CHARS)));
    }
    if !ask.allow || questions.is_empty() {
        return if ask.answers.is_empty() { Ok(()) } else { Err(invalid(say::permission_no_question())) };
    }
    let is_answered = |(question, answers): (&Question, &Vec<String>)| {
        !answers.is_empty() && (question.multiple || answers.len() == 1) && answers.len() <= QUESTIONS
    };
    let is_all = ask.answers.len() == questions.len() && questions.iter().zip(&ask.answers).all(is_answered);
    if is_all { Ok(()) } else { Err(invalid(say::permission_each_question())) }
}

fn check_rule(says: &RuleNew) -> Result<()> {
    check_tool(&says.tool)?;
    let is_long = |text: &str| text.is_empty() || text.len() > PERMISSION_INPUT_BYTES;
    let is_wrong = match &says.calls {
        RuleCalls::Tool => false,
        RuleCalls::Input { input } => is_long(input),
        RuleCalls::Command { words } => words.is_empty() || words.len() > 100 || words.iter().any(|word| is_long(word)),
    };
    if is_wrong {
        return Err(invalid(say::rule_form()));
    }
    if says.folder.as_deref().is_some_and(|folder| !paths::is_folder(folder)) {
        return Err(invalid(say::folder_path()));
    }
    Ok(())
}
