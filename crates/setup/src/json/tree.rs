//! The positions of things in a JSON text: values, members, commas and comments, by their bytes.

use crate::text::Fault;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ast, parse_to_ast};
use serde_json::Value;
use std::ops::Range;

/// A value, and what is in it.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) place: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Object(Vec<(String, Entry)>),
    List(Vec<Entry>),
    Plain,
}

/// A member of an object or a value of a list; `place` is all of it, with its name.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) place: Range<usize>,
    pub(super) node: Node,
}

/// Something between values that is no white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Comma,
    /// To the end of its line, so a line has to end after it.
    Line,
    Block,
}

/// A parsed text.
pub(super) struct Tree {
    pub(super) root: Option<Node>,
    pub(super) value: Value,
    marks: Vec<(Range<usize>, Mark)>,
}

impl Tree {
    /// Parses a text.
    ///
    /// # Errors
    /// A syntax error. What JSON5 adds is one, too: none of the agents reads it.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &options).map_err(|error| Fault::Syntax {
            line: error.line_display(),
            column: error.column_display(),
            message: error.kind().to_string(),
        })?;
        let marks = parsed.tokens.unwrap_or_default().into_iter().filter_map(|token| {
            let mark = match token.token {
                Token::Comma => Mark::Comma,
                Token::CommentLine(_) => Mark::Line,
                Token::CommentBlock(_) => Mark::Block,
                _ => return None,
            };
            Some((token.range.start..token.range.end, mark))
        });
        let marks = marks.collect();
        let root = parsed.value.as_ref().map(node);
        let value = parsed.value.map_or(Value::Null, Value::from);
        Ok(Self { root, value, marks })
    }

    /// The commas and comments within a stretch.
    pub(super) fn marks(&self, within: Range<usize>) -> impl DoubleEndedIterator<Item = &(Range<usize>, Mark)> {
        let inside = move |(place, _): &&(Range<usize>, Mark)| within.start <= place.start && place.end <= within.end;
        self.marks.iter().filter(inside)
    }

    pub(super) fn comma(&self, within: Range<usize>) -> Option<Range<usize>> {
        self.marks(within).find(|(_, mark)| *mark == Mark::Comma).map(|(place, _)| place.clone())
    }

    /// The value at the end of these names (in a list: numbers from 0). Of several members of one name the last
    /// counts, as for the agents.
    pub(super) fn find(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self.root.as_ref()?, |node, step| match &node.kind {
            Kind::List(entries) => step.parse::<usize>().ok().and_then(|at| entries.get(at)).map(|entry| &entry.node),
            Kind::Object(_) | Kind::Plain => node.member(step).map(|entry| &entry.node),
        })
    }
}

impl Node {
    pub(super) fn member(&self, name: &str) -> Option<&Entry> {
        match &self.kind {
            Kind::Object(members) => members.iter().rev().find(|(own, _)| own == name).map(|(_, entry)| entry),
            Kind::List(_) | Kind::Plain => None,
        }
    }

    /// The number of members with a name.
    pub(super) fn count(&self, name: &str) -> usize {
        match &self.kind {
            Kind::Object(members) => members.iter().filter(|(own, _)| own == name).count(),
            Kind::List(_) | Kind::Plain => 0,
        }
    }

    /// The places of its entries, in their order.
    pub(super) fn entries(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|(_, entry)| entry.place.clone()).collect(),
            Kind::List(entries) => entries.iter().map(|entry| entry.place.clone()).collect(),
            Kind::Plain => Vec::new(),
        }
    }

    /// Between its braces or brackets.
    pub(super) fn inside(&self) -> Range<usize> {
        self.place.start + 1..self.place.end - 1
    }
}

/// The value of a text; `null` for an empty one.
///
/// # Errors
/// A syntax error.
pub(crate) fn value(text: &str) -> Result<Value, Fault> {
    // Most files have no comments, and the strict parser is many times faster.
    serde_json::from_str(text).or_else(|_| Ok(Tree::parse(text)?.value))
}

fn node(value: &ast::Value<'_>) -> Node {
    let kind = match value {
        ast::Value::Object(object) => {
            let member = |property: &ast::ObjectProp<'_>| {
                (property.name.as_str().to_owned(), Entry { place: place(property), node: node(&property.value) })
            };
            Kind::Object(object.properties.iter().map(member).collect())
        }
        ast::Value::Array(list) => {
            Kind::List(list.elements.iter().map(|value| Entry { place: place(value), node: node(value) }).collect())
        }
        _ => Kind::Plain,
    };
    Node { place: place(value), kind }
}

fn place(ranged: &impl Ranged) -> Range<usize> {
    let range = ranged.range();
    range.start..range.end
}
