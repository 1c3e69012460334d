import type { AgentSetup, Registered } from "../protocol/types";
import type { Asked } from "../state/connecting.svelte";

/** What can be done to an agent's connection. */
export type Deed =
  | { does: "plan"; label: string; asked: Asked }
  | { does: "folder"; label: string; asked: Asked }
  | { does: "test" | "real" | "look"; label: string };

/** The one thing to do first; nothing for an agent that is not there and not connected. */
export function mainDeed(setup: AgentSetup): Deed | undefined {
  const { server, hooks, program } = setup;
  const connect: Asked = { change: "connect" };
  if (server === "unreadable" || hooks === "unreadable") return { does: "look", label: "Look again" };
  if (server === "other")
    return { does: "plan", label: "Replace…", asked: { change: "connect", replace: true } };
  if (server === "absent") return program ? { does: "plan", label: "Connect", asked: connect } : undefined;
  if (isStale(server) || isStale(hooks)) return { does: "plan", label: "Connect again", asked: connect };
  return { does: "test", label: "Test" };
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
      !isThere && !main && plan("Connect", { change: "connect" }),
      hooks !== undefined &&
        server === "absent" &&
        plan("Connect without hooks", { change: "connect", noHooks: true }),
      isThere && hooks === "absent" && plan("Connect its hooks, too", { change: "connect" }),
      isThere && main?.does !== "test" && { does: "test", label: "Test" },
      isThere && program !== undefined && { does: "real", label: "Test with a real call…" },
    ],
    [
      (ownList === "off" || ownList === "unknown") && plan("Turn its own list on", { change: "ownListOn" }),
      ownList === "on" && plan("Turn its own list off", { change: "ownListOff" }),
      inFolder(`Add the line to a project’s ${instructions}…`, { change: "instruct" }),
      inFolder(`Take that line out again…`, { change: "uninstruct" }),
    ],
    [
      inFolder("Connect in one project only…", { change: "connect" }),
      inFolder("Disconnect in one project…", { change: "disconnect" }),
      (isThere || hasHooks) && plan("Disconnect", { change: "disconnect" }),
    ],
  ];
  return groups.map((group) => group.filter((deed) => deed !== false)).filter((group) => group.length > 0);
}
