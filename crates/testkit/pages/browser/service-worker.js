addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(new Response("<h1>From the service worker</h1>", { headers: { "content-type": "text/html" } })));
