import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { toFailure, type Failure } from "../backend/backend";
import { m } from "../paraglide/messages";
import type { Permission, PermissionAnswer, PermissionState, Rule, RuleNew } from "../protocol/types";
import { exact } from "../shared/text/plain";
import { toasts } from "../shared/toast.svelte";
import { useOnDemand } from "./context";
import type { Gateway } from "./gateway.svelte";
import { PermissionDraft } from "./permission-draft.svelte";

/** The most that the gateway lists at once. */
const LISTED = 200;

/** The user's answer to a permission, by the button that gave it. */
export type Answered = "allowed" | "session" | "always" | "denied" | "answered";

/** The end of a permission: the user's answer here, or its state where it ended elsewhere. */
export type Outcome = Answered | Exclude<PermissionState, "open">;

/** Permissions that agents ask for, and the rules that answer for the user. */
export class Permissions {
  /** The user's rules; nothing before the first answer. */
  rules = $state.raw<Rule[]>();
  /** Why the rules could not be listed. */
  failure = $state.raw<Failure>();
  /** Permissions whose answer is under way. */
  readonly busy = new SvelteSet<string>();

  readonly #gateway: Gateway;
  readonly #known = new SvelteMap<string, Permission>();
  readonly #answered = new SvelteMap<string, Answered>();
  /** Permissions that the gateway was asked for and does not know. */
  readonly #missing = new SvelteSet<string>();
  readonly #wanted = new Set<string>();
  readonly #drafts = new Map<string, PermissionDraft>();
  #isLooking = false;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  of(id: string): Permission | undefined {
    return this.#known.get(id);
  }

  isMissing(id: string): boolean {
    return this.#missing.has(id);
  }

  draftOf(id: string): PermissionDraft {
    let draft = this.#drafts.get(id);
    if (!draft) {
      draft = new PermissionDraft(id);
      this.#drafts.set(id, draft);
    }
    return draft;
  }

  /** True if this connection may answer agents. */
  get mayAnswer(): boolean {
    return this.#gateway.mayAnswer;
  }

  isAnsweredHere(id: string): boolean {
    return this.#answered.has(id);
  }

  /** The end of a permission that a need no longer names. */
  outcomeOf(id: string): Outcome | undefined {
    const state = this.#known.get(id)?.state;
    return this.#answered.get(id) ?? (state === "open" ? undefined : state);
  }

  /** Has the details of a permission looked up, once for all that are wanted at the same time. */
  want(id: string): void {
    if (this.#known.has(id) || this.#wanted.has(id)) return;
    this.#wanted.add(id);
    if (this.#isLooking) return;
    this.#isLooking = true;
    queueMicrotask(() => void this.#look());
  }

  async #look(): Promise<void> {
    const ids = [...this.#wanted];
    try {
      const { permissions } = await this.#gateway.call("permission.list", { limit: LISTED });
      this.#take(permissions);
      for (const id of ids) if (!this.#known.has(id)) this.#missing.add(id);
    } catch {
      // A link that breaks tells of itself, and who wants them asks again.
    }
    for (const id of ids) this.#wanted.delete(id);
    this.#isLooking = false;
    const [next] = this.#wanted;
    if (next === undefined) return;
    this.#wanted.delete(next);
    this.want(next);
  }

  /** All of a session, the newest first. */
  async history(sessionId: string): Promise<Permission[]> {
    const { permissions } = await this.#gateway.call("permission.list", { sessionId, limit: LISTED });
    this.#take(permissions);
    return permissions;
  }

  /** Looks up what became of a permission that was not answered here. */
  async trace({ sessionId, permissionId }: { sessionId: string; permissionId: string }): Promise<void> {
    if (this.outcomeOf(permissionId) !== undefined) return;
    await this.history(sessionId).catch(() => undefined);
  }

  /** Answers an agent; false, with the reason at the window's foot, where that was not possible. */
  async answer(permission: Permission, fields: AnswerFields, became: Answered): Promise<boolean> {
    const { sessionId, permissionId } = permission;
    if (this.busy.has(permissionId)) return false;
    this.busy.add(permissionId);
    try {
      await this.#gateway.call("permission.answer", { sessionId, permissionId, ...fields });
      this.#answered.set(permissionId, became);
      this.#drafts.get(permissionId)?.clear();
      toasts.show({ text: m.permission_said({ became, tool: exact(permission.tool) }), tone: "plain" });
      if (fields.rule && this.rules) void this.lookAtRules();
      return true;
    } catch (thrown) {
      const { code, message } = toFailure(thrown);
      if (code === "PERMISSION_NOT_FOUND") {
        toasts.show({ text: m.permission_gone(), tone: "plain" });
        void this.trace(permission);
      } else toasts.fail(m.permission_not_answered({ why: message }));
      return false;
    } finally {
      this.busy.delete(permissionId);
    }
  }

  async lookAtRules(): Promise<void> {
    try {
      this.rules = (await this.#gateway.call("rule.list", {})).rules;
      this.failure = undefined;
    } catch (thrown) {
      this.failure = toFailure(thrown);
    }
  }

  editRule(ruleId: string, says: RuleNew): Promise<Failure | undefined> {
    return this.#change(() => this.#gateway.call("rule.edit", { ruleId, ...says }));
  }

  makeRule(says: RuleNew): Promise<Failure | undefined> {
    return this.#change(() => this.#gateway.call("rule.new", says));
  }

  deleteRule(ruleId: string): Promise<Failure | undefined> {
    return this.#change(() => this.#gateway.call("rule.delete", { ruleId }));
  }

  async #change(ask: () => Promise<unknown>): Promise<Failure | undefined> {
    try {
      await ask();
    } catch (thrown) {
      return toFailure(thrown);
    }
    await this.lookAtRules();
    return undefined;
  }

  #take(permissions: Permission[]): void {
    for (const permission of permissions) {
      this.#known.set(permission.permissionId, permission);
      this.#missing.delete(permission.permissionId);
    }
    if (this.#known.size <= 2 * LISTED) return;
    const listed = new Set(permissions.map(({ permissionId }) => permissionId));
    for (const id of this.#known.keys()) if (!listed.has(id)) this.#known.delete(id);
  }
}

/** The permissions that agents ask for, for the pages of the window. */
export const usePermissions = (): Permissions => useOnDemand().of(Permissions);

type AnswerFields = Omit<PermissionAnswer, "sessionId" | "permissionId">;

/** The calls of a rule as those of a tool in one session. */
export function sessionRule({ sessionId, tool, narrowest }: Permission): RuleNew {
  return { allow: true, sessionId, tool, calls: narrowest };
}
