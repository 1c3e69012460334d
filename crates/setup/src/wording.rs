//! The errors as texts for people.

use crate::error::Error as E;
use texts::{Text, all as say};

impl E {
    /// The text of an error, with those within it.
    #[must_use]
    pub fn text(&self) -> Text {
        let text = match self {
            Self::Read { path, source } => say::setup_read(path.display(), source),
            Self::NoFile { path, what } => say::setup_no_file(path.display(), what).with("kind", what),
            Self::NotSetUp { path, agent } => say::setup_not_set_up(path.display(), agent),
            Self::NoAnswers { agent } => say::setup_no_answers(agent),
            Self::NoAgents { path, editor } => say::setup_no_agents(path.display(), editor),
            Self::Outside { path, real } => say::setup_outside(path.display(), real.display()),
            Self::TooLarge { path, bytes, limit } => say::setup_too_large(path.display(), bytes, limit),
            Self::NoText { path, at } => say::setup_no_text(path.display(), at),
            Self::Syntax { path, line, column, message } => say::setup_syntax(path.display(), line, column, message),
            Self::Shape { path, what } => say::setup_shape(path.display(), what).with("problem", what),
            Self::Foreign { path, runs } => say::setup_foreign(path.display(), runs),
            Self::ReadOnly { path } => say::setup_read_only(path.display()),
            Self::Changed { path } => say::setup_changed(path.display()),
            Self::Write { path, source } => say::setup_write(path.display(), source),
            Self::Restore { path, source, backup, cause } => {
                let text = say::setup_restore(path.display(), source, backup).with("backup", backup);
                // An agent's own command may be what failed.
                let ours = source.get_ref().and_then(|problem| problem.downcast_ref::<Text>());
                besides(cause, &ours.map_or(text.clone(), |ours| text.with("problem", ours)))
            }
            Self::Newer { path, backup, cause } => {
                besides(cause, &say::setup_newer(path.display(), backup).with("backup", backup))
            }
            Self::Command { command, why } => say::setup_command(command, why).with("problem", why),
            Self::Path { path } => say::setup_path(path.display()),
            Self::Unknown { agent } => say::setup_unknown(agent),
            Self::NoSwitch { agent } => say::setup_no_switch(agent),
        };
        text.in_english(self.to_string())
    }
}

/// A failure, and another that followed it.
fn besides(cause: &E, more: &Text) -> Text {
    let problem = cause.text();
    say::and_besides(&problem, more).with("problem", &problem).with("more", more)
}
