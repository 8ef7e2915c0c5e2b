/**
 * `holdfast agents watch`: agents at work, updated by events of `home`. A redrawn table on a
 * terminal, one line per change elsewhere, and one line of JSON for programs. Reads the state again
 * after a lost connection.
 */

import { clientClock, pause } from '../../client/backoff.ts'
import { type StreamState, watchEvents } from '../../client/event-stream.ts'
import {
  type RunningAgent,
  readLiveAgentSessions,
  readLiveProcesses,
  runningAgents,
} from '../../client/running.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import type { CommandContext } from '../context.ts'
import { displayWidth } from '../display-width.ts'
import { type CommandFailure, signedOut, usage } from '../failure.ts'
import { doingOf, durationOf, styleOf } from '../processes/process-words.ts'
import { projectNames } from '../projects/choose-project.ts'

interface Size {
  readonly columns?: number
  readonly rows?: number
}

/** Default for a terminal that does not report its width. */
const usualColumns = 80

/** Redraws lines in place on a terminal of any size. Pure: returns the text to write. */
export class RedrawnText {
  #lines: readonly string[] = []

  /**
   * Returns the text that replaces the last one. Its rows are counted now, because the terminal may
   * have been resized.
   */
  over(text: string, { columns = usualColumns, rows = Number.POSITIVE_INFINITY }: Size): string {
    const above = rowsOf(this.#lines, columns)
    this.#lines = fitting(text.split('\n'), columns, rows - 1)
    return `${above > 0 ? `\u001b[${above}A\u001b[J` : ''}${this.#lines.join('\n')}\n`
  }
}

/** Counts rows; the terminal wraps long lines. */
const rowsOf = (lines: readonly string[], columns: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0)

/**
 * Lines scrolled off the top cannot be redrawn, so surplus lines between the first and the last are
 * replaced by a count.
 */
function fitting(lines: readonly string[], columns: number, rows: number): readonly string[] {
  for (let left = 0; left <= Math.max(0, lines.length - 2); left++) {
    const shown =
      left === 0 ? lines : [...lines.slice(0, -1 - left), `… and ${left} more`, ...lines.slice(-1)]
    if (rowsOf(shown, columns) <= rows) return shown
  }
  return lines.slice(-1)
}

/** Interval of reading agent sessions, whose events are only in streams of projects. */
const readEveryMs = 5000
/** Events within this time cause one read. */
const gatherMs = 150
const drawEveryMs = 1000
const maxWatchSeconds = 86_400

interface AgentsState {
  readonly running: readonly RunningAgent[]
  readonly coordinators: readonly Coordinator[]
  readonly nameOf: (projectId: string) => string
}

export async function watchAgents(
  context: CommandContext,
  { for: typed }: { for: string | undefined },
): Promise<void> {
  const seconds = secondsOf(typed)
  const view = context.json
    ? jsonLines(context)
    : context.terminal.stdout.isTTY === true
      ? drawnTable(context)
      : plainLines(context)
  const over = new AbortController()
  const stopListening = context.onUnread(() => over.abort())
  let failure: CommandFailure | undefined
  let look: AgentsState = await readState(context)
  context.end()
  view.show(look)

  let soon: (() => void) | undefined
  const lookNow = async (): Promise<void> => {
    soon = undefined
    // The event stream reports a lost server.
    look = await readState(context).catch(() => look)
    if (!over.signal.aborted) view.show(look)
  }
  const lookSoon = (): void => {
    soon ??= clientClock.after(gatherMs, () => void lookNow())
  }
  const onState = (now: StreamState): void => {
    if (now.state === 'live') {
      view.connected()
      return lookSoon()
    }
    if (now.state === 'reconnecting') return view.lost('The connection is lost; trying again.')
    failure = signedOut(now.state === 'refused' ? now.problem.detail : undefined)
    over.abort()
  }
  const watch = watchEvents(context.client, {
    streams: ['home'],
    onEvent: lookSoon,
    onSnapshot: lookSoon,
    onState,
  })
  const stopLooking = everyNow(readEveryMs, lookSoon)
  const stopDrawing = view.ticks ? everyNow(drawEveryMs, () => view.show(look)) : () => {}
  const end =
    seconds === undefined
      ? untilAborted(over.signal)
      : pause(clientClock, seconds * 1000, over.signal).catch(() => {})
  await end
  over.abort()
  stopListening()
  soon?.()
  stopLooking()
  stopDrawing()
  watch.close()
  if (failure) throw failure
}

async function readState(context: CommandContext): Promise<AgentsState> {
  const [processes, agentSessions, { items }, nameOf] = await Promise.all([
    readLiveProcesses(context.client),
    readLiveAgentSessions(context.client),
    context.client.get('/api/coordinators', { query: { limit: 200 } }),
    projectNames(context),
  ])
  return { running: runningAgents(processes, agentSessions), coordinators: items, nameOf }
}

function everyNow(ms: number, callback: () => void): () => void {
  let cancel = clientClock.after(ms, tick)
  function tick(): void {
    cancel = clientClock.after(ms, tick)
    callback()
  }
  return () => cancel()
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    // Keeps the process alive until Ctrl-C.
    const alive = setInterval(() => {}, 60_000)
    signal.addEventListener('abort', () => {
      clearInterval(alive)
      resolve()
    })
  })

function secondsOf(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined
  const value = Number(typed)
  if (value > 0 && value <= maxWatchSeconds) return value
  throw usage(
    `--for must be a number of seconds up to ${maxWatchSeconds}.`,
    `It was ${JSON.stringify(typed)}.`,
  )
}

interface View {
  /** Redraws every second, because durations change. */
  readonly ticks: boolean
  show(sight: AgentsState): void
  lost(words: string): void
  connected(): void
}

function drawnTable(context: CommandContext): View {
  const { stdout } = context.terminal
  const drawn = new RedrawnText()
  const draw = (text: string): void => void stdout.write(drawn.over(text, stdout))
  let lost = ''
  return {
    ticks: true,
    show: ({ running, coordinators, nameOf }) => {
      const now = systemClock.now()
      const body = context.table(
        running.map((each) => ({ each, doing: doingOf(each, coordinators) })),
        {
          empty: 'No agent is at work.',
          columns: [
            { title: 'AGENT', of: ({ each }) => each.agentId, style: 'bold', shrinks: true },
            { title: 'PROJECT', of: ({ each }) => nameOf(each.projectId), shrinks: true },
            {
              title: 'STATE',
              of: ({ doing }) => doing,
              style: ({ each }) => styleOf(each, coordinators),
              shrinks: true,
            },
            { title: 'PID', of: ({ each }) => String(each.process?.pid ?? '–') },
            { title: 'FOR', of: ({ each }) => durationOf(Date.parse(each.since), now) },
          ],
        },
      )
      draw(`${body}\n${context.paint('dim', lost || 'Ctrl-C ends.')}`)
    },
    // While the connection is lost the old state stays visible.
    lost: (words) => {
      lost = words
    },
    connected: () => {
      lost = ''
    },
  }
}

/** Returns only what has changed since the last read, and what is gone. */
function changes(
  seen: Map<string, string>,
  { running, coordinators }: AgentsState,
): { running: RunningAgent; doing: string }[] {
  const changed = running
    .map((each) => ({ running: each, doing: doingOf(each, coordinators) }))
    .filter(({ running: { key }, doing }) => seen.get(key) !== doing)
  for (const { running: each, doing } of changed) seen.set(each.key, doing)
  return changed
}

function lineByLine(
  write: (running: RunningAgent, doing: string, nameOf: AgentsState['nameOf']) => void,
  lost: View['lost'],
): View {
  const seen = new Map<string, string>()
  let before = new Map<string, RunningAgent>()
  return {
    ticks: false,
    lost,
    connected: () => {},
    show: (sight) => {
      for (const { running, doing } of changes(seen, sight)) write(running, doing, sight.nameOf)
      const now = new Map(sight.running.map((each) => [each.key, each]))
      for (const [key, gone] of before) {
        if (now.has(key)) continue
        seen.delete(key)
        write(gone, 'gone', sight.nameOf)
      }
      before = now
    },
  }
}

function plainLines(context: CommandContext): View {
  const clock = (): string => new Date(systemClock.now()).toTimeString().slice(0, 8)
  const write = (
    { agentId, projectId, process }: RunningAgent,
    doing: string,
    nameOf: AgentsState['nameOf'],
  ): void => {
    const pid = process?.pid ? ` (pid ${process.pid})` : ''
    context.terminal.stdout.write(
      `${clock()} ${visible(`${agentId} ${nameOf(projectId)} ${doing}`)}${pid}\n`,
    )
  }
  return lineByLine(write, (words) => context.note(words))
}

function jsonLines(context: CommandContext): View {
  const write = (
    { agentId, projectId, agentSession, process, since }: RunningAgent,
    doing: string,
  ): void => {
    const at = new Date(systemClock.now()).toISOString()
    const line = {
      at,
      agentId,
      projectId,
      doing,
      since,
      agentSession: agentSession ?? null,
      process: process ?? null,
    }
    context.terminal.stdout.write(`${JSON.stringify(line)}\n`)
  }
  return lineByLine(write, (words) => context.note(words))
}
