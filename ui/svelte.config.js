import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    runes: true,
    // Every list says that it is one: WebKit takes the role from those without markers.
    warningFilter: ({ code }) => code !== "a11y_no_redundant_roles",
  },
};
