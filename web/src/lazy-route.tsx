/**
 * Places and dialogs whose files are fetched when they are needed. While the server is away they wait for it: a browser never
 * asks again for a script that it could not get, and to load the page anew would lose what somebody is typing.
 */
import { type ComponentType, use } from 'react'
import { connected } from './live/connection.ts'

const retryMs = 1000

/** Fetches a file once, as soon as it can be had: from what the browser keeps of this build, or from the server. */
export function loadOnce<File>(load: () => Promise<File>): () => Promise<File> {
  let loading: Promise<File> | undefined
  return () => {
    loading ??= navigator.serviceWorker?.controller ? load() : connected().then(load)
    return loading
  }
}

/** A component of a route: the router asks for its file when a link to it is pointed at. */
export function lazyRoute<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  let shown: Promise<ComponentType> | undefined
  function LazyRoute() {
    shown ??= load().then((file) => file[name], reloadPage)
    const Found = use(shown)
    return <Found />
  }
  // What could not be had matters to those who go there.
  LazyRoute.preload = (): Promise<void> =>
    load().then(
      () => undefined,
      () => undefined,
    )
  return LazyRoute
}

/**
 * Its file was lost on the way, or a newer build has taken its place. Whoever came here has left the page before: it is loaded
 * at this address as soon as the server answers. Once, because the file may be missing there too.
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
