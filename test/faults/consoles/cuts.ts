/**
 * RL4, US3: one person's console on two devices whose sockets are cut at random messages while an
 * agent answers turn after turn, and whose server is killed with -9 in the middle of some of these
 * turns and started again. Each device resumes behind the last number it has. In the end both have
 * seen the log of the server: every message once, in order, to the letter; and every turn was
 * answered whole.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createClient } from '../../../src/client/client.ts'
import { endCoordinator } from '../../support/coordinator-process.ts'
import { addTo, newTally, noFindings, type Tally } from '../oracle.ts'
import { chance } from '../random.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { Device, type Place } from './device.ts'

export interface CutsOptions {
  readonly build: string
  readonly seed: string
  /** Cuts of sockets, on both devices together. */
  readonly cuts: number
  /** Kills of the server. */
  readonly kills: number
}

export interface CutsResult {
  readonly cuts: number
  readonly kills: number
  readonly turns: number
  readonly events: number
  readonly tally: Tally
}

const role = 'talker'
const pieces = 12
/** More than the 50 ms within which pieces are put together. */
const pieceMs = 60
/** The longest a device stays, in messages. */
const longestStay = 6
const pollMs = 50
const waitsForMs = 60_000

export async function cuts({
  build,
  seed,
  cuts: cutsWanted,
  kills: killsWanted,
}: CutsOptions): Promise<CutsResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-cuts-'))
  const dice = chance(seed)
  const tally = newTally()
  let server: ServerProcess = await startServer(build, data, 0, {}, 'up')
  const devices: Device[] = []
  try {
    const { url, token } = await server.ready
    const place: Place = { url, token, userSessionId: '' }
    const port = Number(new URL(url).port)
    const owner = new Device(place, () => Number.POSITIVE_INFINITY)
    devices.push(owner)
    await begin(place, owner)
    for (const name of ['laptop', 'phone']) {
      const own = dice.fork(name)
      devices.push(new Device(place, () => 1 + own.below(longestStay)))
    }
    for (const device of devices) void device.stay()
    const done = () => devices.reduce((sum, { cuts: of }) => sum + of, 0)
    const result = { cuts: 0, kills: 0, turns: 0, events: 0, tally }
    while (done() < cutsWanted || result.kills < killsWanted) {
      result.turns++
      owner.say({
        type: 'agent:message',
        role,
        content: `[[slow ${pieces} ${pieceMs}]] turn ${result.turns}`,
      })
      if (result.kills < killsWanted && dice.one(0.5)) {
        await owner.sees(({ type, update }) => type === 'agent:update' && update.kind === 'text')
        await new Promise((resolve) => setTimeout(resolve, dice.below(pieces * pieceMs)))
        server.child.kill('SIGKILL')
        await server.exited
        server = await startServer(build, data, port, {}, 'up')
        await server.ready
        result.kills++
      }
      await withLimit(owner.seesAnswer(result.turns))
    }
    const head = owner.log.at(-1)?.seq ?? 0
    // Nothing more comes: a device that has not as much is still on its way.
    await withLimit(Promise.all(devices.map((device) => device.reaches(head))))
    const whole = new Device(place, () => Number.POSITIVE_INFINITY)
    devices.push(whole)
    void whole.stay()
    await withLimit(whole.reaches(head))
    judge(tally, whole, devices, result.turns)
    return { ...result, cuts: done(), events: head }
  } finally {
    for (const device of devices) device.leave()
    server.child.kill('SIGKILL')
    await server.exited
    await endCoordinator(data)
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A session with one agent that is ready. */
async function begin(place: Place, owner: Device): Promise<void> {
  const client = createClient(place)
  const pause = () => new Promise((resolve) => setTimeout(resolve, pollMs))
  while ((await client.get('/api/agents', {})).items.every(({ id }) => id !== 'demo')) await pause()
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'cuts' } })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: 'demo' },
    body: {},
  })
  while ((await client.get('/api/coordinators')).items.every(({ state }) => state !== 'connected'))
    await pause()
  place.userSessionId = await owner.create(projectId)
  owner.say({ type: 'agent:spawn', role })
  await withLimit(owner.sees(({ type }) => type === 'agent:ready'))
}

function judge(tally: Tally, whole: Device, devices: readonly Device[], turns: number): void {
  const findings = noFindings()
  for (const [index, { seq }] of whole.log.entries())
    if (seq !== index + 1) findings.torn.push(`number ${seq} at ${index + 1}`)
  for (const [nth, device] of devices.entries()) {
    const numbers = device.log.map(({ seq }) => seq)
    if (new Set(numbers).size < numbers.length)
      findings.doubled.push(`device ${nth} saw something twice`)
    else if (numbers.some((seq, index) => index > 0 && seq < (numbers[index - 1] ?? 0)))
      findings.reordered.push(`device ${nth} saw something too late`)
    else if (!isDeepStrictEqual(device.log, whole.log))
      findings.lost.push(`device ${nth} saw ${numbers.length} of ${whole.log.length}`)
  }
  const said = Array.from({ length: pieces }, (_, index) => `piece ${index + 1}`).join(' ')
  const answers = whole.log
    .filter(({ type }) => type === 'agent:response')
    .map(({ content }) => content)
  const wanted = Array.from({ length: turns }, (_, index) => `${said}\necho: turn ${index + 1}`)
  if (!isDeepStrictEqual(answers, wanted))
    findings.lost.push(`the answers are ${JSON.stringify(answers).slice(0, 300)}`)
  const streamed = whole.log
    .map(({ type, update }) =>
      type === 'agent:update' && update.kind === 'text' ? update.text : '',
    )
    .join('')
  if (streamed !== wanted.join('')) findings.torn.push('what was streamed is not what was answered')
  addTo(tally, findings, 'in the end')
}

async function withLimit<Result>(work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`Nothing more was heard for ${waitsForMs / 1000} s`)),
    waitsForMs,
  )
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
