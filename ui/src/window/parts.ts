import { part } from "../shared/part.svelte";

/** The parts of the window that the first page does without. */
export const parts = {
  agents: part(() => import("../pages/agents/AgentsPage.svelte")),
  chat: part(() => import("../pages/chat/NewTask.svelte")),
  compact: part(() => import("../pages/compact/Strip.svelte")),
  contextMenu: part(() => import("./ContextMenu.svelte")),
  history: part(() => import("../pages/history/HistoryPage.svelte")),
  insight: part(() => import("../pages/history/InsightPage.svelte")),
  keys: part(() => import("./KeysDialog.svelte")),
  locked: part(() => import("./Locked.svelte")),
  needs: part(() => import("../pages/needs/NeedsPage.svelte")),
  newList: part(() => import("./NewListDialog.svelte")),
  palette: part(() => import("./palette/Palette.svelte")),
  session: part(() => import("../pages/session/SessionPage.svelte")),
  settings: part(() => import("../pages/settings/SettingsPage.svelte")),
  tags: part(() => import("./TagsDialog.svelte")),
};
