/**
 * How many a console holds (US5, RL5): many demo agents in one user session, each a process of its
 * own, that all answer; many user sessions beside it; many sockets that watch one of them and must
 * see the same, dense and once; a reader that stalls, is cut at its bound, comes back and has
 * missed nothing. Against the real server with its coordinator.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../../src/client/client.ts'
import { agentsOf, endCoordinator } from '../../support/coordinator-process.ts'
import { addTo, newTally, noFindings, type Tally } from '../oracle.ts'
import { startServer } from '../server-process.ts'
import { Watcher } from './watcher.ts'

export interface ConsolesOptions {
  readonly build: string
  readonly agents: number
  readonly userSessions: number
  readonly sockets: number
  /** Also a reader that stalls: it takes a minute. */
  readonly stalls: boolean
}

export interface ConsolesResult {
  readonly tally: Tally
  readonly allReadyMs: number
  readonly allAnsweredMs: number
  /** Time to create a user session, with all of that beside it. */
  readonly createdMs: number
  /** From a prompt to its answer at the last of the sockets. */
  readonly heardMs: number
  readonly cutWith: number | undefined
}

const opensAtOnce = 50
/** A socket follows what it made, and at most 100 streams. */
const madeOnOneSocket = 100
const pollMs = 50
/** Together far more than a socket's buffers and our bound. */
const mostStallPrompts = 40
const stallChars = 800_000
/** Answers in a row after which something waits for a reader: it is the one that stalls. */
const stuckAnswers = 3
/**
 * A silent client is told 10 to 15 s after it took something last, and cut 15 s later when it does
 * not take that either.
 */
const stalledMs = 20_000

export async function consoles(options: ConsolesOptions): Promise<ConsolesResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-consoles-'))
  const server = await startServer(options.build, data, 0, {}, 'up')
  try {
    const { url, token } = await server.ready
    const result = await fill(options, url, token)
    server.child.kill('SIGTERM')
    await server.exited
    const left = await agentsOf(data)
    if (left.length > 0)
      addTo(result.tally, { ...noFindings(), torn: ['agents were left after the end'] }, 'consoles')
    return result
  } finally {
    server.child.kill('SIGKILL')
    await server.exited
    await endCoordinator(data)
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function fill(options: ConsolesOptions, url: string, token: string): Promise<ConsolesResult> {
  const tally = newTally()
  const client = createClient({ url, token })
  // The demo agents come a moment after the first start.
  while ((await client.get('/api/agents', {})).items.every(({ id }) => id !== 'demo'))
    await pause(pollMs)
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'consoles' } })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: 'demo' },
    body: {},
  })
  while ((await client.get('/api/coordinators')).items.every(({ state }) => state !== 'connected'))
    await pause(pollMs)

  const owner = await new Watcher(url, token).open()
  const userSessionId = await create(owner, projectId)
  const roles = Array.from({ length: options.agents }, (_, index) => `role-${index}`)
  const allReadyMs = await timed(() =>
    Promise.all(roles.map((role) => spawn(owner, userSessionId, role))),
  )
  const allAnsweredMs = await timed(async () => {
    const answers = await Promise.all(
      roles.map((role) => ask(owner, userSessionId, role, `hello ${role}`)),
    )
    const wrong = answers.filter((answer, index) => answer !== `echo: hello ${roles[index]}`)
    if (wrong.length > 0)
      addTo(
        tally,
        { ...noFindings(), lost: wrong.map((answer) => `an answer is ${answer}`) },
        'agents',
      )
  })

  const beside: Watcher[] = []
  const times: number[] = []
  for (let made = 0; made < options.userSessions; made++) {
    if (made % madeOnOneSocket === 0) beside.unshift(await new Watcher(url, token).open())
    times.push(await timed(() => create(beside[0] ?? owner, projectId)))
  }

  const audience: Watcher[] = []
  const head = owner.seqs.at(-1) ?? 0
  while (audience.length < options.sockets) {
    const some = Array.from(
      { length: Math.min(opensAtOnce, options.sockets - audience.length) },
      async () => {
        const watcher = await new Watcher(url, token).open()
        await watcher.follow(userSessionId, head)
        return watcher
      },
    )
    audience.push(...(await Promise.all(some)))
  }
  const [role = ''] = roles
  const heardMs = await timed(async () => {
    const heard = audience.map((watcher) => watcher.next(({ type }) => type === 'agent:response'))
    await ask(owner, userSessionId, role, '[[slow 20 5]] everybody')
    await Promise.all(heard)
  })
  const wanted = owner.seqs.filter((seq) => seq > head).join()
  for (const [nth, watcher] of audience.entries())
    if (watcher.seqs.slice(0, owner.seqs.filter((seq) => seq > head).length).join() !== wanted)
      addTo(
        tally,
        {
          ...noFindings(),
          lost: [`socket ${nth} saw ${watcher.seqs.length} events, not the same`],
        },
        'sockets',
      )
  for (const watcher of audience) watcher.leave()

  const cutWith = options.stalls
    ? await stall(url, token, { owner, userSessionId, role }, tally)
    : undefined
  owner.leave()
  for (const watcher of beside) watcher.leave()
  return { tally, allReadyMs, allAnsweredMs, createdMs: median(times), heardMs, cutWith }
}

