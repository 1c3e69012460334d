//! Training examples of what a session's agent said and did with its list (requirement K6).
//!
//! An example has a prompt and the response to it: prose, computations with their results, and `<todo>` blocks, in the
//! order in which they came. Each block is the list as it was then, so a response that is read again, as by `sightline
//! ingest`, gives the same list at every block. Prose that would change that is left out.

use crate::conversation::{Entry, EntryKind};
use jiff::Timestamp;
use protocol::{Text, say};
use serde_json::json;
use std::collections::VecDeque;
use todo::text::{Element, Token, Tokens, write_tokens};
use todo::{Draft, Item};

/// The tags that mean something in an answer before its lists are found.
const TAGS: &[&str] = &["wat_model", "computed", "think", "thinking"];

/// The names of the tools whose calls the lists stand for begin so.
const TODO_TOOLS: &str = "todo_";

/// Read after a text that leaves nothing open, this is a list; after another one it is a part of that.
const PROBE: &str = "\n\n<todo/>\n</wat_model></computed></think></thinking>";

/// The parts of a session that examples are made of.
pub(crate) struct TrainingSource {
    /// The first prompt.
    pub(crate) prompt: Option<String>,
    /// The conversation; empty where none is stored.
    pub(crate) entries: Vec<Entry>,
    /// The list at each revision, with the revision's time.
    pub(crate) lists: VecDeque<(Timestamp, Vec<Item>)>,
    /// Messages that this build cannot read.
    pub(crate) unread: usize,
}

/// Examples as JSON Lines, and what they lack, as sentences about their session.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    pub(crate) lines: String,
    pub(crate) left_out: Vec<Text>,
}

/// A prompt and the parts of the response to it.
struct Example {
    prompt: Option<String>,
    parts: Vec<Part>,
}

/// A part of a response.
enum Part {
    Prose(String),
    List(String),
}

impl Example {
    /// Leaves out texts that would be read as a list only together, or hide one; returns their number.
    fn settle(&mut self) -> usize {
        let count = self.parts.len();
        if !reads(&self.parts) {
            self.parts.retain(Part::is_list);
        }
        count - self.parts.len()
    }
}

impl Part {
    fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    fn text(&self) -> &str {
        match self {
            Self::Prose(prose) => prose.trim(),
            Self::List(block) => block,
        }
    }
}

/// The text of a response.
fn joined(parts: &[Part]) -> String {
    parts.iter().map(Part::text).collect::<Vec<_>>().join("\n\n")
}

impl TrainingSource {
    pub(crate) fn examples(mut self) -> Examples {
        let entries = std::mem::take(&mut self.entries);
        let is_said = |entry: &Entry| matches!(entry.kind, EntryKind::User { .. });
        // Where a conversation is stored, its first message is the prompt.
        let prompt = self.prompt.take().filter(|_| !entries.iter().any(is_said));
        let mut writer =
            Writer { lists: self.lists, newest: None, examples: vec![Example { prompt, parts: Vec::new() }] };
        let mut lost = Lost { unread: self.unread, ..Lost::default() };
        for entry in entries {
            // A list of that very moment belongs to the prompt, and else to what came before the entry.
            let is_prompt = is_said(&entry);
            writer.lists_until(|at| if is_prompt { at < entry.at } else { at <= entry.at && !entry.is_answer() });
            match entry.kind {
                EntryKind::User { content } => {
                    writer.examples.push(Example { prompt: Some(content), parts: Vec::new() });
                }
                EntryKind::Assistant { text, source, reasoning, .. } => {
                    lost.reasoning += usize::from(!reasoning.is_empty());
                    lost.prose += usize::from(!writer.answer(entry.at, &source.unwrap_or(text)));
                }
                EntryKind::Tool { tool_name, .. } => lost.calls += usize::from(!tool_name.starts_with(TODO_TOOLS)),
                EntryKind::Ask { .. } | EntryKind::Reminder { .. } => {}
                EntryKind::Notice { .. } | EntryKind::End { .. } => {}
            }
        }
        writer.lists_until(|_| true);
        lost.prose += writer.examples.iter_mut().map(Example::settle).sum::<usize>();
        let said = |example: &&Example| !example.parts.is_empty();
        let line = |example: &Example| {
            format!("{}\n", json!({ "prompt": example.prompt, "response": joined(&example.parts) }))
        };
        let lines: String = writer.examples.iter().filter(said).map(line).collect();
        lost.prompts = writer.examples.iter().filter(|example| example.prompt.is_some() && !said(example)).count();
        Examples { left_out: lost.sentences(lines.is_empty()), lines }
    }
}

/// Parts of a session that its examples lack.
#[derive(Default)]
struct Lost {
    prompts: usize,
    prose: usize,
    calls: usize,
    reasoning: usize,
    unread: usize,
}

