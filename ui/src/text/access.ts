import { m } from "../paraglide/messages";
import type { AuditEntry, Key, Rights } from "../protocol/types";
import { plain } from "../shared/text/plain";

/** The right, as a person reads it. */
export function rightsWord(rights: Rights): string {
  return m.access_right({ rights });
}

export const RIGHTS: readonly Rights[] = ["look", "edit", "answer", "administer"];

/** The holder of a key and what it may do. */
export function holderWords(key: Key): string {
  const kind = m.access_kind({ kind: key.kind });
  return key.rights === undefined ? kind : m.access_kind_rights({ kind, rights: rightsWord(key.rights) });
}

/** A deed of the log, with who did it. */
export function deedWords(entry: AuditEntry): string {
  // A key may be named like anybody.
  const who =
    entry.who === undefined
      ? m.access_you({ way: entry.way })
      : m.access_key_named({ name: plain(entry.who) });
  return m.access_deed({ deed: entry.deed, who });
}
