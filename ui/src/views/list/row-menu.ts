import { m } from "../../paraglide/messages";
import type { Need } from "../../protocol/types";
import type { MenuDeed, MenuEntry } from "../../shared/menu";
import type { KnownSession } from "../../state/apply";
import type { Editing } from "../../state/editing.svelte";
import { hasOtherLevel, type Row } from "../../state/rows";
import { PRIORITIES, STATUSES } from "../../state/steps";
import { isAgainst } from "../../text/words";
import { menuKeys } from "../keys/chords";
import type { RowDeeds } from "./deeds";
import {
  indentTogether,
  moveTogether,
  removeTogether,
  setTogether,
  type Selection,
} from "./selection.svelte";

/** The edit of a row, if it is the user's and its agent has not followed it. */
export function againstOf({ item, edit }: Row): Row["edit"] {
  const isOurs = item.origin === "user" || edit?.kind !== "add";
  return isOurs && edit && isAgainst(edit) ? edit : undefined;
}

/** The need that a row is about. */
export function needOf(row: Row, { session }: KnownSession): Need | undefined {
  const against = againstOf(row);
  return session.needs?.find(({ kind, uid, editId }) =>
    against ? editId === against.editId : kind === "blocked" && uid === row.item.uid,
  );
}

/** A move by `chord`; off where there is nowhere to go. */
function move(label: string, chord: string, run: (() => void) | undefined): MenuDeed {
  return { label, ...menuKeys(chord), isOff: !run, run: run ?? (() => {}) };
}

/** The actions that change a row: its details have them as buttons. */
export function changesOf(row: Row, on: RowDeeds): { edit: MenuDeed; moves: MenuDeed[]; remove: MenuDeed } {
  return {
    edit: { label: m.session_edit_this(), ...menuKeys("Enter"), run: () => on.edit(row) },
    moves: [
      move(m.session_move_up(), "Alt+ArrowUp", on.shifter(row)(-1)),
      move(m.session_move_down(), "Alt+ArrowDown", on.shifter(row)(1)),
      row.isSubtask
        ? move(m.session_outdent(), "Alt+ArrowLeft", on.indenter(row)(true))
        : move(m.session_indent(), "Alt+ArrowRight", on.indenter(row)(false)),
    ],
    remove: {
      label: m.session_delete_this(),
      ...menuKeys("Delete"),
      isGrave: true,
      run: () => on.remove(row),
    },
  };
}

/** The menu of a row: what its buttons, its keys and its details do. */
export function rowMenu(row: Row, of: KnownSession, on: RowDeeds, mayEdit: boolean): MenuEntry[][] {
  const { item } = row;
  const isReadOnly = of.session.readOnly ?? false;
  const against = isReadOnly ? undefined : againstOf(row);
  const need = mayEdit ? needOf(row, of) : undefined;
  const details = { label: m.session_details(), ...menuKeys("i"), run: () => on.details(row) };
  const answers: MenuEntry[] = [
    ...(against ? [{ label: m.common_insist(), run: () => on.insist(against) }] : []),
    ...(need ? [{ label: m.session_let_be(), run: () => on.letBe(need.id, item.content) }] : []),
  ];
  if (isReadOnly) return [[details], answers].filter((group) => group.length > 0);
  const { edit, moves, remove } = changesOf(row, on);
  const statuses = STATUSES.map((status) => ({
    label: m.common_status({ status }),
    isChosen: item.status === status,
    run: () => on.setStatus(row, status),
  }));
  const priorities = PRIORITIES.map((priority) => ({
    label: m.common_priority({ priority }),
    isChosen: (item.priority ?? "none") === priority,
    run: () => on.setPriority(row, priority === "none" ? null : priority),
  }));
  return [
    answers,
    [
      { label: m.session_status(), entries: statuses },
      { label: m.session_priority(), entries: priorities },
      edit,
      details,
    ],
    [
      { label: m.session_insert_before(), ...menuKeys("Shift+O"), run: () => on.insert(row) },
      { label: m.session_insert_after(), ...menuKeys("o"), run: () => on.insertAfter(row) },
      ...moves,
    ],
    [remove],
  ].filter((group) => group.length > 0);
}

/** The actions on all steps that are selected. */
export function selectedDeeds(
  selection: Selection,
  editing: Editing,
): { statuses: MenuDeed[]; levels: MenuDeed[]; remove: MenuDeed; none: MenuDeed } {
  const level = (label: string, chord: string, out: boolean): MenuDeed => ({
    label,
    ...menuKeys(chord),
    isOff: !selection.rows.some(({ position }) => hasOtherLevel(position, out)),
    run: () => indentTogether(editing, selection.rows, out),
  });
  return {
    statuses: STATUSES.map((status) => ({
      label: m.common_status({ status }),
      run: () => setTogether(editing, selection.rows, status),
    })),
    levels: [level(m.session_indent(), "Tab", false), level(m.session_outdent(), "Shift+Tab", true)],
    remove: {
      label: m.session_remove_selected(),
      isGrave: true,
      run: () => removeTogether(editing, selection.rows),
    },
    none: { label: m.session_select_none(), run: () => selection.clear() },
  };
}

/** The menu of a row that is selected, with the others. */
export function selectedMenu(selection: Selection, editing: Editing, known: KnownSession): MenuEntry[][] {
  const { statuses, levels, remove, none } = selectedDeeds(selection, editing);
  const moved = (by: -1 | 1) => () => moveTogether(editing, known, selection.rows, by);
  return [
    [{ label: m.session_set_status(), entries: statuses }],
    [
      move(m.session_move_up(), "Alt+ArrowUp", moved(-1)),
      move(m.session_move_down(), "Alt+ArrowDown", moved(1)),
      ...levels,
    ],
    [{ ...none, ...menuKeys("Escape") }],
    [{ ...remove, ...menuKeys("Delete") }],
  ];
}
