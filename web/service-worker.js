/**
 * Keeps the shell of the page (its HTML, scripts and styles), so that it opens at once and can say that the server is away.
 * Never touches /api, /ws or anything else that is the server's word: what is shown as state always comes from the server.
 * The build writes `self.shellOfBuild` above this text.
 */
const { build, shell } = self.shellOfBuild
const cacheName = `shell-${build}`
const theServersWord = /^\/(?:api|ws|healthz|readyz|metrics|mcp)(?:\/|$)/

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.addAll(shell))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name))),
      ),
  )
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  if (url.pathname.startsWith('/assets/')) event.respondWith(keptOrFetched(request))
  else if (shell.includes(url.pathname) && request.mode !== 'navigate')
    event.respondWith(fetchedOrKept(request, request))
  else if (request.mode === 'navigate' && !theServersWord.test(url.pathname))
    event.respondWith(fetchedOrKept(request, '/'))
})

/** A notice was clicked (AP5): the page that is open comes to the front, or one is opened. */
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(
    self.clients
      .matchAll({ type: 'window' })
      .then(([open]) => (open ? open.focus() : self.clients.openWindow('/'))),
  )
})

/** Files under /assets carry a hash of their content in their name: what is kept is right. */
async function keptOrFetched(request) {
  return (await caches.match(request)) ?? fetch(request)
}

async function fetchedOrKept(request, kept) {
  try {
    return await fetch(request)
  } catch {
    return (await caches.match(kept)) ?? Response.error()
  }
}
