//! Words, and edits of lists.

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

    // Changes that an edit makes to a step.
    change_status(status) "status {status}";
    change_place(position) "to {position}";
    need_change(text, detail) "{text} ({detail})";
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
    insisted(content) "Sent again: \"{content}\"";
    undone_add(content) "Undone: added \"{content}\"";
    undone_delete(content) "Undone: deleted \"{content}\"";
    undone_delete_of_several(count) "Undone: {count} items are back";
    undone_set(fields, content) "Undone: changed the {fields} of \"{content}\"";
    undone_set_of_several(fields, count) "Undone: changed the {fields} of {count} items";
    undone_move(content) "Undone: moved \"{content}\"";
    undone_note(content) "Undone: message \"{content}\"";
    undone_load() "Undone: loaded a TODO list";
    left(what) "Not changed: {what}";
    left_gone(content) "\"{content}\" is gone";
    left_changed(fields, content) "the {fields} of \"{content}\" was changed since";
    left_no_home(content) "the item that \"{content}\" belonged to is gone";
    left_moved(content) "\"{content}\" was moved or removed";
    left_no_level(content) "\"{content}\" cannot be on that level any more";
    dependency_left_out(content, on) "\"{content}\" cannot wait for \"{on}\", which waits for it already; that dependency was left out.";

    // Edits that are refused.
    item_too_long(path, length, limit) "{path} has {length} characters, it may have {limit}; shorten it and send it again";
    item_without_content(path, limit) "{path} is missing; it must be text of 1 to {limit} characters";
    item_empty(path, limit) "{path} is empty; it must be text of 1 to {limit} characters";
    item_too_deep(path) "{path} is too deep: a subtask has no subtasks of its own";
    note_length(length, limit) "text has {length} characters; a message has 1 to {limit}";
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
    cannot_insist(id) "Edit {id} cannot be sent again: it is unknown, or the agent neither overrode nor ignores it";
    nothing_to_insist() "the agent neither overrode nor ignores any of your edits";
    no_home(content) "The item that \"{content}\" belonged to is gone; bring that back first";
    changed_since(problem) "This cannot be undone any more: {problem}";
    item_removed(who, content) "{who} removed \"{content}\"; bring it back to change it";
    read_only(agent, tool) "this list is {agent}'s own ({tool}), and {agent} cannot be told of changes to it; connect its hooks with `sightline connect {agent}`, or change the list that it keeps here";
}
