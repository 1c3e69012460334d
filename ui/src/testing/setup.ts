import { configure } from "@testing-library/svelte";
import { afterAll, vi } from "vitest";
import { knownAgents } from "../state/known-agents.svelte";
import { KNOWN_AGENTS } from "./known-agents";

// A wait ends when the machine has time for it: a limit only tells that it never does.
const LONGEST = 20_000;
configure({ asyncUtilTimeout: LONGEST });
const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options = LONGEST) => waitFor(callback, options);
vi.waitUntil = (callback, options = LONGEST) => waitUntil(callback, options);

// As if the gateway had answered.
knownAgents.set(KNOWN_AGENTS);

// A part that a page was still fetching when its last test ended is there before its test's browser goes.
afterAll(() => vi.dynamicImportSettled());
