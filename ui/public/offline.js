// The shell: says in the user's language that the gateway cannot be reached, and goes to the page once it can.
const EVERY = 3_000;

function keptLanguage() {
  try {
    return localStorage.getItem("locale");
  } catch {
    // Storage is closed to us: the user's languages it is.
    return null;
  }
}

const sections = [...document.querySelectorAll("section")];
const spoken = [keptLanguage(), ...navigator.languages].filter(Boolean);
const found = spoken
  .map((tag) => sections.find(({ lang }) => lang === tag || lang.split("-")[0] === tag.split("-")[0]))
  .find(Boolean);
const shown = found ?? sections.find(({ lang }) => lang === "en");

if (shown) {
  shown.hidden = false;
  document.documentElement.lang = shown.lang;
  shown.querySelector("code").textContent = location.host;
  shown.querySelector("button").addEventListener("click", () => location.reload());
}

/** The gateway answers for itself, also while it is busy; a proxy without it does not. */
async function isBack() {
  try {
    const response = await fetch("/health", { cache: "no-store", signal: AbortSignal.timeout(EVERY) });
    return typeof (await response.json()).version === "string";
  } catch {
    return false;
  }
}

let isLooking = false;

async function look() {
  if (isLooking || document.hidden) return;
  isLooking = true;
  if (await isBack()) location.reload();
  isLooking = false;
}

setInterval(look, EVERY);
addEventListener("online", look);
document.addEventListener("visibilitychange", look);
