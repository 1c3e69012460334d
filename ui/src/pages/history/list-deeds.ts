import { m } from "../../paraglide/messages";
import type { ExportFormat } from "../../protocol/types";
import type { MenuDeed, MenuEntry } from "../../shared/menu";
import type { Line } from "../../state/arrange";
import { menuKeys } from "../../views/keys/chords";
import type { Picks } from "./picks.svelte";

const FORMATS: ExportFormat[] = ["json", "markdown", "training"];

/** The actions on lists of the history. */
export type ListDeeds = {
  export: (lines: Line[], format: ExportFormat) => void;
  /** Deletes them; those that were deleted before, for good. */
  remove: (lines: Line[]) => void;
  restore: (lines: Line[]) => void;
};

/** The actions on some lists: their forms as files, and the changes of them. */
export function deedsOf(
  lines: Line[],
  areDeleted: boolean,
  on: ListDeeds,
): { exports: MenuDeed[]; changes: MenuDeed[] } {
  if (areDeleted) {
    return {
      exports: [],
      changes: [
        { label: m.history_bring_back(), run: () => on.restore(lines) },
        { label: m.history_for_good(), isGrave: true, run: () => on.remove(lines) },
      ],
    };
  }
  const exports = FORMATS.map((form) => ({
    label: m.history_export_as({ form }),
    run: () => on.export(lines, form),
  }));
  return { exports, changes: [{ label: m.history_delete(), isGrave: true, run: () => on.remove(lines) }] };
}

/** The menu of a line: of all that are selected where it is one of them. */
export function lineMenu(
  line: Line,
  lines: Line[],
  picks: Picks,
  mayEdit: boolean,
  on: ListDeeds & { open: () => void },
): MenuEntry[][] {
  const isDeleted = line.session.deletedAt !== undefined;
  const isPicked = picks.has(line.listId);
  const chosen = isPicked ? lines.filter(({ listId }) => picks.has(listId)) : [line];
  const { exports, changes } = deedsOf(chosen, isDeleted, on);
  return [
    [
      ...(isDeleted ? [] : [{ label: m.history_open(), ...menuKeys("Enter"), run: on.open }]),
      isPicked
        ? { label: m.history_unpick(), ...menuKeys("Escape"), run: () => picks.clear() }
        : { label: m.history_select(), ...menuKeys("x"), run: () => picks.toggle(line) },
    ],
    exports.length > 0 ? [{ label: m.history_export(), entries: exports }] : [],
    mayEdit ? changes : [],
  ].filter((group) => group.length > 0);
}
