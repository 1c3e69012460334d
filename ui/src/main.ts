import { mount } from "svelte";
import "./shared/parts.css";
import App from "./window/App.svelte";
import { markLanguage } from "./shared/text/locale";

markLanguage(document.documentElement);

const target = document.querySelector("#app");
if (target) {
  target.replaceChildren();
  mount(App, { target });
}
