import { part } from "../../shared/part.svelte";

/** The parts of the page that are not always there. */
export const parts = {
  filters: part(() => import("../../views/run/BoardFilters.svelte")),
  firstSteps: part(() => import("./start/FirstSteps.svelte")),
  permission: part(() => import("./OpenedPermission.svelte")),
  start: part(() => import("./start/StartPage.svelte")),
};
