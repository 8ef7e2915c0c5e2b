/**
 * The frame around every page: the rail or the bottom bar, the connection, the palette, the
 * dialogs, the notices.
 */
import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { rememberReturnPath } from '../access/return-path.ts'
import { loadOnce } from '../lazy-route.tsx'
import { inbox } from '../live/approvals.ts'
import { useConnection } from '../live/connection.ts'
import { startLive } from '../live/live.ts'
import { useHome, useMe } from '../live/queries.ts'
import { Notices } from '../parts/notices.tsx'
import { PageAnnouncement } from '../parts/page-announcement.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { loadEverything } from '../route-files.ts'
import { SpeechTo, useWords } from '../translations/messages.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { ConnectionStrip } from './connection-strip.tsx'
import { FinishedNotice } from './finished-notice.tsx'
import { focusComposer, usePageKeys } from './page-keys.ts'
import { usePalette } from './palette-opening.ts'
import { Rail } from './rail.tsx'
import { WaitingNotice } from './waiting-notice.tsx'

const loadPalette = loadOnce(async () => ({ default: (await import('./palette.tsx')).Palette }))
const loadCreation = loadOnce(async () => ({ default: (await import('./creation.tsx')).Creation }))
const loadKeys = loadOnce(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }))
const Keys = lazy(loadKeys)
const Palette = lazy(loadPalette)
const Creation = lazy(loadCreation)

export function Shell() {
  const words = useWords()
  const palette = usePalette()
  const keys = usePageKeys()
  const speaks = useRouterState({
    select: ({ location }) => /\/(?:chat|console|session)\/./.test(location.pathname),
  })
  const creating = useRouterState({ select: (state) => state.location.search.new })
  useSignInWhenNeeded()
  useEffect(() => startLive(), [])
  useLoadAhead()
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className="sr-only z-70 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {words.act.skip}
      </a>
      {speaks && (
        <button
          type="button"
          onClick={focusComposer}
          className="sr-only z-70 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          {words.shortcuts.composer}
        </button>
      )}
      <Rail />
      <div className="flex min-w-0 flex-1 flex-col max-md:pb-[calc(3.5rem+env(safe-area-inset-bottom))]">
        <ConnectionStrip />
        <main id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          <WhenKnown />
          <div id="popups" />
        </main>
      </div>
      <BottomBar />
      <Notices />
      <WaitingNotice />
      <FinishedNotice />
      <PageAnnouncement />
      <Suspense>
        {palette.open && <Palette onClose={palette.hide} />}
        {creating && <Creation what={creating} />}
        {keys.open && <Keys onClose={keys.hide} />}
      </Suspense>
    </div>
  )
}

/**
 * The places are shown when the first snapshot is here: until then nothing is known, and nothing is
 * pretended.
 */
function WhenKnown() {
  const words = useWords()
  const home = useHome()
  const me = useMe()
  // The count of what waits for a person is in the title of every place.
  useQuery({ ...inbox, enabled: me !== undefined })
  if (home && me)
    return (
      <SpeechTo mayDecide={me.scopes.includes('approve')}>
        <Outlet />
      </SpeechTo>
    )
  return (
    <div className="mx-auto max-w-4xl px-4 py-16 md:px-8">
      <Waiting what={words.things.overview} onRetry={() => location.reload()} rows={5} />
    </div>
  )
}

/** Prefetches the other pages once the connection is live and the browser idle. */
function useLoadAhead() {
  const live = useConnection().state === 'live'
  useEffect(() => {
    if (!live) return
    const idle =
      globalThis.requestIdleCallback ?? ((callback: () => void) => setTimeout(callback, 500))
    idle(() => void Promise.allSettled([loadPalette(), loadCreation(), loadEverything()]))
  }, [live])
}

function useSignInWhenNeeded() {
  const navigate = useNavigate()
  const { state } = useConnection()
  useEffect(() => {
    if (state !== 'signed-out') return
    const to = location.pathname + location.search
    rememberReturnPath(to)
    void navigate({ to: '/sign-in', search: to === '/' ? {} : { to }, replace: true })
  }, [state, navigate])
}
