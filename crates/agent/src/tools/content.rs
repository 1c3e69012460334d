//! A tool's result as text.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use std::fmt::Write;

/// Bytes of a result for the model.
const BYTES: usize = 100 * 1024;

/// The result of a call, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// At most 100 KiB, and a line about the rest that was cut.
    pub text: String,
    pub is_error: bool,
}

impl ToolResult {
    pub(super) fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}

/// The text of a result for the model: its texts, and everything else by type and size.
pub(super) fn read_result(result: CallToolResult) -> ToolResult {
    // With text, the structured content repeats it.
    let has_text =
        result.content.iter().any(|content| matches!(content, ContentBlock::Text(it) if !it.text.is_empty()));
    let mut parts: Vec<String> = result.content.into_iter().map(part).collect();
    parts.extend(result.structured_content.filter(|_| !has_text).map(|structured| structured.to_string()));
    ToolResult { text: cut(parts.join("\n")), is_error: result.is_error.unwrap_or(false) }
}

fn part(content: ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => format!("[image: {}, {} bytes]", image.mime_type, decoded(&image.data)),
        ContentBlock::Audio(audio) => format!("[audio: {}, {} bytes]", audio.mime_type, decoded(&audio.data)),
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.unwrap_or_else(|| "data".to_owned());
                format!("[{uri}: {kind}, {} bytes]", decoded(&blob))
            }
            _ => "[a resource of an unknown kind]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => match link.mime_type {
            Some(kind) => format!("[{}: {kind}, {}]", link.name, link.uri),
            None => format!("[{}: {}]", link.name, link.uri),
        },
        _ => "[content of an unknown kind]".to_owned(),
    }
}

/// Bytes of what is written in base64.
fn decoded(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

/// The beginning of a text that is too long, with a line about the rest.
fn cut(mut text: String) -> String {
    let all = text.len();
    if all <= BYTES {
        return text;
    }
    text.truncate(text.floor_char_boundary(BYTES));
    let left = all - text.len();
    let _ = write!(text, "\n[cut: {left} of {all} bytes were left out]");
    text
}
