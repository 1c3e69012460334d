import { createContext } from "svelte";
import type { CommandBar } from "./command-bar.svelte";
import type { Editings } from "./editing.svelte";
import type { Gateway } from "./gateway.svelte";
import type { Machine } from "./machine.svelte";

/** The gateway, for every part below `App`. */
export const [useGateway, provideGateway] = createContext<Gateway>();

/** What the user does to lists, for every part below `App`. */
export const [useEditings, provideEditings] = createContext<Editings>();

/** The command bar, for what opens it. */
export const [useCommandBar, provideCommandBar] = createContext<CommandBar>();

/** The agents on the gateway's machine. */
export const [useMachine, provideMachine] = createContext<Machine>();
