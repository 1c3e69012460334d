//! The requests that the built-in agent answers.

use super::agent::Agent;
use super::handle::{Handle, Input, no_approval, no_preflight};
use super::state::{ENTRIES, Published, SessionState};
use super::toolbox::Toolbox;
use crate::model::{KeyPlace, KeyStore, Keys, Provider, Secret};
use hub::Entry;
use protocol::{
    Chat, ChatAbort, ChatGet, ChatModelList, ChatProviderModels, ChatResume, ChatRun, ChatSend, ChatStarted,
    ChatToolList, Code, Done, Error, Happened, PreflightApproval, Reply, Request, Result, SessionReport, Sorted, Text,
    ToolApprovalResponse, VaultKeys, classes, say,
};
use std::sync::Arc;

/// Characters of a prompt.
const PROMPT_CHARS: usize = 100_000;

/// Messages in one answer of `chat.get`.
const PAGE: usize = 200;

/// Bytes of the messages in one answer; a message that is longer is alone in it.
const PAGE_BYTES: usize = 8 * 1024 * 1024;

impl Agent {
    pub(super) async fn answer(self: Arc<Self>, request: Request) -> Result<Reply> {
        match request.sorted() {
            Sorted::Chat(ask) => self.chat(ask).await,
            Sorted::Models(ask) => self.models(ask).await,
            _ => Err(request.misplaced()),
        }
    }

    async fn chat(self: &Arc<Self>, ask: classes::Chat<'_>) -> Result<Reply> {
        use classes::Chat as Is;
        Ok(match ask {
            Is::ChatSend(ask) => Reply::ChatSend(self.send(ask.clone()).await?),
            Is::ChatResume(ask) => Reply::ChatResume(self.resume(ask.clone()).await?),
            Is::ChatAbort(ask) => Reply::ChatAbort(self.abort(ask).await?),
            Is::ChatGet(ask) => Reply::ChatGet(self.get(ask).await?),
            Is::ToolApprovalResponse(ask) => Reply::ToolApprovalResponse(self.approve(ask.clone()).await?),
            Is::PreflightApproval(ask) => Reply::PreflightApproval(self.check(ask.clone()).await?),
        })
    }

    async fn models(&self, ask: classes::Models<'_>) -> Result<Reply> {
        use classes::Models as Is;
        Ok(match ask {
            Is::ChatModels(_) => Reply::ChatModels(self.model_list().await),
            Is::ChatTest(ask) => {
                self.host.models().test(&ask.model).await?;
                Reply::ChatTest(Done {})
            }
            Is::ChatTools(_) => Reply::ChatTools(self.tool_list().await),
            Is::VaultKeysList(_) => Reply::VaultKeysList(self.vault_keys().await?),
            Is::VaultKeysSet(ask) => {
                let provider = self.provider_named(&ask.provider)?;
                let origin = provider.origin().unwrap_or_default();
                if ask.origin.as_ref().is_some_and(|meant| *meant != origin) {
                    return Err(Error::new(Code::Configuration, say::provider_moved(&provider.name, &origin)));
                }
                let key = Secret::from(ask.key.trim());
                self.with_keys(move |keys| keys.set(&provider, &key).map(|_| ())).await?;
                Reply::VaultKeysSet(self.vault_keys().await?)
            }
            Is::VaultKeysDelete(ask) => {
                let provider = self.provider_named(&ask.provider)?;
                self.with_keys(move |keys| keys.delete(&provider.name)).await?;
                Reply::VaultKeysDelete(self.vault_keys().await?)
            }
        })
    }

    async fn send(self: &Arc<Self>, ask: ChatSend) -> Result<ChatStarted> {
        let chars = ask.content.chars().count();
        if ask.content.trim().is_empty() || chars > PROMPT_CHARS {
            return Err(Error::new(Code::InvalidMessage, say::chat_task_length(PROMPT_CHARS, chars)));
        }
        let existing = match &ask.session_id {
            Some(session_id) => Some(self.own_session(session_id).await?),
            None => None,
        };
        let model = self.model_of(existing.as_ref().map(|(session, _)| session.session_id.as_str()), ask.model).await?;
        let created = existing.is_none();
        let (session_id, caller) = match existing {
            Some((session, caller)) => (session.session_id, caller),
            None => {
                let caller =
                    self.host.caller(&self.host.hub.new_id(), ask.folder.filter(|folder| !folder.trim().is_empty()));
                let text = Some(ask.content.clone());
                let report =
                    SessionReport { happened: Happened::Prompted, text, begins: true, ..SessionReport::default() };
                let reported = self.host.call(&caller, report).await?;
                let none = || Error::new(Code::Internal, "the hub has made no session");
                (reported.session_id.ok_or_else(none)?, caller)
            }
        };
        let request_id = ask.request_id.unwrap_or_else(|| self.host.hub.new_id());
        let handle = self.handle(&session_id, caller).await?;
        let (content, allow_imported) = (Some(ask.content), ask.allow_imported);
        handle.ask(|reply| Input::Begin { content, model, request_id, created, allow_imported, reply }).await
    }

