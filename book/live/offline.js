// The book without its server. From the first "Run Python in this page" on,
// the browser keeps the pages that are opened and what they load, and shows them
// when the network fails. The network comes first, so no page is older than it must be;
// a book built anew is a new script, which fetches anew what was kept.
// Python's own files are kept by worker.js.

// the build puts its hash here
const MINE = `which-features-matter/pages ${registration.scope} `, CACHE = `${MINE}BUILD`;
const ours = (url) => url.startsWith(registration.scope) && !/\/_static\/live\/[^/]*\?/.test(url);

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(renew()));
addEventListener("message", (event) => event.waitUntil(keepAll(event.data)));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && ours(event.request.url)) event.respondWith(answer(event));
});

async function answer(event) {
  try {
    const fetched = await fetch(event.request);
    if (fetched.ok) event.waitUntil(keep(event.request, fetched.clone()));
    return fetched;
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(event.request,
      { ignoreSearch: event.request.mode === "navigate" });
    if (kept) return kept;
    throw error;
  }
}

async function keep(request, answer) {
  // full or forbidden: it needs the network the next time
  await (await caches.open(CACHE)).put(request, answer).catch(() => {});
}

async function keepAll(addresses) {
  const cache = await caches.open(CACHE),
    wanted = new Set(addresses.map((address) => address.split("#")[0]).filter(ours));
  await Promise.all([...wanted].map((address) => cache.add(address).catch(() => {})));
}

async function renew() {
  for (const name of await caches.keys()) {
    if (!name.startsWith(MINE) || name === CACHE) continue;
    const before = await (await caches.open(name)).keys();
    await keepAll(before.map(({ url }) => url));
    await caches.delete(name);
  }
  await clients.claim();
}
