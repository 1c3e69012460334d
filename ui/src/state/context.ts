import { createContext } from "svelte";
import type { FirstRun } from "./first-run.svelte";
import type { Actions } from "./actions.svelte";
import type { Archive } from "./archive.svelte";
import type { Chats } from "./chats.svelte";
import type { CommandBar } from "./command-bar.svelte";
import type { Editings } from "./editing.svelte";
import type { Gateway } from "./gateway.svelte";
import type { Machine } from "./machine.svelte";
import type { Permissions } from "./permissions.svelte";
import type { Preferences } from "./settings.svelte";
import type { Desktop } from "./shell.svelte";

/** The gateway, for every part below `App`. */
export const [useGateway, provideGateway] = createContext<Gateway>();

/** The user's edits of lists, for every part below `App`. */
export const [useEditings, provideEditings] = createContext<Editings>();

/** The command bar, for what opens it. */
export const [useCommandBar, provideCommandBar] = createContext<CommandBar>();

/** The sessions that there ever were. */
export const [useArchive, provideArchive] = createContext<Archive>();

/** The conversations with the built-in agent. */
export const [useChats, provideChats] = createContext<Chats>();

/** The agents on the gateway's machine. */
export const [useMachine, provideMachine] = createContext<Machine>();

/** Permissions that agents ask for, and the rules that answer them. */
export const [usePermissions, providePermissions] = createContext<Permissions>();

/** The settings that all windows of the gateway have. */
export const [usePreferences, providePreferences] = createContext<Preferences>();

/** The desktop's window around the page. */
export const [useDesktop, provideDesktop] = createContext<Desktop>();

/** The actions that can be done from anywhere. */
export const [useActions, provideActions] = createContext<Actions>();

/** The first steps, where there is nothing yet. */
export const [useFirstRun, provideFirstRun] = createContext<FirstRun>();