    async fn resume(self: &Arc<Self>, ask: ChatResume) -> Result<ChatStarted> {
        let (session, caller) = self.own_session(&ask.session_id).await?;
        let model = self.model_of(Some(&session.session_id), ask.model).await?;
        let request_id = ask.request_id.unwrap_or_else(|| self.host.hub.new_id());
        let handle = self.handle(&session.session_id, caller).await?;
        let (content, created, allow_imported) = (None, false, ask.allow_imported);
        handle.ask(|reply| Input::Begin { content, model, request_id, created, allow_imported, reply }).await
    }

    /// The model that was asked for, else that of the session, else that of the settings.
    ///
    /// # Errors
    /// When there is none, or its provider is not configured.
    async fn model_of(&self, session_id: Option<&str>, model: Option<String>) -> Result<String> {
        let stored = match session_id {
            Some(session_id) => self.host.hub.chat(session_id, u64::MAX, 1).await?,
            None => None,
        };
        let state = stored.and_then(|stored| serde_json::from_str::<SessionState>(&stored.state).ok());
        let chosen = model.or_else(|| state.map(|state| state.model).filter(|model| !model.is_empty()));
        let model = chosen.unwrap_or_else(|| self.host.hub.settings().chat_model);
        if model.is_empty() {
            return Err(Error::new(Code::ProviderNotConfigured, say::chat_no_model()));
        }
        self.host.models().model(&model)?;
        Ok(model)
    }

    async fn abort(self: &Arc<Self>, ask: &ChatAbort) -> Result<Done> {
        let mut handle = self.sessions().get(&ask.session_id).cloned();
        if handle.is_none() {
            let (session, _) = self.own_session(&ask.session_id).await?;
            handle = self.sessions().get(&session.session_id).cloned();
        }
        match handle {
            Some(handle) => handle.ask(|reply| Input::Abort { reply }).await,
            None => Ok(Done {}),
        }
    }

    async fn get(self: &Arc<Self>, ask: &ChatGet) -> Result<Chat> {
        let (session, caller) = self.own_session(&ask.session_id).await?;
        let limit = u32::try_from(ENTRIES).unwrap_or(u32::MAX);
        let read = || self.host.hub.chat(&session.session_id, ask.before.unwrap_or(u64::MAX), limit);
        let had_unsaved = self.published(&session.session_id).unsaved.is_some();
        let mut stored = read().await?.unwrap_or_default();
        if stored.running && !self.sessions().contains_key(&session.session_id) {
            // The session was deleted in the middle of a run and came back: the run is over now.
            self.handle(&session.session_id, caller).await?;
            stored = read().await?.unwrap_or_default();
        }
        let Published { run, unsaved } = self.published(&session.session_id);
        if had_unsaved && unsaved.is_none() {
            // It was saved in between.
            stored = read().await?.unwrap_or_default();
        }
        let mut state: SessionState = serde_json::from_str(&stored.state).unwrap_or_default();
        if let Some(unsaved) = unsaved {
            state = unsaved.state;
            let newest =
                unsaved.messages.into_iter().filter(|entry| ask.before.is_none_or(|before| entry.seq < before));
            let newest: Vec<_> = newest.collect();
            stored.messages.retain(|entry| newest.iter().all(|newer| newer.seq != entry.seq));
            stored.messages.extend(newest);
            stored.messages.sort_by_key(|entry| entry.seq);
        }
        let entries = stored.messages.iter().filter_map(Entry::read);
        let mut messages: Vec<_> = entries.filter_map(|entry| entry.view()).collect();
        let mut room = PAGE_BYTES;
        let fits = |message: &&protocol::ChatMessage| {
            let bytes = serde_json::to_string(message).map_or(0, |json| json.len());
            room = room.saturating_sub(bytes);
            room > 0
        };
        let fitting = messages.iter().rev().take(PAGE).take_while(fits).count().max(1);
        let surplus = messages.len().saturating_sub(fitting);
        messages.drain(..surplus);
        let list = self.host.list(&session.session_id).await?;
        Ok(Chat {
            more: surplus > 0 || stored.messages.first().is_some_and(|first| first.seq > 1),
            can_resume: run.is_none() && state.checkpoint.can_resume(&list),
            session_id: session.session_id,
            imported: state.imported,
            model: state.model,
            messages,
            run,
        })
    }

    /// The published part of a session; empty where it has no task.
    fn published(&self, session_id: &str) -> Published {
        self.sessions().get(session_id).map(Handle::published).unwrap_or_default()
    }

