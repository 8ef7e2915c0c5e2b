/**
 * RE11: its backends are terminated in a loop while requests come over HTTP and WebSocket. A
 * request is done, or refused with 503 and Retry-After; never 500. A write that was acknowledged is
 * there once; a refused one is not, unless its refusal said that the outcome is unknown.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { WebSocket } from 'ws'
import { eventually } from './eventually.ts'
import { addTo, type Findings, newTally, noFindings, type Tally } from './oracle.ts'
import { startServer } from './server-process.ts'

export interface TerminatedOptions {
  readonly build: string
  /** Address of an empty store. */
  readonly url: string
  readonly requests: number
}

export interface TerminatedResult {
  readonly requests: number
  readonly refused: number
  readonly terminated: number
  readonly tally: Tally
}

const lanes = 8
/** Between two rounds of terminations: long enough for some requests to come through. */
const pauseMs = 40
const token = 'a-token-for-terminated-backends-0123456789'
const name = 'holdfast_terminated'

interface Run {
  /** Requests that are still to be sent. */
  left: number
  refused: number
  readonly findings: Findings
  /** Names of projects, by what became of their request. */
  readonly created: Set<string>
  readonly refusedNames: Set<string>
}

export async function terminatedBackends({
  build,
  url,
  requests,
}: TerminatedOptions): Promise<TerminatedResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-terminated-'))
  const named = new URL(url)
  named.searchParams.set('application_name', name)
  const server = await startServer(build, data, 0, {
    DATABASE_URL: named.href,
    HOLDFAST_TOKEN: token,
  })
  const run: Run = {
    left: requests,
    refused: 0,
    findings: noFindings(),
    created: new Set(),
    refusedNames: new Set(),
  }
  const tally = newTally()
  const stop = new AbortController()
  try {
    const ready = await server.ready
    const terminating = terminate(url, stop.signal, () => run.left)
    await Promise.all([
      ...Array.from({ length: lanes }, (_, lane) => sendOverHttp(ready.url, lane, run)),
      subscribeOverAndOver(ready.url, run),
    ])
    stop.abort()
    const terminated = await terminating
    await compare(ready.url, run)
    addTo(tally, run.findings, `${terminated} backends terminated`)
    return { requests, refused: run.refused, terminated, tally }
  } finally {
    stop.abort()
    server.child.kill('SIGKILL')
    await server.exited
    await rm(data, { recursive: true, force: true })
  }
}

async function terminate(url: string, signal: AbortSignal, left: () => number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let terminated = 0
  try {
    for (; !signal.aborted; await someAnswered(signal, left)) {
      const sql =
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1'
      terminated += (await client.query(sql, [name])).rowCount ?? 0
    }
    return terminated
  } finally {
    await client.end()
  }
}

/**
 * However slow the machine is, so many requests come through between two rounds; to connect anew
 * for each would take it minutes.
 */
const answersBetween = 8

async function someAnswered(signal: AbortSignal, left: () => number): Promise<void> {
  const before = left()
  do await wait(pauseMs)
  while (!signal.aborted && left() > 0 && before - left() < answersBetween)
}

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

async function sendOverHttp(url: string, lane: number, run: Run): Promise<void> {
  let id = ''
  for (let turn = 0; run.left-- > 0; turn++) {
    const project = `${lane}-${turn}`
    const create = { method: 'POST', body: JSON.stringify({ name: project }) }
    const keyed = { ...create, headers: { ...headers, 'idempotency-key': project } }
    const requests: readonly [string, RequestInit?][] = [
      ['/api/projects', create],
      ['/api/projects?limit=5'],
      ['/api/projects', keyed],
      [`/api/projects/${id}`],
      [`/api/projects/${id}/tasks`],
      ['/api/processes'],
    ]
    const [path, init] = (
      id === '' ? requests[0] : requests[turn % requests.length]
    ) as (typeof requests)[number]
    const answer = await fetch(url + path, { headers, ...init })
    const body = await answer.json()
    judge(`${init?.method ?? 'GET'} ${path}`, answer, body, run)
    if (init && answer.status === 201) {
      run.created.add(project)
      id = body.id
    } else if (init && body.outcome !== 'unknown') run.refusedNames.add(project)
  }
}

function judge(
  what: string,
  { status, headers: said }: Response,
  body: { code?: string },
  run: Run,
): void {
  if (status < 400) return
  run.refused++
  if (status !== 503 || !said.has('retry-after'))
    run.findings.torn.push(`${what}: ${status} ${JSON.stringify(body)}`)
}

/** A feed has no answer but its events; its error may be anything but ours. */
async function subscribeOverAndOver(url: string, run: Run): Promise<void> {
  while (run.left > 0) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, {
      headers,
      perMessageDeflate: false,
    })
    await new Promise<void>((resolve) => {
      socket.on('open', () =>
        socket.send(
          JSON.stringify({ type: 'subscribe', streams: ['home'], cursor: 'old', requestId: 'r' }),
        ),
      )
      socket.on('message', (data) => {
        const text = String(data)
        if (text.includes('"internal"')) run.findings.torn.push(`WebSocket: ${text}`)
        if (!text.includes('"subscribed"')) socket.close()
      })
      socket.on('unexpected-response', (_, { statusCode, headers: said }) => {
        if (statusCode !== 503 || !said['retry-after'])
          run.findings.torn.push(`WebSocket: ${statusCode}`)
        socket.terminate()
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
  }
}

async function compare(url: string, { created, refusedNames, findings }: Run): Promise<void> {
  const names: string[] = []
  for (let cursor = ''; ; ) {
    // The last backends may have been ended a moment ago: a 503 is asked again.
    const answer = await eventually('the list of projects', async () => {
      const asked = await fetch(`${url}/api/projects?limit=100${cursor && `&cursor=${cursor}`}`, {
        headers,
      })
      return asked.status === 503 ? undefined : asked
    })
    const page = (await answer.json()) as { items: { name: string }[]; nextCursor: string | null }
    names.push(...page.items.map((project) => project.name))
    if (!page.nextCursor) break
    cursor = page.nextCursor
  }
  const there = new Set(names)
  for (const project of created)
    if (!there.has(project)) findings.lost.push(`${project} was acknowledged and is not there`)
  for (const project of refusedNames)
    if (there.has(project)) findings.torn.push(`${project} was refused and is there`)
  if (there.size < names.length)
    findings.doubled.push(`${names.length - there.size} projects are there twice`)
}
