//! Conversions between our requests and tool calls and genai's.

use super::{Call, Cut, Kind, Message, Request};
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ContentPart, MessageContent, ReasoningEffort,
    StopReason, Tool, ToolCall, ToolResponse,
};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The conversation in genai's form for this kind of provider.
pub(super) fn request(kind: Kind, request: &Request) -> ChatRequest {
    let messages = request.messages.iter().filter_map(|message| self::message(kind, message)).collect();
    let mut wire = ChatRequest::new(messages);
    wire.system = Some(request.system.clone()).filter(|system| !system.trim().is_empty());
    let tool = |tool: &super::ToolSpec| {
        Tool::new(tool.name.clone()).with_description(tool.description.clone()).with_schema(tool.schema.clone())
    };
    wire.tools = Some(request.tools.iter().map(tool).collect::<Vec<_>>()).filter(|tools| !tools.is_empty());
    wire
}

/// The options of a request.
pub(super) fn options(kind: Kind, json: bool) -> ChatOptions {
    // OpenAI's frames are read by `pieces`.
    let mut options =
        ChatOptions::default().with_capture_usage(true).with_capture_tool_calls(!matches!(kind, Kind::OpenAi));
    if matches!(kind, Kind::OpenAi) {
        // Without it genai takes the end of a name such as `qwen3-max` for an effort. A budget is not sent at all.
        options = options.with_reasoning_effort(ReasoningEffort::Budget(0));
    }
    if json && !matches!(kind, Kind::Anthropic) {
        options = options.with_response_format(ChatResponseFormat::JsonMode);
    }
    options
}

/// A message in genai's form; none if it is empty, which some providers refuse.
fn message(kind: Kind, message: &Message) -> Option<ChatMessage> {
    Some(match message {
        Message::User(text) | Message::System(text) if text.trim().is_empty() => return None,
        Message::User(text) => ChatMessage::user(text.as_str()),
        // The other kinds would move it to the beginning of the conversation.
        Message::System(text) if matches!(kind, Kind::OpenAi) => ChatMessage::system(text.as_str()),
        Message::System(text) => ChatMessage::user(text.as_str()),
        Message::Assistant { text, calls } => {
            let said = Some(text).filter(|text| !text.trim().is_empty());
            let parts: Vec<ContentPart> = said
                .map(|text| ContentPart::Text(text.clone()))
                .into_iter()
                .chain(calls.iter().map(|call| ContentPart::ToolCall(self::call(call))))
                .collect();
            if parts.is_empty() {
                return None;
            }
            ChatMessage::assistant(MessageContent::from_parts(parts))
        }
        Message::ToolResult { call_id, tool, text, is_error } => {
            // Only Anthropic's protocol has a mark for errors, and genai does not send it.
            let said = text.get(..5).is_some_and(|begin| begin.eq_ignore_ascii_case("error"));
            let text = if *is_error && !said { format!("Error: {text}") } else { text.clone() };
            ToolResponse::new(call_id.as_str(), text).with_fn_name(tool.as_str()).into()
        }
    })
}

fn call(call: &Call) -> ToolCall {
    let args = match &call.args {
        args @ Value::Object(_) => args.clone(),
        // Most providers refuse a conversation with arguments that are no object.
        args => json!({ "unreadable": args }),
    };
    ToolCall {
        call_id: call.id.clone(),
        fn_name: call.tool.clone(),
        fn_arguments: args,
        thought_signatures: Some(call.signatures.clone()).filter(|signatures| !signatures.is_empty()),
    }
}

/// A provider's tool calls in our form.
pub(super) fn calls(calls: Vec<ToolCall>) -> Vec<Call> {
    let ours = |call: ToolCall| Call {
        id: call.call_id,
        tool: call.fn_name,
        args: match call.fn_arguments {
            object @ Value::Object(_) => object,
            Value::String(text) => arguments(text),
            other => arguments(other.to_string()),
        },
        signatures: call.thought_signatures.unwrap_or_default(),
    };
    calls.into_iter().map(ours).collect()
}

/// The reason why an answer is cut short, if it is.
pub(super) fn cut(reason: &StopReason) -> Option<Cut> {
    match reason {
        StopReason::MaxTokens(_) => Some(Cut::Length),
        StopReason::ContentFilter(_) => Some(Cut::Filter),
        _ => None,
    }
}

/// The calls with ids that are unique and not empty.
pub(super) fn distinct(mut calls: Vec<Call>) -> Vec<Call> {
    let mut taken = HashSet::new();
    for call in &mut calls {
        if call.id.is_empty() {
            call.id = "call".to_owned();
        }
        let mut id = call.id.clone();
        let mut nth = 1;
        while !taken.insert(id.clone()) {
            nth += 1;
            id = format!("{}-{nth}", call.id);
        }
        call.id = id;
    }
    calls
}

/// The arguments of a call, as a model wrote them: an object, or the text if they are none. An empty text is an empty object.
pub(super) fn arguments(text: String) -> Value {
    match serde_json::from_str(&text) {
        _ if text.trim().is_empty() => Value::Object(serde_json::Map::new()),
        Ok(Value::Null) => Value::Object(serde_json::Map::new()),
        Ok(object @ Value::Object(_)) => object,
        // Some models write the JSON as a string once more.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(text),
        },
        _ => Value::String(text),
    }
}
