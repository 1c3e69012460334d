import type { Todo } from "./agent.ts";

/** The list that the stories of the page and of the window begin with. */
export const STORY: Todo[] = [
  { id: "a", content: "Read the format page", status: "completed", activeForm: "Reading the format page" },
  { id: "b", content: "Fix the parser", status: "in_progress", activeForm: "Fixing the parser" },
  { id: "c", content: "Add the tests", status: "pending", activeForm: "Adding the tests" },
];

export const NEXT: Todo[] = [
  { ...STORY[0]! },
  { ...STORY[1]!, status: "completed" },
  { ...STORY[2]!, status: "in_progress" },
];

/** Text that a page must never run. */
export const MARKUP = `<img src="x" onerror="window.owned = 1"><script>window.owned = 2</script><b>bold</b>`;
