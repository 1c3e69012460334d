import type { AgentSetup, Registered } from "../../protocol/types";
import type { Asked } from "../../state/connecting.svelte";
import { m } from "../../paraglide/messages";

/** The actions on an agent's connection. */
export type Deed =
  | { does: "plan"; label: string; asked: Asked }
  | { does: "folder"; label: string; asked: Asked }
  | { does: "test" | "real" | "look" | "answers"; label: string };

/** The first of them, with a name that tells it from those of other agents. */
type MainDeed = Deed & { name: string };

/** The one thing to do first; nothing for an agent that is not there and not connected. */
export function mainDeed(setup: AgentSetup): MainDeed | undefined {
  const { server, hooks, program, title } = setup;
  const connect: Asked = { change: "connect" };
  if (server === "unreadable" || hooks === "unreadable") {
    return { does: "look", label: m.agents_look_again(), name: m.agents_look_again_of({ title }) };
  }
  if (server === "other") {
    const asked: Asked = { change: "connect", replace: true };
    return { ...plan(m.agents_replace(), asked), name: m.agents_replace_of({ title }) };
  }
  if (server === "absent") {
    if (program === undefined) return undefined;
    return { ...plan(m.agents_connect(), connect), name: m.agents_connect_of({ title }) };
  }
  if (isStale(server) || isStale(hooks)) {
    return { ...plan(m.agents_connect_again(), connect), name: m.agents_connect_again_of({ title }) };
  }
  return { does: "test", label: m.agents_test(), name: m.agents_test_title({ title }) };
}

function isStale(part: Registered | undefined): boolean {
  return part === "outdated" || part === "disabled";
}

function plan(label: string, asked: Asked): Deed {
  return { does: "plan", label, asked };
}

function inFolder(label: string, asked: Asked): Deed {
  return { does: "folder", label, asked };
}

/** Everything else, in groups. */
export function otherDeeds(setup: AgentSetup): Deed[][] {
  const { server, hooks, program, ownList, instructions } = setup;
  const main = mainDeed(setup);
  const isThere = server === "ours" || server === "outdated" || server === "disabled";
  const hasHooks = hooks !== undefined && hooks !== "absent" && hooks !== "other" && hooks !== "unreadable";
  const groups: (Deed | false)[][] = [
    [
      !isThere && !main && plan(m.agents_connect(), { change: "connect" }),
      hooks !== undefined &&
        server === "absent" &&
        plan(m.agents_connect_hookless(), { change: "connect", noHooks: true }),
      isThere && hooks === "absent" && plan(m.agents_connect_hooks(), { change: "connect" }),
      isThere && main?.does !== "test" && { does: "test", label: m.agents_test() },
      isThere && program !== undefined && { does: "real", label: m.agents_test_real() },
    ],
    [
      isThere && setup.asks !== undefined && { does: "answers", label: m.agents_answers() },
      setup.answers !== undefined && plan(m.agents_answers_off(), { change: "connect", noAnswers: true }),
    ],
    [
      (ownList === "off" || ownList === "unknown") && plan(m.agents_turn_on(), { change: "ownListOn" }),
      ownList === "on" && plan(m.agents_turn_off(), { change: "ownListOff" }),
      inFolder(m.agents_instruct({ file: instructions }), { change: "instruct" }),
      inFolder(m.agents_uninstruct(), { change: "uninstruct" }),
    ],
    [
      inFolder(m.agents_connect_project(), { change: "connect" }),
      inFolder(m.agents_disconnect_project(), { change: "disconnect" }),
      (isThere || hasHooks) && plan(m.agents_disconnect(), { change: "disconnect" }),
    ],
  ];
  return groups.map((group) => group.filter((deed) => deed !== false)).filter((group) => group.length > 0);
}
