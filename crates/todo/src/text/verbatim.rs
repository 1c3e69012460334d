//! Parts of prose in which a block is no block: code fences, inline code and what a model thinks (requirement K8).

use std::mem::take;

/// Characters on one line among which the end of inline code is looked for.
const SPAN_CHARS: usize = 2048;

/// Marks that a fence begins with, at least.
const FENCE_MARKS: usize = 3;

/// Spaces before a fence, at most.
const FENCE_INDENT: usize = 3;

/// A character with the bytes that it took in the stream.
pub(super) type Char = (char, usize);

/// Place on its line of the next character of prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// After spaces, no more than may stand before a fence.
    Start(usize),
    /// After tildes that began there.
    Tildes(usize),
    Within,
}

impl Default for Line {
    fn default() -> Self {
        Self::Start(0)
    }
}

impl Line {
    pub(super) fn after(self, c: char) -> Self {
        match (self, c) {
            (_, '\n') => Self::Start(0),
            (Self::Start(spaces), ' ') if spaces < FENCE_INDENT => Self::Start(spaces + 1),
            (Self::Start(_), '~') => Self::Tildes(1),
            (Self::Tildes(marks), '~') => Self::Tildes(marks + 1),
            _ => Self::Within,
        }
    }

    /// The fence that the tildes before a character have opened.
    pub(super) fn fence(self, c: char) -> Option<Fence> {
        match self {
            Self::Tildes(marks) if marks >= FENCE_MARKS && c != '~' => Some(Fence::opened('~', marks)),
            _ => None,
        }
    }
}

/// A code fence that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    mark: char,
    marks: usize,
    line: Closing,
}

/// A line in a fence that may be the end of the fence.
#[derive(Debug, Clone, Copy)]
enum Closing {
    Indent(usize),
    Marks(usize),
    Blank,
    No,
}

impl Fence {
    /// On the line that opens it.
    fn opened(mark: char, marks: usize) -> Self {
        Self { mark, marks, line: Closing::No }
    }

    /// The fence that a line opens.
    pub(super) fn of(line: &str) -> Option<Self> {
        let bare = line.trim_start_matches(' ');
        let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = bare.trim_start_matches(mark);
        let marks = bare.len() - info.len();
        let opens = marks >= FENCE_MARKS && line.len() - bare.len() <= FENCE_INDENT;
        let mut fence = Self::opened(mark, marks);
        fence.step('\n');
        (opens && !(mark == '`' && info.contains('`'))).then_some(fence)
    }

    /// Takes the next character; says whether the fence ends with it.
    pub(super) fn step(&mut self, c: char) -> bool {
        let closes = match self.line {
            Closing::Marks(marks) => marks >= self.marks,
            Closing::Blank => true,
            Closing::Indent(_) | Closing::No => false,
        };
        self.line = match (self.line, c) {
            (_, '\n') => Closing::Indent(0),
            (Closing::Indent(spaces), ' ') if spaces < FENCE_INDENT => Closing::Indent(spaces + 1),
            (Closing::Indent(_), c) if c == self.mark => Closing::Marks(1),
            (Closing::Marks(marks), c) if c == self.mark => Closing::Marks(marks + 1),
            (_, ' ' | '\t' | '\r') if closes => Closing::Blank,
            _ => Closing::No,
        };
        closes && c == '\n'
    }
}

/// Backticks and what follows them, which may be inline code, the line that opens a fence, or nothing of both.
#[derive(Debug, Clone, Default)]
pub(super) struct Code {
    chars: Vec<Char>,
    /// The number of backticks at the beginning, and right before the next character.
    opening: usize,
    run: usize,
    opened: bool,
    /// They stand where a fence may begin.
    fence: bool,
}

/// Backticks, as far as it is known what they begin.
pub(super) enum Ticks {
    /// Not certain yet.
    Perhaps(Code),
    /// Inline code, which ended before the newest character.
    Span(Vec<Char>),
    /// The line that opens a fence.
    Fence(Vec<Char>, Fence),
    /// Backticks, and what is to be taken again.
    Literal(usize, Vec<Char>),
}

impl Code {
    /// At a first backtick.
    pub(super) fn new(tick: Char, line: Line) -> Self {
        Self { chars: vec![tick], opening: 1, fence: matches!(line, Line::Start(_)), ..Self::default() }
    }

    pub(super) fn step(mut self, c: Char) -> Ticks {
        self.chars.push(c);
        match c.0 {
            '`' if self.opened => self.run += 1,
            '`' => self.opening += 1,
            _ => {
                self.opened = true;
                if self.run == self.opening {
                    self.chars.pop();
                    return Ticks::Span(self.chars);
                }
                self.fence &= take(&mut self.run) == 0;
            }
        }
        if c.0 == '\n' || self.chars.len() >= SPAN_CHARS { self.unclosed() } else { Ticks::Perhaps(self) }
    }

    /// Bytes that are held back.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        size_of_val(self.chars.as_slice())
    }

    /// The end of the stream.
    pub(super) fn finish(self) -> Ticks {
        if self.opened && self.run == self.opening { Ticks::Span(self.chars) } else { self.unclosed() }
    }

    fn unclosed(mut self) -> Ticks {
        if self.fence && self.opening >= FENCE_MARKS && self.run == 0 {
            let mut fence = Fence::opened('`', self.opening);
            if self.chars.last().is_some_and(|(c, _)| *c == '\n') {
                fence.step('\n');
            }
            return Ticks::Fence(self.chars, fence);
        }
        Ticks::Literal(self.opening, self.chars.split_off(self.opening))
    }
}

/// The reasoning of a model, until the end tag of that name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thought {
    name: &'static str,
    /// The number of characters of the end tag right before the next one.
    met: usize,
}

impl Thought {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, met: 0 }
    }

    /// Takes the next character; says whether the thought ends with it.
    pub(super) fn step(&mut self, c: char) -> bool {
        let expected = match self.met {
            0 => Some('<'),
            1 => Some('/'),
            met => self.name.chars().nth(met - 2),
        };
        match expected {
            Some(expected) if c.eq_ignore_ascii_case(&expected) => self.met += 1,
            None if c == '>' => return true,
            None if c.is_ascii_whitespace() => {}
            _ => self.met = usize::from(c == '<'),
        }
        false
    }
}
