// Keeps the shell that is shown while the gateway cannot be reached. It keeps files of this build by their names and
// nothing else: no list, no answer of the gateway, no key. Every page comes from the network first, so none is stale.
const CACHE = `shell-${"BUILD"}`;
const FILES = ["FILES"];
/** The milliseconds after which a network that says nothing is none. */
const PATIENCE = 10_000;

self.addEventListener("install", (event) => {
  const files = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(files))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => event.waitUntil(forget()));

/** Lets go of the shells of other builds. */
async function forget() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin || request.method !== "GET") return;
  if (request.mode === "navigate" && pathname === "/") event.respondWith(fresh(request, "/offline.html"));
  else if (FILES.includes(pathname)) event.respondWith(fresh(request, pathname));
});

/** The answer of the gateway, else the kept one. A proxy whose gateway is gone answers for it with a 5xx. */
async function fresh(request, pathname) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(reject, PATIENCE);
  });
  try {
    const response = await Promise.race([fetch(request), late]);
    if (response.status < 500) return response;
  } catch {
    // The network has no way there.
  } finally {
    clearTimeout(timer);
  }
  const cache = await caches.open(CACHE);
  return (await cache.match(pathname)) ?? Response.error();
}