/**
 * Not read while megabytes are said; then what it has and what it gets when it comes back must be
 * everything, once.
 */
async function stall(
  url: string,
  token: string,
  { owner, userSessionId, role }: { owner: Watcher; userSessionId: string; role: string },
  tally: Tally,
): Promise<number | undefined> {
  const from = owner.seqs.at(-1) ?? 0
  const slow = await new Watcher(url, token).open()
  await slow.follow(userSessionId, from)
  slow.pause()
  let stuckAt = 0
  for (let said = 0, stuck = 0; stuck < stuckAnswers; said++) {
    if (said === mostStallPrompts) throw new Error('Nothing waits for the reader that stalls')
    await ask(owner, userSessionId, role, `[[say ${'x'.repeat(stallChars)}]]`)
    stuck = (await waitingBytes(url, token)) > 0 ? stuck + 1 : 0
    if (stuck <= 1) stuckAt = performance.now()
  }
  const closed = slow.next(({ type }) => type === 'closed')
  await pause(Math.max(0, stuckAt + stalledMs - performance.now()))
  slow.resume()
  const { code } = await closed
  const head = owner.seqs.at(-1) ?? 0
  await slow.open()
  const caughtUp = slow.next(({ seq }) => seq === head)
  await slow.follow(userSessionId)
  await caughtUp
  const missing = slow.seqs.findIndex((seq, index) => seq !== from + 1 + index)
  if (missing >= 0 || slow.seqs.length !== head - from)
    addTo(
      tally,
      { ...noFindings(), lost: [`the stalled reader misses or doubles at ${missing}`] },
      'stall',
    )
  slow.leave()
  return code
}

async function waitingBytes(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  return Number(/^holdfast_feed_waiting_bytes (\d+)$/m.exec(await answer.text())?.[1] ?? 0)
}

async function create(watcher: Watcher, projectId: string): Promise<string> {
  const created = watcher.next(({ type }) => type === 'session:created')
  watcher.send({ type: 'session:create', projectId })
  return (await created).sessionId
}

async function spawn(watcher: Watcher, userSessionId: string, role: string): Promise<void> {
  const ready = watcher.next(
    (message) => message.role === role && /^agent:(ready|failed)$/.test(message.type),
  )
  watcher.send({ type: 'agent:spawn', sessionId: userSessionId, role, agentId: 'demo' })
  const { type, error } = await ready
  if (type === 'agent:failed') throw new Error(`${role}: ${error}`)
}

async function ask(
  watcher: Watcher,
  userSessionId: string,
  role: string,
  content: string,
): Promise<string> {
  const answered = watcher.next(
    (message) => message.role === role && message.type === 'agent:response',
  )
  watcher.send({ type: 'agent:message', sessionId: userSessionId, role, content })
  return (await answered).content
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