impl Lost {
    fn sentences(&self, is_empty: bool) -> Vec<Text> {
        if is_empty {
            return vec![say::lacks_all()];
        }
        let some = |count: usize, text: Text, one: &str, more: &str| match count {
            0 => None,
            1 => Some(text.in_english(format!("1 {one}"))),
            count => Some(text.in_english(format!("{count} {more}"))),
        };
        let Self { prompts, prose, calls, reasoning, unread } = *self;
        let sentences = [
            some(prompts, say::lacks_prompts(prompts), "prompt without an answer", "prompts without an answer"),
            some(
                prose,
                say::lacks_prose(prose),
                "text that would hide a list, or be read as one",
                "texts that would hide a list, or be read as one",
            ),
            some(calls, say::lacks_calls(calls), "tool call with its result", "tool calls with their results"),
            some(reasoning, say::lacks_reasoning(reasoning), "text of reasoning", "texts of reasoning"),
            some(
                unread,
                say::lacks_messages(unread),
                "message that this version cannot read",
                "messages that this version cannot read",
            ),
        ];
        sentences.into_iter().flatten().collect()
    }
}

struct Writer {
    /// The lists that are not written yet.
    lists: VecDeque<(Timestamp, Vec<Item>)>,
    /// The newest block.
    newest: Option<String>,
    examples: Vec<Example>,
}

impl Writer {
    /// Writes the lists of that time.
    fn lists_until(&mut self, is_then: impl Fn(Timestamp) -> bool) {
        while let Some((_, items)) = self.lists.pop_front_if(|(at, _)| is_then(*at)) {
            if let Some(block) = self.block(&items)
                && let Some(example) = self.examples.last_mut()
            {
                example.parts.push(Part::List(block));
            }
        }
    }

    /// A list as a block; none for one that looks as the one before it, and for an empty one before all others.
    fn block(&mut self, items: &[Item]) -> Option<String> {
        let block = write_tokens(items);
        let is_news = self.newest.as_ref().map_or(!items.is_empty(), |newest| *newest != block);
        is_news.then(|| self.newest.insert(block).clone())
    }

    /// Writes an answer that was complete at this time, with the lists of its blocks in their places. False if its prose
    /// has to be left out.
    fn answer(&mut self, at: Timestamp, text: &str) -> bool {
        let mut tokens = Tokens::new();
        let mut found = Vec::new();
        tokens.push(text, &mut found);
        tokens.finish(&mut found);
        let mut parts = Vec::new();
        for token in found {
            match token {
                Token::Prose(prose) => match parts.last_mut() {
                    Some(Part::Prose(before)) => before.push_str(&prose),
                    _ => parts.push(Part::Prose(prose)),
                },
                Token::Block { drafts, .. } => self.lists_of(&drafts, at, &mut parts),
                Token::Broken { .. } => parts.push(Part::Prose(String::new())),
                Token::Element(_) => {}
            }
        }
        parts.retain(|part| !part.text().is_empty());
        let is_read = reads(&parts);
        if let Some(example) = self.examples.last_mut() {
            example.parts.extend(parts.into_iter().filter(|part| is_read || part.is_list()));
        }
        is_read
    }

    /// Writes the list that a block has made, and those before it. A block that changed nothing has none.
    fn lists_of(&mut self, drafts: &[Draft], at: Timestamp, parts: &mut Vec<Part>) {
        let is_its = |items: &[Item]| {
            drafts.is_empty() == items.is_empty()
                && drafts.iter().all(|draft| items.iter().any(|item| item.content.trim() == draft.content.trim()))
        };
        let made = self.lists.iter().take_while(|(made, _)| *made <= at).position(|(_, items)| is_its(items));
        // Texts on both sides of it stay apart in any case.
        parts.push(Part::Prose(String::new()));
        for (_, items) in self.lists.drain(..made.map_or(0, |made| made + 1)).collect::<Vec<_>>() {
            parts.extend(self.block(&items).map(Part::List));
        }
    }
}

/// True if the parts are read as the lists in them, whether the response ends with them or goes on: a text may hide the
/// next list, or be read as one at its end.
fn reads(parts: &[Part]) -> bool {
    let lists = parts.iter().filter(|part| part.is_list());
    let expected: Vec<_> = lists.map(|part| lists_in(part.text()).pop().unwrap_or_default()).collect();
    let response = joined(parts);
    let goes_on = lists_in(&(response.clone() + PROBE));
    lists_in(&response) == expected && goes_on.into_iter().eq(expected.into_iter().chain([Vec::new()]))
}

/// The lists that `sightline ingest` finds in a text.
fn lists_in(text: &str) -> Vec<Vec<Draft>> {
    let mut elements = Tokens::elements(TAGS);
    let mut found = Vec::new();
    elements.push(text, &mut found);
    elements.finish(&mut found);
    let mut tokens = Tokens::new();
    let mut read = Vec::new();
    for token in found {
        match token {
            Token::Prose(prose) => tokens.push(&prose, &mut read),
            Token::Element(Element { closed: true, name: "wat_model", .. }) => tokens.push("0", &mut read),
            Token::Element(Element { closed: true, .. }) | Token::Block { .. } | Token::Broken { .. } => {}
            Token::Element(element) => tokens.push(&element.content, &mut read),
        }
    }
    tokens.finish(&mut read);
    let block = |token| match token {
        Token::Block { drafts, .. } => Some(drafts),
        _ => None,
    };
    read.into_iter().filter_map(block).collect()
}

#[cfg(test)]
mod tests;
