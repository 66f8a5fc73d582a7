// The service worker: the files of the playground, kept by the browser, so that later visits need no network.

/** Filled in when the playground is written: what its files hold, in short, and their names. */
declare const self: ServiceWorkerGlobalScope;
const VERSION = "{version}";
const FILES = "{files}";
const KEPT = `pwtool ${VERSION}`;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES.split(" "))));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith("pwtool ") && name !== KEPT));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  // The query is for the page: its language and its file.
  const kept = caches.open(KEPT).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((found) => found ?? fetch(event.request)));
});

export {};
