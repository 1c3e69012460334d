//! Sessions, machines, keys and settings.

texts! {
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
    lacks_all() "everything, since it has neither a list nor an answer";
    lacks_prompts(count) "prompts without an answer: {count}";
    lacks_prose(count) "texts that would hide a list, or be read as one: {count}";
    lacks_calls(count) "tool calls with their results: {count}";
    lacks_reasoning(count) "texts of reasoning: {count}";
    lacks_messages(count) "messages that this version cannot read: {count}";
    lacks_of(session, what) "{session}: {what}";

    // Other machines.
    host_unknown(name) "there is no host \"{name}\"; `sightline host list` names those there are";
    host_exists(name) "there is a host \"{name}\" already; choose another name, or remove that one";
    hosts_full(limit) "there are {limit} hosts; remove one first";
    host_other_command(name) "the way to \"{name}\" is another one by now; look at it again";
    host_name(limit) "a host's name has 1 to {limit} letters, digits, dots, hyphens and underscores";
    host_command(limit) "a host's command has 1 to {limit} words, such as ssh box sightline dial-stdio";
    host_word(limit) "a word of a host's command has at most {limit} characters, and no control characters";
    host_two_ways() "a host has a command or an address, not both";
    host_no_key(name) "no key of {name} is here; make one there by `sightline key new NAME --rights edit`, and give it to `sightline host key {name}`";
    host_key_odd() "this is no key that can be proved; `sightline key new NAME --rights edit` makes one on the other machine";
    host_key_of_command(name) "{name} is reached by a command, which needs no key";
    host_unconfirmed() "it waits to be confirmed in Settings, in the window or on a page that may administer";
    host_gone(host) "this list lives on {host}, which is no host any more; its history stays as it is";
    host_edits_full(limit, host) "{limit} edits of this list wait for {host} already; discard some";
    host_edit_arrived() "this edit has arrived, or was discarded";
    host_other_list(host) "a list of another machine cannot be put in the place of one on {host}";
    host_only_edits(host) "this session lives on {host}, and only an edit of its list goes there";
    host_elsewhere(host) "this session lives on {host}: its folder and its agent are there, not here";
    host_sending(host) "Sending to {host}";

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
    code_host(host) "this gateway is not reached by \"{host}\"; add that name in Settings under Access, or start it with `--public-host`";
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
    setting_public_host(name) "\"{name}\" is no named host: write the name that other machines have for this one, such as box.example.net, with a port where it is not 443";
    setting_name(setting) "a name in \"{setting}\" has 1 to 32 letters, digits and hyphens, and begins with a letter";
    setting_name_twice(setting, name) "\"{setting}\" has the name {name} twice";
    setting_server(name) "the server {name} needs a \"command\" or a \"url\", and not both";
    setting_confined(name) "the server {name} has no \"command\" that could be \"confined\"";
    setting_address(address) "an address begins with http:// or https://, unlike \"{address}\"";
    setting_chat_line(limit) "texts of the built-in agent's settings are one line of at most {limit} characters";
    setting_model() "\"chatModel\" is written provider:model, such as ollama:llama3.2, or empty";
}
