import { m } from "../paraglide/messages";
import type { ToolPolicy } from "../protocol/types";

/** The policies for calling a tool. */
export function policies(): { value: ToolPolicy; label: string }[] {
  return [
    { value: "auto", label: m.settings_policy_auto() },
    { value: "ask", label: m.settings_policy_ask() },
    { value: "deny", label: m.settings_policy_deny() },
  ];
}

/** The place of a provider's key; without one, whether it answers. */
export function keyWords(place: string, isNeeded: boolean): string {
  switch (place) {
    case "environment":
      return m.settings_key_environment();
    case "keyring":
      return m.settings_key_keyring();
    case "file":
      return m.settings_key_file();
    default:
      return isNeeded ? m.settings_key_needed() : m.settings_key_none();
  }
}

/** The names of providers, servers and the like. */
const NAME = /^[a-z][a-z0-9-]{0,31}$/i;

/** The problem with a name, before the gateway says so. */
export function nameProblem(name: string, others: readonly string[]): string | undefined {
  if (!NAME.test(name)) return m.settings_name_form();
  return others.includes(name) ? m.settings_name_twice() : undefined;
}

/** The problem with an address. */
export function addressProblem(address: string): string | undefined {
  return /^https?:\/\/\S+$/.test(address) ? undefined : m.settings_address_form();
}

/** The scheme, host and port of an address, to which a key belongs; nothing where it is no web address. */
export function originOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:" ? url.origin : undefined;
}
