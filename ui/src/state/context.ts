import { createContext } from "svelte";
import type { FirstRun } from "./first-run.svelte";
import type { Actions } from "./actions.svelte";
import type { CommandBar } from "./command-bar.svelte";
import type { Gateway } from "./gateway.svelte";
import type { Machine } from "./machine.svelte";
import type { OnDemand } from "./on-demand";
import type { Preferences } from "./settings.svelte";
import type { Desktop } from "./shell.svelte";

/** The gateway, for every part below `App`. */
export const [useGateway, provideGateway] = createContext<Gateway>();

/** The command bar, for what opens it. */
export const [useCommandBar, provideCommandBar] = createContext<CommandBar>();

/** The parts of the state that are made when they are asked for. */
export const [useOnDemand, provideOnDemand] = createContext<OnDemand>();

/** The agents on the gateway's machine. */
export const [useMachine, provideMachine] = createContext<Machine>();

/** The settings that all windows of the gateway have. */
export const [usePreferences, providePreferences] = createContext<Preferences>();

/** The desktop's window around the page. */
export const [useDesktop, provideDesktop] = createContext<Desktop>();

/** The actions that can be done from anywhere. */
export const [useActions, provideActions] = createContext<Actions>();

/** The first steps, where there is nothing yet. */
export const [useFirstRun, provideFirstRun] = createContext<FirstRun>();
