/**
 * What many launches leave behind in the coordinator (RE8): agents that do nothing are spawned and
 * terminated as fast as it goes, and the coordinator's memory is looked at after each hundred. A
 * leak that an hour of people's work shows is seen here in a minute.
 *
 *   node test/soak/launches.ts --launches 2000 --at-once 8
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '../../src/client/client.ts'
import { openRelay } from '../../src/client/relay.ts'
import { startHoldfast } from '../support/running-server.ts'
import { flatness } from './flat.ts'
import { figuresOf } from './process-figures.ts'

const { values } = parseArgs({
  options: {
    launches: { type: 'string', default: '2000' },
    'at-once': { type: 'string', default: '8' },
  },
})
const wanted = Number(values.launches)
const atOnce = Number(values['at-once'])
const sampleEvery = 100
const mostGrowth = 1.1
const slackMiB = 8

const holdfast = await startHoldfast({ up: true })
const client = createClient(holdfast)
const { id: projectId } = await client.post('/api/projects', { body: { name: 'launches' } })
const script = join(import.meta.dirname, '..', '..', 'bench', 'bare', 'acp-agent.cjs')
await client.post('/api/agents', {
  body: { id: 'bare', name: 'bare', protocol: 'acp', command: process.execPath, args: [script] },
})
await client.put('/api/projects/{projectId}/agents/{agentId}', {
  params: { projectId, agentId: 'bare' },
  body: {},
})

const samples: number[] = []
let launched = 0
const relay = openRelay(holdfast)
await Promise.all(Array.from({ length: atOnce }, (_, n) => spawnAgain(`role-${n}`)))
relay.close()
const { before, after, growth, flat } = flatness(samples, mostGrowth, slackMiB)
console.log(
  `${launched} launches: ${before.toFixed(0)} MiB, then ${after.toFixed(0)} MiB, ${growth.toFixed(2)}x, ${flat ? 'flat' : 'GROWS'}`,
)
const stopped = await holdfast.stop()
process.exit(flat && stopped === 0 ? 0 : 1)

async function spawnAgain(role: string): Promise<void> {
  const userSessionId = await relay.create(projectId)
  let heard = Promise.withResolvers<void>()
  const awaited = { type: '' }
  relay.follow({
    userSessionId,
    lastSeq: 0,
    onEvent: ({ type }) => {
      if (type === awaited.type) heard.resolve()
      if (type === 'agent:failed') heard.reject(new Error('an agent failed'))
    },
    onSnapshot: () => {},
  })
  const ask = async (type: 'agent:spawn' | 'agent:terminate', answer: string): Promise<void> => {
    heard = Promise.withResolvers<void>()
    awaited.type = answer
    await Promise.all([relay.request({ type, ['sessionId']: userSessionId, role }), heard.promise])
  }
  while (launched < wanted) {
    if (++launched % sampleEvery === 0) look()
    await ask('agent:spawn', 'agent:ready')
    await ask('agent:terminate', 'agent:terminated')
  }
}

function look(): void {
  const { pid } = JSON.parse(
    readFileSync(join(holdfast.data, 'run', 'coordinator.json'), 'utf8'),
  ) as { pid: number }
  const { rssMiB, descriptors } = figuresOf(pid)
  samples.push(rssMiB)
  console.log(`${launched} launches: ${rssMiB.toFixed(0)} MiB, ${descriptors} open files`)
}
