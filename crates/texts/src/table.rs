//! The one table of texts that cross a wire: a line for each, with its parameters and its English sentence.

/// A line of the table.
#[cfg(test)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) params: &'static [&'static str],
    pub(crate) english: &'static str,
}

macro_rules! texts {
    ($($name:ident($($param:ident),*) $english:literal;)*) => {
        /// A function for each text, with its parameters.
        #[allow(clippy::needless_pass_by_value, reason = "a parameter is whatever can be shown")]
        pub mod all {
            use crate::{Text, TextRef};
            use std::collections::BTreeMap;
            use std::fmt::Display;

            $(
                #[must_use]
                pub fn $name($($param: impl Display),*) -> Text {
                    $(let $param = $param.to_string();)*
                    Text {
                        english: format!($english),
                        named: Some(TextRef {
                            name: stringify!($name).to_owned(),
                            params: BTreeMap::from([$((stringify!($param).to_owned(), $param)),*]),
                        }),
                    }
                }
            )*
        }

        #[cfg(test)]
        pub(crate) const TABLE: &[Row] = &[$(Row {
            name: stringify!($name),
            params: &[$(stringify!($param)),*],
            english: $english,
        }),*];
    };
}

texts! {
    // Words.
    status_pending() "pending";
    status_in_progress() "in progress";
    status_completed() "completed";
    status_blocked() "blocked";
    status_skipped() "skipped";
    status_cancelled() "cancelled";
    status_unknown() "unknown";
    fields_text() "text";
    fields_activeform() "text while in progress";
    fields_status() "status";
    fields_priority() "priority";
    fields_category() "category";
    fields_dependson() "dependencies";
    fields_estimate() "estimate";
    fields_description() "description";
    fields_notes() "notes";
    fields_owner() "owner";
    fields_reason() "reason";
    fields_other_fields() "other fields";
    rights_look() "look";
    rights_edit() "edit";
    rights_answer() "answer";
    rights_administer() "administer";

    // Edits that were made.
    added(position, content) "Added TODO at position {position}: \"{content}\"";
    deleted(position, content) "Deleted TODO at {position}: \"{content}\"";
    deleted_subtask(position, content) "Deleted subtask at {position}: \"{content}\"";
    deleted_with_subtasks(position, content, count) "Deleted TODO at {position}: \"{content}\" (and {count} subtask(s))";
    deleted_several(count, position) "Deleted {count} TODOs at {position}";
    cleared() "TODO list cleared";
    archived() "TODO list archived";
    loaded(count) "Loaded a TODO list of {count} item(s)";
    moved(from, to, content) "Moved TODO from {from} to {to}: \"{content}\"";
    indented(position, content) "Indented TODO at {position}: \"{content}\"";
    indented_several(count, position) "Indented {count} TODOs at {position}";
    outdented(position, content) "Outdented TODO at {position}: \"{content}\"";
    outdented_several(count, position) "Outdented {count} TODOs at {position}";
    set_status(position, status, content) "Set TODO at {position} to {status}: \"{content}\"";
    set_status_of_several(count, position, status) "Set {count} TODOs at {position} to {status}";
    changed_content(position, before, content) "Changed TODO at {position}: \"{before}\" to \"{content}\"";
    changed_fields(fields, position, content) "Changed the {fields} of TODO at {position}: \"{content}\"";
    changed_fields_of_several(fields, count, position) "Changed the {fields} of {count} TODOs at {position}";
    already_there(content) "It is in the list: \"{content}\"";
    restored(position, content) "Restored TODO at position {position}: \"{content}\"";
    note_pending(content) "Message pending, delivered on the agent's next call: \"{content}\"";
    insisted(content) "Insisted on: \"{content}\"";
    undone_add(content) "Undone: added \"{content}\"";
    undone_delete(content) "Undone: deleted \"{content}\"";
    undone_delete_of_several(count) "Undone: {count} items are back";
    undone_set(fields, content) "Undone: changed the {fields} of \"{content}\"";
    undone_set_of_several(fields, count) "Undone: changed the {fields} of {count} items";
    undone_move(content) "Undone: moved \"{content}\"";
    undone_note(content) "Undone: note \"{content}\"";
    undone_load() "Undone: loaded a TODO list";

    // Edits that are refused.
    item_too_long(path, length, limit) "{path} has {length} characters, it may have {limit}; shorten it and send it again";
    item_without_content(path, limit) "{path} is missing; it must be text of 1 to {limit} characters";
    item_empty(path, limit) "{path} is empty; it must be text of 1 to {limit} characters";
    item_too_deep(path) "{path} is too deep: a subtask has no subtasks of its own";
    note_length(length, limit) "text has {length} characters; a note has 1 to {limit}";
    too_many_items(sent, limit) "{sent} items were sent, a list may have {limit}. Nothing was changed; merge small steps and send the list again";
    list_too_large(sent, limit) "the list takes {sent} bytes, it may take {limit}. Nothing was changed; shorten the longest contents and send it again";
    list_full(items, limit) "the list would have {items} steps on one level, it may have {limit}. Nothing was changed; remove some, or archive the list, and send it again";
    too_many_edits(edits, limit) "{edits} of your edits and messages would wait for the agent, at most {limit} can. Nothing was changed; undo some, or let the agent go on first";
    circle(items) "these items wait for each other, so none could begin: {items}. Nothing was changed; take one dependency out and send it again";
    position_format(typed) "Invalid position format: {typed}. Use 1, 2, last, 1.1, or 1.last";
    positions_format(typed) "Invalid positions: {typed}. Use 1, 2, last, 1.1, 1.last, 2-4, or all";
    list_empty() "The list is empty; there is nothing to change";
    move_one() "Only one item can be moved at a time; name one position";
    move_level(from, to) "An item stays on its level: {from} cannot be moved to {to}";
    too_deep(position) "Item {position} is a subtask already, and a subtask has no subtasks of its own";
    on_top(position) "Item {position} is on the top level already";
    nothing_above(position) "Item {position} has no item above it that it could belong to";
    status_word(word) "\"{word}\" is no status; use pending, in_progress, completed, blocked, skipped or cancelled";
    priority_word() "that is no priority; use high, medium or low, or null for none";
    position_range(position, last) "Position {position} out of range (1-{last})";
    no_parent(position) "Parent position {position} does not exist";
    no_position(position) "Position {position} does not exist";
    no_subtask(position) "Subtask position {position} does not exist";
    no_item(id) "There is no item {id} in this list any more";
    text_unreadable(form, problem) "the {form} cannot be read: {problem}";
    nothing_to_undo() "There is no edit to undo here";
    cannot_undo(id) "Edit {id} cannot be undone: it is unknown, was undone already, or its item is gone";
    cannot_insist(id) "Edit {id} cannot be insisted on: it is unknown, or the agent neither overrode nor ignores it";
    nothing_to_insist() "the agent neither overrode nor ignores any of your edits";
    no_home(content) "The item that \"{content}\" belonged to is gone; bring that back first";
    changed_since() "This cannot be undone any more";
    item_removed(who, content) "{who} removed \"{content}\"; bring it back to change it";
    read_only(agent, tool) "this list is {agent}'s own ({tool}), and {agent} cannot be told of changes to it; connect its hooks with `sightline connect {agent}`, or change the list that it keeps here";

    // Typed commands.
    usage(usage) "Usage: {usage}";
    unknown_command(word, known) "Unknown subcommand: {word}. Use: {known}";
    page_unknown(page, last) "there is no page {page}; the last one is {last}";
    page_number(page) "there is no page {page}; pages are numbered from 1, as in /todo list 2";
    no_saved_list(number) "there is no saved list {number}";
    no_saved_list_in_terminal(number) "there is no saved list {number}; `sightline todo list` numbers those there are";
    no_session_named() "no session is named; /todo add 1 … begins a list, /todo list shows those there are";
    not_a_priority(word) "\"{word}\" is no priority; use high, medium, low or none";
    assign_subtask(position) "a subtask goes with its step; assign step {position}";
    assign_alone() "steps are assigned where several agents share a list, and this one has no two agents";
    assign_unknown(agent, known) "no agent of this list is called \"{agent}\"; use {known}";

    // Sessions, lists and what is kept for later.
    session_unknown(name) "there is no session \"{name}\"; session.list (or `sightline todo list`) names those there are";
    session_ambiguous(name) "more than one session begins with \"{name}\"; write more of its id";
    session_deleted(session) "session {session} was deleted while it was exported";
    session_gone() "no deleted session has this id, or it is gone for good by now";
    revision_range(oldest, newest, revision) "this session has the revisions {oldest} to {newest}, not {revision}";
    revision_deleted(revision) "the list of revision {revision} was deleted; for a day it can be brought back";
    list_unknown() "there is no such list; it may have been deleted meanwhile. archive.lists names those there are";
    list_is_empty() "this list is empty and the present one of its session; its other lists can be deleted";
    label_to_share() "only a session with a label can be opened to other agents: they say the label";
    title_line(limit) "\"title\" is one line of 1 to {limit} characters";
    tag_form(limit, reserved) "a tag is one word of 1 to {limit} characters without {reserved}";
    tags_full(limit, count) "a session may have {limit} tags, it would have {count}; remove some first";
    later_full(limit) "{limit} steps and messages wait there already; delete some, or let the agent go on";
    later_at_work() "it is at work; what is kept for later is delivered when it is idle";
    later_gone() "it was handed over or deleted meanwhile";
    folder_path() "\"folder\" is a whole path, from the root";
    export_full(limit) "one export has at most {limit} sessions; ask for the others in another one";
    import_form(form, known) "this was exported in form {form}, and this build reads {known}: update it";
    import_no_export(reason) "this is no export of Sightline's: {reason}. Export sessions as JSON";
    import_session(session, problem) "session {session} {problem}. Nothing was imported";

    // Other machines.
    host_unknown(name) "there is no host \"{name}\"; `sightline host list` names those there are";
    host_exists(name) "there is a host \"{name}\" already; choose another name, or remove that one";
    hosts_full(limit) "there are {limit} hosts; remove one first";
    host_other_command(name) "the command of \"{name}\" is another one by now; look at it again";
    host_name(limit) "a host's name has 1 to {limit} letters, digits, dots, hyphens and underscores";
    host_command(limit) "a host's command has 1 to {limit} words, such as ssh box sightline dial-stdio";
    host_word(limit) "a word of a host's command has at most {limit} characters, and no control characters";
    host_unconfirmed() "its command waits to be confirmed in Settings, in the window or on a page that may administer";
    host_gone(host) "this list lives on {host}, which is no host any more; its history stays as it is";
    host_edits_full(limit, host) "{limit} edits of this list wait for {host} already; discard some";
    host_edit_arrived() "this edit has arrived, or was discarded";
    host_other_list(host) "a list of another machine cannot be put in the place of one on {host}";
    host_only_edits(host) "this session lives on {host}, and only an edit of its list goes there";

    // Keys, rights, permissions.
    not_for_agents(request) "{request} is not for agents; it needs a person's key and /gateway";
    needs_rights(request, rights) "{request} needs the right to {rights}";
    key_exists(name, id) "there is a key \"{name}\" already ({id}); choose another name, or renew that one";
    keys_full(limit) "there are {limit} keys; revoke some that nobody uses (`sightline key list`)";
    keys_waiting(limit) "{limit} keys wait to be confirmed; decide about them in Settings first";
    key_unknown(name) "there is no key \"{name}\"; `sightline key list` names those there are";
    key_beyond(name, rights) "\"{name}\" may {rights}, which is more than you may here; do it in the window or on a page that may administer";
    key_of_page() "a page has no secret to renew; revoke it and pair it anew with `sightline open`";
    key_not_waiting(name) "\"{name}\" waits for nothing any more";
    key_name_length(limit) "a key's name has 1 to {limit} characters";
    key_name_unseen(character) "a key's name has no invisible characters; this one has {character}";
    code_used() "this code was used; `sightline open` makes another";
    permission_gone() "nobody waits for this answer any more: it was given elsewhere, or its time is up";
    permission_length(limit) "a message or an answer has at most {limit} characters";
    permission_no_question() "there is no question to answer";
    permission_each_question() "choose an answer to each question";
    rules_full(limit) "there are {limit} rules; delete some that you do not need";
    rule_gone() "there is no such rule any more";
    rule_form() "a rule is for a tool, for arguments, or for a command by its first words, at most 100";

    // Settings.
    setting_time(setting) "\"{setting}\" is not a time of day: write it as 22:00, or leave it empty";
    setting_quiet() "quiet hours need both \"quietFrom\" and \"quietTo\", or neither";
    setting_range(setting, least, most) "\"{setting}\" must be {least} to {most}";
    setting_line(setting, limit) "\"{setting}\" must be one line of at most {limit} characters";
    setting_command(setting) "\"{setting}\" must be a command whose quotes are closed, or empty";
    setting_keep_days(limit) "\"keepDays\" and \"keepProjects\" take 0, for ever, to {limit} days";
    setting_at_most(setting, limit) "\"{setting}\" takes at most {limit}";
    setting_megabytes(least) "\"keepMegabytes\" must be 0, without a bound, or at least {least}";
    setting_name(setting) "a name in \"{setting}\" has 1 to 32 letters, digits and hyphens, and begins with a letter";
    setting_name_twice(setting, name) "\"{setting}\" has the name {name} twice";
    setting_server(name) "the server {name} needs a \"command\" or a \"url\", and not both";
    setting_confined(name) "the server {name} has no \"command\" that could be \"confined\"";
    setting_address(address) "an address begins with http:// or https://, unlike \"{address}\"";
    setting_chat_line(limit) "texts of the built-in agent's settings are one line of at most {limit} characters";
    setting_model() "\"chatModel\" is written provider:model, such as ollama:llama3.2, or empty";

    // The gateway and its database.
    no_computer() "nobody answers for this machine here; start the window, or `sightline serve`";
    no_gateway(folder) "no gateway runs on {folder}; start the window, or `sightline serve`";
    no_data_folder() "this machine does not say where data belongs; name a folder with --data-dir";
    data_folder_made(folder, problem) "the data folder {folder} cannot be made; choose another with --data-dir: {problem}";
    data_folder_of_other(folder, user) "{folder} belongs to another user (number {user}), who could read and change what is in it; choose another folder with --data-dir";
    data_folder_shared(folder) "{folder} is shared by all users; name a folder inside of it with --data-dir";
    data_folder_open(folder) "{folder} can be entered by other users, and that cannot be changed; choose another folder with --data-dir";
    data_file_of_other(path) "{path} belongs to another user; remove it, or choose another folder with --data-dir";
    data_folder_held(folder) "another process has the data folder {folder} and serves no gateway; end it, or choose another folder with --data-dir";
    port_taken(port, problem) "port {port} cannot be taken ({problem}); choose another with --port, or 0 for any free one";
    ports_taken(problem) "none of the usual ports is free ({problem}); end what uses them, or choose one with --port";
    gateway_not_up(folder) "no gateway came up on {folder}; see the logs in that folder, or start one with `sightline serve`";
    address_without_key(address) "{address} has no key; make one there by `sightline key new NAME --rights edit`, and append it as #token=KEY";
    address_form(address) "{address} is not an address of a gateway; it looks like http://127.0.0.1:3271/#token=KEY";
    demo_in_use(folder) "{folder} is in use; a demo wants a folder of its own: name none (neither with --data-dir nor in SIGHTLINE_DATA_DIR), or one that is empty";
    demo_folder(folder) "{folder} is the folder of a demo; start it with --demo, or choose another folder with --data-dir";
    socket_nowhere(folder, problem) "no place for the private socket: neither {folder} ({problem}) nor a folder for temporary files; set TMPDIR to a folder of yours with a short name";
    database_damaged() "a part of the database cannot be read: it is damaged. Start Sightline anew: what can be read is then taken over into a new one";
    database_failed(problem) "nothing was changed: {problem}";

    // Folders, files, terminals and programs.
    not_opened(path, problem) "{path} cannot be opened: {problem}";
    file_not_opened() "the file is not opened";
    folder_not_said() "this agent has not said where it works, so there is no folder to open";
    folder_missing(folder) "{folder} is not there (any more) on the gateway's machine";
    folder_unknown(folder) "there is no folder {folder}; write its whole path";
    folder_silent(folder, problem) "{folder} cannot be looked at: {problem}. Try again when it does";
    folder_in_command() "the folder's name cannot be written in a command";
    command_quotes(line) "the command `{line}` cannot be read: a quote is not closed; mend it in the settings";
    command_folder(folder, line) "{folder} must be a word of its own in `{line}`, or follow a =; mend it in the settings";
    command_failed(command, problem) "`{command}` cannot be started: {problem}; name another command in the settings";
    no_terminal() "no terminal was found on the gateway's machine; name a command for it in the settings";
    no_editor() "no editor was found on the gateway's machine; name a command for it in the settings";
    no_git() "git is not on the search path of the gateway's machine";
    resume_unknown(agent) "how {agent} goes on with a run is not known here; start it in its folder";
    resume_without_id(agent, name) "{agent} has not said its own id for this run; connect its hooks with `sightline connect {name}`";
    resume_odd(agent) "the run's id or folder, as {agent} says it, cannot be put into a command";
    start_unknown(agent) "how {agent} is started with a task is not known here; start it in its folder";
    continue_unknown(agent) "how {agent} goes on with a prompt is not known here; start it in its folder";
    continue_nowhere() "this agent has not said where it works, so it cannot go on there";
    task_length(limit) "\"task\" has 1 to {limit} characters";
    raise_unsaid(agent) "{agent} has not said where it runs since Sightline started; its hooks say it with its next step";
    raise_pane(pane) "tmux pane {pane} is not the agent's any more";
    raise_unattached(session) "no terminal shows the tmux session \"{session}\"; attach to it with `tmux attach`";
    raise_tmux(socket, problem) "the tmux server at {socket} is gone: {problem}";
    raise_other_tmux(socket) "what answers at {socket} is not your tmux";
    raise_kitty() "kitty's remote control is off, so its tab was not chosen; set `allow_remote_control socket-only` and `listen_on unix:@kitty` in kitty.conf";
    raise_wayland() "Wayland lets no program bring the window of another to the front";
    raise_display() "the agent's terminal is on no display of this machine";
    raise_silent() "the X server did not answer in time";
    raise_program(program) "the program `{program}` was not found on the gateway's machine";
    raise_failed(program, problem) "`{program}` could not raise it: {problem}";
    raise_system(program, system) "windows of {program} cannot be brought to the front on {system} yet";

    // Agents and their configuration.
    agent_unknown(name, known) "there is no agent \"{name}\" here; there are {known}";
    agent_missing(agent) "{agent} is not on the search path of the gateway's machine";
    agent_no_call(agent) "{agent} is not on the search path, so it cannot make a real call";
    transcripts_unknown(name, known) "nothing is known of transcripts of \"{name}\"; there are {known}";
    test_started(command) "started {command}";
    test_answered(time) "answered after {time}";
    test_offers(tools) "offers {tools}";
    test_arrived(time) "a first list arrived after {time}";
    test_asked(agent) "asked {agent} to send a list itself";
    test_called(agent, seconds) "{agent} itself sent a list after {seconds} s";
    test_not_started(program, problem) "{program} cannot be started: {problem}";
    test_no_server(problem) "it does not answer as an MCP server: {problem}";
    test_no_tools(problem) "it does not list its tools: {problem}";
    test_no_todo_write(tools) "it has no todo_write, but {tools}";
    test_not_arrived(problem) "a list that it was sent did not arrive: {problem}";
    test_not_called(agent, problem, said) "{agent} itself sent no list: {problem}. It said: {said}";
    test_no_room(problem) "there is no room for a test: {problem}";
    test_not_headless(agent) "{agent} cannot be run headless here";
    test_cancelled() "it was cancelled";
    mend_moved(name) "Is Sightline where it was? `sightline connect {name}` registers it as it is now.";
    mend_by_hand(folder) "Run it by hand to see why, and look into {folder}.";
    mend_other(name) "Another program is registered in our place; `sightline connect {name}`.";
    mend_gateway(folder) "Does a gateway run on {folder}? `sightline serve` says what is wrong.";
    mend_agent(agent) "Does {agent} work by itself? Start it by hand and ask it for a list with the sightline tools.";
    plan_gone() "this plan is gone: it was carried out, or another was made since; look at what would change again";
    plan_interrupted(folder, problem) "{folder}: {problem}. Look at what would change once more: some of it may be written";
    plan_wait(seconds) "an agent waits for {seconds} seconds at most: \"answers\"";
    setup_read(path, problem) "{path} cannot be read: {problem}";
    setup_no_file(path, kind) "{path} is {kind}. Move it away and try again";
    setup_not_set_up(path, agent) "there is no {path} yet, and {agent} needs more in it than our server. Set {agent} up first, then connect it";
    setup_no_answers(agent) "{agent} lets nobody else answer its permission prompts. Connect it without --answers";
    setup_no_agents(path, editor) "{path} has no agent that {editor} starts by a command. Add one there (its `command` and `args`), then connect {editor}";
    setup_outside(path, end) "{path} leads out of the project, to {end}; nothing was written there. Put a file of its own in its place, or connect without --project";
    setup_too_large(path, bytes, limit) "{path} takes {bytes} bytes, more than a configuration may have ({limit}); it is left alone";
    setup_no_text(path, byte) "{path} is no UTF-8 text (byte {byte} is not). Save it as UTF-8 and try again";
    setup_syntax(path, line, column, problem) "{path} has a mistake in line {line}, column {column}: {problem}. Mend it there and try again";
    setup_shape(path, problem) "{path} cannot be edited: {problem}. Change it by hand and try again";
    setup_foreign(path, runs) "{path} has a server named \"sightline\" that is not ours (it runs {runs}). Rename it, or replace it explicitly";
    setup_read_only(path) "{path} is read-only. Make it writable, or change it where it comes from, and try again";
    setup_changed(path) "{path} was changed meanwhile; nothing was written. Look at the difference again";
    setup_write(path, problem) "{path} cannot be written: {problem}. Nothing was changed";
    setup_restore(path, problem, backup) "{path} could not be put back as it was: {problem}. The text from before is in {backup}";
    setup_newer(path, backup) "{path} was changed by somebody else meanwhile and stays as it is now. The text from before is in {backup}";
    setup_command(command, problem) "`{command}` failed: {problem}. Nothing was changed; run it by hand to see more";
    setup_path(path) "{path} cannot stand in a configuration: it has to be an absolute path and UTF-8 text";
    setup_unknown(agent) "the configuration of {agent} is not known here";
    demo_already() "this is a demo already";
    demo_not_started(problem) "the demo cannot be started: {problem}";
    setup_no_switch(agent) "{agent} has no setting for its own list; it decides by version and model";

    // The built-in agent.
    chat_task_length(limit, length) "\"content\" is the task, 1 to {limit} characters; it has {length}";
    chat_other_agent(agent) "this session is {agent}'s, not the built-in agent's; leave \"sessionId\" out";
    chat_at_work() "the built-in agent is at work in this session; stop it, or wait for its end";
    chat_deleted() "the session has just been deleted";
    chat_imported() "this conversation was imported, and the model would read all of it; send \"allowImported\": true if it may, or begin a new session";
    chat_at_rest() "the session has just come to rest; send this again";
    chat_no_model() "no model is chosen; choose one, such as ollama:llama3.2, or set one in the settings";
    chat_no_approval() "no tool call waits for this approval (any more)";
    chat_no_plan() "no plan waits for this approval (any more)";
    chat_fault() "Something went wrong inside Sightline; its log says more. Resume to try it again.";
    run_continued() "The agent ended its turn with items open, and was told so as often as it may be.";
    run_blocked() "What is open cannot be started: it is blocked, waits for that, or the user took it back.";
    run_emptied() "The list is empty.";
    run_interrupted() "Sightline ended in the middle of it.";
    run_aborted() "The run was stopped.";
    run_refused() "The plan was refused.";
    run_unanswered() "Nobody answered the request for approval.";
    run_unanswered_resume() "Nobody answered the request for approval; resume to be asked again.";
    run_unplanned() "Planning failed. Could not generate next steps.";
    run_step_limit(limit) "Task did not complete within the maximum of {limit} steps.";
    doing_call(tool) "Calling {tool}";
    doing_classify() "Reading the task";
    doing_plan() "Planning";
    doing_answer() "Answering";
    doing_work() "Working";
    doing_go_on() "Going on";
    doing_heed() "Reading what you said";
    doing_verify() "Checking an item";
    doing_validate() "Checking the whole";
    notice_continued(nth, of, item) "Continued, {nth} of {of}: the turn ended without a tool call while \"{item}\" is open.";
    notice_unclassified() "Whether the task is complex could not be read; it is answered without a plan.";
    notice_unvalidated() "All items are done; whether the task is complete could not be read.";
    notice_too_long(steps) "The plan has {steps} steps; a shorter one is asked for.";
    notice_postponed(steps) "The plan is too long; its last {steps} steps are planned when the others are done.";
    notice_replanned(reason) "The task is not complete yet: {reason}";
    notice_dropped(item) "The user changed \"{item}\"; the work on it has stopped.";
    notice_no_tools(model) "{model} has no tool calls; it keeps its list in its answers.";
    notice_left_out(problem) "A todo block in the answer is left out: {problem}";
    notice_more_left_out(count) "{count} more todo blocks in the answer are left out.";
    notice_not_kept(problem) "What is said here is not kept yet, and it is tried again: {problem}";
    notice_no_answer() "The model has answered nothing.";
    notice_too_many_calls(count, limit) "The model calls {count} tools at once; all after the first {limit} are left out.";
    notice_once_more(problem, wait, nth, of) "{problem} It is asked for once more in {wait} s, {nth} of {of}.";
    notice_again(problem, wait, nth, of) "{problem} Trying again in {wait} s, {nth} of {of}.";
    provider_moved(provider, origin) "the address of {provider} is {origin} by now; the key is not kept";
    provider_unknown(known) "there is no provider of that name; there are {known}";
    key_not_kept(problem) "the key is not kept: {problem}";
    model_no_key(provider) "There is no key for {provider}. Add a key in Settings.";
    model_no_key_in(provider, variable) "There is no key for {provider}. Set {variable}, or add a key in Settings.";
    model_wants_key(provider, status, problem) "{provider} wants a key ({status}){problem}.";
    model_refuses_key(provider, status, problem) "{provider} refuses the key ({status}){problem}. Check it, and what it may do; another one can be added in Settings.";
    model_no_models(provider, place, problem) "{provider} has no list of models at {place} (404){problem}. Check the endpoint.";
    model_unknown(provider, model, place, problem) "{provider} has no model \"{model}\" at {place} (404){problem}. Choose another model, or check the endpoint.";
    model_limited(provider, problem) "{provider} takes no more requests (429){problem}.";
    model_refuses(provider, status, problem) "{provider} refuses the request ({status}){problem}.";
    model_failed(provider, status, problem) "{provider} has failed ({status}){problem}. Try again later.";
    model_moved(provider, status) "{provider} has moved ({status}), and a key is not sent elsewhere by itself. Set its new endpoint in Settings.";
    model_reports(provider, problem) "{provider} reports an error: {problem}";
    model_silent(provider) "{provider} has not answered for too long. Try again, or choose another model.";
    model_stopped(provider) "{provider} has stopped in the middle of an answer for too long. Try again, or choose another model.";
    model_key_characters(provider) "The key of {provider} has characters that cannot be sent. Enter it again.";
    model_broken(provider, problem) "{provider} broke off the connection in the middle of an answer{problem}.";
    model_cut(provider, problem) "{provider} broke off the connection: {problem}.";
    model_unreachable(provider, place, problem) "{provider} cannot be reached at {place}: {problem}. Check the network, and the endpoint in Settings.";
    model_ollama(provider, place, problem) "{provider} cannot be reached at {place}: {problem}. Is Ollama running? \"ollama serve\" starts it.";
    model_no_protocol(provider) "What {provider} sent is no answer in its protocol. Check the provider's kind and endpoint in Settings.";
    model_not_asked(provider, problem) "{provider} could not be asked: {problem}";
    model_not_named(provider) "{provider} has not named its models in time. Try again later.";
    model_no_answer() "The model has not answered.";
    model_no_provider(name, known) "There is no provider \"{name}\". There are: {known}.";
    model_name(name) "\"{name}\" names no model. A model is named as in \"ollama:llama3.2\".";
    model_no_address(provider) "The endpoint of {provider} is no web address. Correct it in Settings.";
    model_no_certificates() "The system's certificates cannot be read, so nothing can be asked over the network.";
    model_too_long(provider, limit) "The answer of {provider} is longer than {limit} KiB, and was cut. Ask for less at once.";
    withheld_elsewhere(provider, origin, address) "The key of {provider} belongs to {origin} and is not sent to {address}. Enter the key for {address} in Settings, or delete the old one there.";
    withheld_alone(provider, address) "The key of {provider} was stored without its address and is not sent to {address}. Enter it again in Settings.";
    withheld_environment(provider, variable, address) "{variable} is not sent to {address}. Allow that for {provider} in Settings under Own providers, or enter a key for {address} there.";
    withheld_readable(provider, address) "No key is sent to {address}: everybody on the way could read it. Give {provider} an address that begins with https:// in Settings.";
}
