import { mount } from "svelte";
import App from "./App.svelte";
import { markLanguage } from "./locale";

markLanguage(document.documentElement);

const target = document.querySelector("#app");
if (target) {
  target.replaceChildren();
  mount(App, { target });
}
