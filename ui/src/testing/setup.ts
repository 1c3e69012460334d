import { configure } from "@testing-library/svelte";

// What is waited for comes when the machine has time for it: a limit only tells that it never does.
configure({ asyncUtilTimeout: 20_000 });