    /// The sessions with a run for which this is true.
    fn with_run(&self, is_it: impl Fn(&str, &ChatRun) -> bool) -> Vec<Handle> {
        let sessions = self.sessions();
        let fits =
            |(id, handle): &(&String, &Handle)| handle.published().run.as_ref().is_some_and(|run| is_it(id, run));
        sessions.iter().filter(fits).map(|(_, handle)| handle.clone()).collect()
    }

    async fn approve(&self, answer: ToolApprovalResponse) -> Result<Done> {
        let waits = |_: &str, run: &ChatRun| {
            run.approval.as_ref().is_some_and(|waiting| waiting.tool_call_id == answer.tool_call_id)
        };
        match self.with_run(waits).pop() {
            Some(handle) => handle.ask(|reply| Input::Approval { answer, reply }).await,
            None => Err(no_approval()),
        }
    }

    async fn check(&self, answer: PreflightApproval) -> Result<Done> {
        let waits = |id: &str, run: &ChatRun| {
            run.preflight.is_some()
                && run.request_id == answer.request_id
                && answer.session_id.as_deref().is_none_or(|session| session == id)
        };
        let mut found = self.with_run(waits);
        match (found.pop(), found.is_empty()) {
            (Some(handle), true) => handle.ask(|reply| Input::Preflight { answer, reply }).await,
            (Some(_), false) => Err(Error::new(
                Code::SessionAmbiguous,
                "more than one run has this \"requestId\"; send \"sessionId\" too",
            )),
            (None, _) => Err(no_preflight()),
        }
    }

    async fn model_list(&self) -> ChatModelList {
        let models = self.host.models();
        let keys = self.vault_keys().await.unwrap_or_default();
        let of = async |provider: &Provider| {
            let name = provider.name.clone();
            let (found, problem, problem_text) = match models.models(&name).await {
                Ok(found) => (found, None, None),
                Err(error) => (Vec::new(), Some(error.text), error.named),
            };
            ChatProviderModels {
                key: keys.keys.get(&name).cloned().unwrap_or_default(),
                models: found.into_iter().map(|model| format!("{name}:{model}")).collect(),
                needs_key: provider.wants_key(),
                problem,
                problem_text,
                name,
            }
        };
        ChatModelList { providers: futures_util::future::join_all(models.providers().iter().map(of)).await }
    }

    async fn tool_list(&self) -> ChatToolList {
        let settings = self.host.hub.settings();
        let toolbox = Toolbox::connect(settings.chat_servers.clone(), None, self.host.tools.clone(), None).await;
        let servers = toolbox.servers_there(&settings);
        toolbox.close().await;
        ChatToolList { servers }
    }

    async fn vault_keys(&self) -> Result<VaultKeys> {
        let models = self.host.models();
        let origins = models.providers().iter().filter_map(|one| Some((one.name.clone(), one.origin()?))).collect();
        let found = self.with_keys(move |keys| Ok(keys.list(models.providers()))).await?;
        let place = |place: &KeyPlace| match place {
            KeyPlace::Environment(_) => "environment",
            KeyPlace::Stored(KeyStore::Keyring) => "keyring",
            KeyPlace::Stored(KeyStore::File) => "file",
        };
        let keys = found.iter().filter_map(|key| Some((key.provider.clone(), place(key.place.as_ref()?).to_owned())));
        let reasons = || found.iter().filter_map(|key| Some((key.provider.clone(), key.withheld.as_ref()?)));
        let withheld = reasons().map(|(provider, why)| (provider, why.english.clone())).collect();
        let withheld_texts = reasons().filter_map(|(provider, why)| Some((provider, why.named.clone()?))).collect();
        Ok(VaultKeys { keys: keys.collect(), origins, withheld, withheld_texts })
    }

    fn provider_named(&self, name: &str) -> Result<Provider> {
        let models = self.host.models();
        match models.providers().iter().find(|provider| provider.name == name) {
            Some(provider) => Ok(provider.clone()),
            None => {
                let names: Vec<&str> = models.providers().iter().map(|provider| provider.name.as_str()).collect();
                Err(Error::new(Code::ProviderNotConfigured, say::provider_unknown(names.join(", "))))
            }
        }
    }

    /// Works with the keys on a thread of its own, since a keyring may wait until the user has unlocked it.
    async fn with_keys<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Keys) -> std::io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let keys = self.host.keys.clone();
        let done = tokio::task::spawn_blocking(move || work(&keys)).await;
        let done = done.map_err(|_| Error::new(Code::Internal, "the keys could not be looked at"))?;
        done.map_err(|error| {
            let text = say::key_not_kept(&error);
            let ours = error.get_ref().and_then(|problem| problem.downcast_ref::<Text>());
            Error::new(Code::Configuration, ours.map_or(text.clone(), |ours| text.with("problem", ours)))
        })
    }
}
