import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { markLanguage } from "./locale";

markLanguage(document.documentElement);

const target = document.querySelector("#app");
if (target) {
  target.replaceChildren();
  mount(App, { target });
}
