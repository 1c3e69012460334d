//! Errors of `setup`, for people.

use protocol::{Text, say};
use setup::Error as E;

/// The text of an error; where two things failed, English says both.
pub fn of_setup(error: &E) -> Text {
    let text = match error {
        E::Read { path, source } => say::setup_read(path.display(), source),
        E::NoFile { path, what } => say::setup_no_file(path.display(), what),
        E::NotSetUp { path, agent } => say::setup_not_set_up(path.display(), agent),
        E::NoAnswers { agent } => say::setup_no_answers(agent),
        E::NoAgents { path, editor } => say::setup_no_agents(path.display(), editor),
        E::Outside { path, real } => say::setup_outside(path.display(), real.display()),
        E::TooLarge { path, bytes, limit } => say::setup_too_large(path.display(), bytes, limit),
        E::NoText { path, at } => say::setup_no_text(path.display(), at),
        E::Syntax { path, line, column, message } => say::setup_syntax(path.display(), line, column, message),
        E::Shape { path, what } => say::setup_shape(path.display(), what),
        E::Foreign { path, runs } => say::setup_foreign(path.display(), runs),
        E::ReadOnly { path } => say::setup_read_only(path.display()),
        E::Changed { path } => say::setup_changed(path.display()),
        E::Write { path, source } => say::setup_write(path.display(), source),
        E::Restore { path, source, backup, .. } => say::setup_restore(path.display(), source, backup),
        E::Newer { path, backup, .. } => say::setup_newer(path.display(), backup),
        E::Command { command, why } => say::setup_command(command, why),
        E::Path { path } => say::setup_path(path.display()),
        E::Unknown { agent } => say::setup_unknown(agent),
        E::NoSwitch { agent } => say::setup_no_switch(agent),
    };
    text.in_english(error.to_string())
}
