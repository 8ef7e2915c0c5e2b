/**
 * Keeps the page up to date: reads the snapshot once, then follows the event stream and applies
 * each event. After a lost connection it continues from its cursor, so nothing is missed. Decides
 * nothing itself.
 */
import { type EventWatch, type StreamState, watchEvents } from '../../../src/client/event-stream.ts'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import { type HomeState, snapshotListLimit } from '../../../src/protocol/snapshot.ts'
import { notificationsAllowed } from '../preferences/browser-notifications.ts'
import { browserChoice } from '../preferences/choice.ts'
import { inbox, refreshInbox } from './approvals.ts'
import { refreshChannels } from './channels.ts'
import { endedByServer, offlineSince, setConnection } from './connection.ts'
import { refreshInterrupted } from './continuity.ts'
import { publishFinishedOf } from './finished.ts'
import { mayKeepConnection, releaseConnection } from './hidden-page.ts'
import { afterEvent, type Home, withAgent, withProject } from './home.ts'
import { refreshProcesses } from './processes.ts'
import {
  changeHome,
  client,
  homeKey,
  invalidate,
  isSignedIn,
  isSignedOut,
  me,
  ownDevices,
  people,
  queryClient,
  readAllAgents,
  readAllProjects,
  tokens,
} from './queries.ts'
import { refreshRecent } from './recent.ts'
import { onWantedChange, openPanels, wantedStreams } from './streams.ts'
import { takeWorkEvent, takeWorkSnapshot } from './work.ts'

const firstRetryMs = 500
const mostRetryMs = 10_000
/**
 * Browsers allow six connections to one server: a page that nobody has seen for this long gives its
 * own back.
 */
const unseenMs = 60_000

/** Whether somebody was signed in at this browser. */
const wasSignedIn = browserChoice<'yes' | 'no'>('was-signed-in', ['yes', 'no'], 'no')

/** Reconnects at once; undefined when the page has not started, or is signed out. */
let tryNow: (() => void) | undefined

/** Reconnects without waiting for the next attempt. */
export const reconnectNow = (): void => tryNow?.()

export function startLive(): () => void {
  let watch: EventWatch | undefined
  let cursor: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let unseen: ReturnType<typeof setTimeout> | undefined
  let resting = false
  let stopped = false
  /** The streams and panels the connection was opened for. */
  let followed = ''
  let gathering = false

  async function begin(retryMs: number): Promise<void> {
    clearTimeout(timer)
    try {
      // Only where nobody was signed in before: everybody else would wait for one more answer.
      if (wasSignedIn.get() === 'no' && !(await isSignedIn())) {
        if (!stopped) setConnection({ state: 'signed-out' })
        return
      }
      const [snapshot] = await Promise.all([
        client.get('/api/snapshot', { query: { streams: 'home' }, retries: 0 }),
        queryClient.fetchQuery(me),
      ])
      if (stopped) return
      wasSignedIn.set('yes')
      cursor = snapshot.cursor
      replaceHome(snapshot.state)
      follow()
    } catch (error) {
      if (stopped) return
      if (isSignedOut(error)) {
        wasSignedIn.set('no')
        return setConnection({ state: 'signed-out' })
      }
      setConnection({ state: 'offline', since: undefined })
      timer = setTimeout(() => void begin(Math.min(retryMs * 2, mostRetryMs)), retryMs)
    }
  }

  function follow(): void {
    watch?.close()
    followed = wanted()
    watch = watchEvents(client, {
      streams: ['home', ...wantedStreams()],
      panels: openPanels(),
      ...(cursor !== undefined && { after: cursor }),
      onEvent: (event, next) => {
        cursor = next
        take(event)
      },
      onSnapshot: (snapshot, next) => {
        cursor = next
        replace(snapshot.state)
      },
      onState: show,
    })
  }

  /**
   * The connection is opened anew with the cursor it had; what is new in it begins with a snapshot.
   */
  function onWanted(): void {
    if (gathering) return
    gathering = true
    queueMicrotask(() => {
      gathering = false
      if (stopped || resting || !watch || followed === wanted()) return
      follow()
    })
  }

  function onSight(): void {
    clearTimeout(unseen)
    releaseConnection()
    if (document.hidden) unseen = setTimeout(() => void rest(), unseenMs)
    else if (resting) {
      resting = false
      setConnection({ state: 'connecting' })
      follow()
    }
  }

  async function rest(): Promise<void> {
    if ((openPanels().length > 0 || notificationsAllowed()) && (await mayKeepConnection())) {
      if (!document.hidden || stopped) releaseConnection()
      return
    }
    if (!watch || !document.hidden || stopped) return
    resting = true
    watch.close()
  }

  document.addEventListener('visibilitychange', onSight)
  onWantedChange(onWanted)
  setConnection({ state: 'connecting' })
  tryNow = () => (cursor === undefined ? void begin(firstRetryMs) : follow())
  void begin(firstRetryMs)
  return () => {
    stopped = true
    tryNow = undefined
    onWantedChange(undefined)
    document.removeEventListener('visibilitychange', onSight)
    clearTimeout(timer)
    clearTimeout(unseen)
    releaseConnection()
    watch?.close()
  }
}

const wanted = (): string => [wantedStreams(), openPanels()].join(' ')

function show(stream: StreamState): void {
  if (stream.state === 'live') setConnection({ state: 'live' })
  else if (stream.state === 'signed-out') endedByServer()
  else {
    // Another try, or other streams, is not another loss.
    const since = offlineSince() ?? (stream.state === 'reconnecting' ? stream.since : Date.now())
    setConnection({ state: 'offline', since })
  }
}

function take(event: HoldfastEvent): void {
  publishFinishedOf(event)
  if (event.stream !== 'home') return takeWorkEvent(event)
  if (/^(?:approval-|process-|project-)/.test(event.type)) refreshRecent()
  if (event.type === 'session-changed' && 'data' in event) refreshRecent(event.data.key)
  if (event.type.startsWith('approval-')) refreshInbox()
  if (event.type.startsWith('channel-')) void refreshChannels()
  if (/^(?:process-|coordinator-|agent-session-)/.test(event.type)) refreshProcesses()
  refreshInterrupted(event)
  changeHome((home) => afterEvent(home, event))
  if (event.type.startsWith('person-'))
    for (const { queryKey } of [people, me]) void invalidate(queryKey)
  if (event.type.startsWith('token-')) void invalidate(tokens.queryKey)
  if (event.type === 'signed-out') void invalidate(ownDevices.queryKey)
}

/** Applies a snapshot of `home` or of a followed stream. */
function replace(state: Readonly<Record<string, unknown>>): void {
  for (const [stream, content] of Object.entries(state)) takeWorkSnapshot(stream, content)
  if (!('home' in state)) return
  replaceHome(state)
  for (const { queryKey } of [people, tokens, inbox]) void invalidate(queryKey)
  void queryClient.invalidateQueries()
}

function replaceHome(state: Readonly<Record<string, unknown>>): void {
  const home = state['home'] as HomeState
  queryClient.setQueryData<Home>(homeKey, { projects: home.projects, agents: home.agents })
  // A snapshot's lists are bounded; the rest of a long one follows.
  if (home.projects.length >= snapshotListLimit) {
    void readAllProjects().then((all) => changeHome((now) => all.reduce(withProject, now)), ignore)
  }
  if (home.agents.length >= snapshotListLimit) {
    void readAllAgents().then((all) => changeHome((now) => all.reduce(withAgent, now)), ignore)
  }
}

/** The stream notices a server that is away; it tells the person. */
const ignore = (): void => undefined
