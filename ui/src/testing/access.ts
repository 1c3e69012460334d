import type { AuditEntry, Key } from "../protocol/types";

const AT = "2026-11-21T09:30:00Z";

/** A key of each kind, and one that waits. */
export const KEYS: Key[] = [
  { keyId: "k1", kind: "page", name: "Firefox on Linux", rights: "administer", createdAt: AT, usedAt: AT },
  { keyId: "k2", kind: "person", name: "backup", rights: "look", createdAt: AT },
  { keyId: "k3", kind: "agent", name: "my agent", createdAt: AT },
  { keyId: "k4", kind: "page", name: "Phone", rights: "edit", wanted: "answer", createdAt: AT },
];

export const LOG: AuditEntry[] = [
  {
    number: 3,
    at: AT,
    who: "backup",
    rights: "look",
    way: "websocket",
    deed: "connect",
    subject: "/gateway",
  },
  {
    number: 2,
    at: AT,
    rights: "administer",
    way: "window",
    deed: "settings",
    subject: "staleMinutes, terminal",
    subjectText: { name: "log_settings", params: { settings: "staleminutes,terminal" } },
  },
  { number: 1, at: AT, rights: "edit", way: "cli", deed: "keyNew", subject: "backup (k2, look)" },
];
