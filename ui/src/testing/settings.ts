import { Failure } from "../backend/backend";
import type { Settings } from "../protocol/types";

export const SETTINGS: Settings = {
  notifyNeeds: true,
  notifyFinished: false,
  notifySound: true,
  quietFrom: "",
  quietTo: "",
  deliverAtTurnEnd: true,
  staleMinutes: 15,
  settleSeconds: 20,
  terminal: "",
  editor: "",
  keepInTray: true,
  startAtLogin: false,
  shortcut: "",
  menuBar: false,
  publicHosts: [],
  keepDays: 0,
  keepProjects: {},
  keepMegabytes: 0,
  keepRevisions: 0,
  chatModel: "",
  chatProviders: [],
  chatServers: [],
  chatTools: {},
  chatToolDigests: {},
  chatOtherTools: "ask",
  chatArchiving: "when-completed",
  chatSteps: 100,
  chatContinuations: 3,
  chatApprovalSeconds: 300,
};

/** The settings as they are after a change; an editor that nobody has is refused. */
export function change(settings: Settings, chosen: Partial<Settings>): Settings {
  if (chosen.editor?.includes("nowhere")) {
    throw new Failure("INVALID_SETTING", "there is no program nowhere; give one that is installed");
  }
  return { ...settings, ...chosen };
}
