import { Failure } from "../backend/backend";
import type { Need, Permission, PermissionAnswer, Request, Rule, RuleNew } from "../protocol/types";
import { AT, need } from "./samples";

/** A permission for a command that waits in session `s`. */
export function permission(more: Partial<Permission> = {}): Permission {
  return {
    permissionId: "p1",
    sessionId: "s",
    state: "open",
    tool: "Bash",
    input: '{"command":"cargo test -p hub","description":"Run the tests"}',
    command: "cargo test -p hub",
    narrowest: { kind: "command", words: ["cargo", "test", "-p", "hub"] },
    folder: "/home/me/billing",
    askedAt: AT,
    expiresAt: new Date(Date.now() + 300_000).toISOString(),
    ...more,
  };
}

export function permissionNeed({ permissionId, tool, command = "", askedAt }: Permission): Need {
  const id = `permission:${permissionId}`;
  return need("permission", { id, permissionId, text: `${tool}: ${command}`, since: askedAt });
}

/** The permissions and rules of a gateway on the desk. */
export class DeskPermissions {
  permissions: Permission[] = [];
  rules: Rule[] = [];
  #count = 0;

  isFor(type: Request["type"]): boolean {
    return /^(permission|rule)\./.test(type);
  }

  /** The answer to a request; `settled` hears of a session whose agent waits no longer. */
  answer(
    type: Request["type"],
    fields: object,
    settled: (sessionId: string, needId: string) => void,
  ): unknown {
    const { sessionId } = fields as { sessionId?: string };
    switch (type) {
      case "permission.list":
        return {
          permissions: this.permissions.filter((each) =>
            sessionId === undefined ? each.state === "open" : each.sessionId === sessionId,
          ),
        };
      case "permission.answer":
        return this.#decide(fields as PermissionAnswer, settled);
      case "rule.list":
        return { rules: this.rules };
      case "rule.new":
        return this.#make(fields as RuleNew);
      case "rule.edit": {
        const { ruleId, ...says } = fields as RuleNew & { ruleId: string };
        this.rules = this.rules.map(({ createdAt, decided, ...rule }) =>
          rule.ruleId === ruleId ? { ...says, ruleId, createdAt, decided } : { ...rule, createdAt, decided },
        );
        return this.rules.find((rule) => rule.ruleId === ruleId);
      }
      case "rule.delete":
        this.rules = this.rules.filter((rule) => rule.ruleId !== (fields as { ruleId: string }).ruleId);
        return {};
      default:
        throw new Failure("UNKNOWN_TYPE", type);
    }
  }

  /** It is over, by whatever. */
  settle(permissionId: string, more: Partial<Permission>): void {
    this.permissions = this.permissions.map((each) =>
      each.permissionId === permissionId ? { ...each, settledAt: AT, ...more } : each,
    );
  }

  #decide(
    { sessionId, permissionId, allow, message, rule }: PermissionAnswer,
    settled: (sessionId: string, needId: string) => void,
  ): object {
    const open = this.permissions.find((each) => each.permissionId === permissionId);
    if (open?.state !== "open") throw new Failure("PERMISSION_NOT_FOUND", "nobody waits for this any more");
    if (rule) this.#make(rule);
    this.settle(permissionId, { state: allow ? "allowed" : "denied", ...(message && { message }) });
    settled(sessionId, `permission:${permissionId}`);
    return {};
  }

  #make(says: RuleNew): Rule {
    this.#count += 1;
    const rule = { ...says, ruleId: `r${this.#count}`, createdAt: AT, decided: 0 };
    this.rules = [rule, ...this.rules];
    return rule;
  }
}
