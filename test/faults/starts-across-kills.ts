/**
 * CO6: an agent is spawned into a role and the server killed with -9 around that moment, again and
 * again: whatever it had written down of the order, the agent is ready after the restart, once, and
 * has not failed.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { Device, type Place } from './consoles/device.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { chance } from './random.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const readyWithinMs = 30_000
/** From before the order is written down to after the process is there. */
const latestKillMs = 16
const agentId = 'starter'
const role = 'starter'

export interface StartsOptions {
  readonly build: string
  readonly seed: string
  readonly kills: number
  /** Kills only what has said that it has the order. */
  readonly acknowledged?: boolean
  /** Ends at the first finding. */
  readonly stopEarly?: boolean
}

export interface StartsResult {
  readonly kills: number
  readonly tally: Tally
}

export async function startsAcrossKills({
  build,
  seed,
  kills,
  acknowledged,
  stopEarly = false,
}: StartsOptions): Promise<StartsResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-starts-across-kills-'))
  const dice = chance(seed)
  const result = { kills: 0, tally: newTally() }
  let server: ServerProcess | undefined
  const start = async (port: number): Promise<{ url: string; token: string }> => {
    server = await startServer(build, data, port, {}, 'up')
    return server.ready
  }
  let device: Device | undefined
  try {
    const { url, token } = await start(0)
    const place: Place = { url, token, userSessionId: '' }
    device = new Device(place, () => Number.POSITIVE_INFINITY)
    place.userSessionId = await device.create(await begin(place))
    void device.stay()
    for (; result.kills < kills; result.kills++) {
      const spawn = { type: 'agent:spawn', role, requestId: `spawn ${result.kills}` }
      const before = device.log.length
      const taken = device.sees(({ type }) => type === 'agent:spawning')
      device.say(spawn)
      await (acknowledged
        ? taken
        : new Promise((resolve) => setTimeout(resolve, dice.below(latestKillMs))))
      server?.child.kill('SIGKILL')
      await server?.exited
      await start(Number(new URL(url).port))
      // If it was never heard, it is heard now; otherwise it is the same request.
      device.say(spawn)
      const heard = await outcome(device, before)
      const findings = noFindings()
      if (heard.length === 0) findings.lost.push(`not ready within ${readyWithinMs / 1000} s`)
      if (heard.some(({ type }) => type === 'agent:failed'))
        findings.torn.push(JSON.stringify(heard))
      if (heard.filter(({ type }) => type === 'agent:ready').length > 1)
        findings.doubled.push('it was ready twice')
      addTo(result.tally, findings, `seed ${seed}, kill ${result.kills}`)
      if (findings.lost.length > 0 || (stopEarly && findings.torn.length > 0)) break
      device.say({ type: 'agent:terminate', role })
      await device.sees(({ type }) => type === 'agent:terminated')
    }
    return result
  } finally {
    device?.leave()
    server?.child.kill('SIGKILL')
    await server?.exited
    await endCoordinator(data)
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

const isOutcome = ({ type }: { type: string }): boolean =>
  type === 'agent:ready' || type === 'agent:failed'

/** What it has come to since then; nothing when it takes too long. */
async function outcome(device: Device, since: number): Promise<{ type: string }[]> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, readyWithinMs).unref())
  const now = (): { type: string }[] => device.log.slice(since).filter(isOutcome)
  if (now().length === 0) await Promise.race([device.sees(isOutcome), late])
  return now()
}

async function begin({ url, token }: Place): Promise<string> {
  const client = createClient({ url, token })
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'starts' } })
  const entry = { id: agentId, name: 'Starter', command: 'holdfast', args: ['demo-acp'] }
  await client.post('/api/agents', { body: { ...entry, protocol: 'acp' } })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
    body: {},
  })
  return projectId
}
