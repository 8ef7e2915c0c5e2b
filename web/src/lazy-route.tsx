/**
 * Routes and dialogs whose files are loaded when they are needed. While the server is away they
 * wait for it: a browser never asks again for a script that it could not get, and to load the page
 * anew would lose what somebody is typing.
 */
import { type ComponentType, use } from 'react'
import { connected } from './live/connection.ts'

const retryMs = 1000

/**
 * Loads a file once: from the service worker's cache, or from the server as soon as it is
 * connected.
 */
export function loadOnce<File>(load: () => Promise<File>): () => Promise<File> {
  let loading: Promise<File> | undefined
  return () => {
    loading ??= navigator.serviceWorker?.controller ? load() : connected().then(load)
    return loading
  }
}

/** Makes the component of a route. The router preloads its file when a link to it is hovered. */
export function lazyRoute<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  let shown: Promise<ComponentType> | undefined
  function LazyRoute() {
    shown ??= load().then((file) => file[name], reloadPage)
    const Found = use(shown)
    return <Found />
  }
  // A failed load matters only when the route is shown.
  LazyRoute.preload = (): Promise<void> =>
    load().then(
      () => undefined,
      () => undefined,
    )
  return LazyRoute
}

/**
 * Reloads the page at this address when the file of a route could not be loaded, for instance after
 * an upgrade of the server. Waits until the server answers. Done once, because the file may be
 * missing there too.
 */
async function reloadPage(error: unknown): Promise<never> {
  while (!(await serverAnswers())) await new Promise((resolve) => setTimeout(resolve, retryMs))
  const key = `loaded-anew:${String(error)}`
  if (sessionStorage.getItem(key) !== null) throw error
  sessionStorage.setItem(key, '')
  location.reload()
  return new Promise(() => undefined)
}

const serverAnswers = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
