// The service worker: the files of the playground, kept by the browser, so that later visits need no network.

import { clear, kept } from "./kept";

declare const self: ServiceWorkerGlobalScope;
/** Filled in when the playground is written: the names of its files. */
const FILES = "{files}";

self.addEventListener("install", (event) => {
  event.waitUntil(kept().then((cache) => cache.addAll(FILES.split(" "))));
});

self.addEventListener("activate", (event) => event.waitUntil(clear()));

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  // The query is for the page: its language and its file.
  const found = kept().then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(found.then((answer) => answer ?? fetch(event.request)));
});
