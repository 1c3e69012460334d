//! A run of a session while it goes on.

use crate::fsm::{Purpose, RequestId};
use crate::model::{Call, Usage};
use hub::Presence;
use protocol::{ChatCost, ChatRun, ChatUsage, Error};
use std::collections::HashMap;

pub(super) struct Run {
    pub(super) view: ChatRun,
    pub(super) usage: Usage,
    /// Length of the streamed text and of the streamed reasoning so far, in UTF-16 code units.
    pub(super) streamed: [u64; 2],
    /// The purpose of the model's call that is under way.
    pub(super) asked: Option<Purpose>,
    /// Further calls of the model that the answer to it may take.
    pub(super) more: u32,
    /// The revision and the edits that the model's call under way reports; delivered when it is answered.
    pub(super) reported: Option<(u64, Vec<String>)>,
    /// The model's tool calls without a result, by their ids.
    pub(super) calls: HashMap<String, Call>,
    /// The call that was published with the request for its approval, and is not made yet.
    pub(super) announced: Option<String>,
    /// Sentences for the model about the todo blocks in its answer.
    pub(super) about_blocks: Vec<String>,
    /// The error code of the model's failure.
    pub(super) fault: Option<Error>,
    pub(super) has_started: bool,
    /// The request before which the tool servers were last connected, or asked for their tools.
    pub(super) connected: Option<RequestId>,
    _presence: Presence,
}

impl Run {
    pub(super) fn new(request_id: &str, presence: Presence) -> Self {
        Self {
            view: ChatRun { request_id: request_id.to_owned(), ..ChatRun::default() },
            usage: Usage::default(),
            streamed: [0, 0],
            asked: None,
            more: 0,
            reported: None,
            calls: HashMap::new(),
            announced: None,
            about_blocks: Vec::new(),
            fault: None,
            has_started: false,
            connected: None,
            _presence: presence,
        }
    }

    /// Tokens and cost so far, where the provider says them.
    pub(super) fn totals(&self) -> (Option<ChatUsage>, Option<ChatCost>) {
        let Usage { input_tokens, output_tokens, cost } = self.usage;
        let total_tokens = input_tokens.saturating_add(output_tokens);
        let usage = (total_tokens > 0).then_some(ChatUsage { input_tokens, output_tokens, total_tokens });
        (usage, cost.map(|total_cost| ChatCost { total_cost, ..ChatCost::default() }))
    }

    /// Takes the streamed text and reasoning of the answer under way, and begins anew.
    pub(super) fn take_streamed(&mut self) -> (String, String) {
        self.streamed = [0, 0];
        (std::mem::take(&mut self.view.content), std::mem::take(&mut self.view.reasoning))
    }

    /// The arguments of a call that has no result yet.
    pub(super) fn args(&self, call_id: &str) -> serde_json::Value {
        self.calls.get(call_id).map(|call| call.args.clone()).unwrap_or_default()
    }
}
