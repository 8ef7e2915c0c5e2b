/**
 * RE5: what a coordinator said before it was replaced or taken over, and what it says afterwards,
 * on another node than the one that replaced it. The oracle is the log of home: nothing about a
 * launch may stand behind the moment its coordinator's epoch was raised, unless the successor said
 * it. Whatever the old one is told to have been stored afterwards is stale too.
 */
import type { Who } from '../../src/domain/access/caller.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { type LinkFact, linkVersion } from '../../src/protocol/processes/link.ts'
import { sandboxLimits } from '../../src/protocol/processes/sandbox-limits.ts'
import type { Store } from '../../src/store/store.ts'
import { nowhere } from '../services/agent-sessions/agent-office.ts'
import { testSeals } from '../support/seals.ts'
import { loadPiece } from './build.ts'
import { newTally, type Tally } from './oracle.ts'
import { type Chance, chance } from './random.ts'
import { type CountedStore, countedStore } from './reads-of-store.ts'

export interface FencingOptions {
  readonly build: string
  readonly url: string
  readonly seed: string
  readonly rounds: number
  readonly stopEarly?: boolean
}

export interface FencingResult {
  readonly tally: Tally
  readonly rounds: number
  /** Messages that were refused though they were sent before the epoch was raised. */
  readonly overtaken: number
}

type Piece = typeof import('./pieces/launches.ts')
type Launches = InstanceType<Piece['Launches']>

interface World {
  readonly nodes: readonly [CountedStore, CountedStore]
  readonly launches: readonly [Launches, Launches]
  readonly useCases: Piece
}

const by = 'owner'

export async function fencing({
  build,
  url,
  seed,
  rounds,
  stopEarly,
}: FencingOptions): Promise<FencingResult> {
  const world = await openWorld(build, url)
  const random = chance(seed)
  const tally = newTally()
  let [overtaken, done, homeSeq] = [0, 0, 0]
  try {
    for (; done < rounds && !(stopEarly && tally.torn > 0); done++) {
      const played = await play(world, `${done}`, random.fork(done))
      if (played.overtaken) overtaken++
      const { stale, seq } = await staleIn(world.nodes[0].store, homeSeq, played)
      homeSeq = seq
      if (!stale) continue
      tally.torn++
      tally.first ??= `round ${done} of ${seed}: ${stale}`
    }
    return { tally, rounds: done, overtaken }
  } finally {
    for (const { store } of world.nodes) await store.close()
  }
}

async function openWorld(build: string, url: string): Promise<World> {
  const piece = await loadPiece(build, 'launches')
  const nodes = [
    countedStore(await piece.openPostgresStore({ url })),
    countedStore(await piece.openPostgresStore({ url })),
  ] as const
  const rules = {
    maxConcurrent: 64,
    aloneMinutes: 30,
    takeoverMinutes: null,
    sandboxLimits: sandboxLimits(),
  }
  const machinesOf = (store: Store) => {
    const basics = { store, clock: systemClock, logger: nowhere }
    const tails = new piece.Tails(basics)
    return new piece.LinkedMachines({ ...basics, tails, seals: testSeals }, rules)
  }
  const launchesOf = ({ store }: CountedStore): Launches =>
    new piece.Launches(store, rules, machinesOf(store), testSeals)
  return { nodes, launches: [launchesOf(nodes[0]), launchesOf(nodes[1])], useCases: piece }
}

interface Played {
  readonly coordinatorId: string
  readonly launchId: string
  readonly epoch: number
  /** The old one was told that something it said afterwards is stored. */
  readonly believed: boolean
  readonly overtaken: boolean
}

async function play(world: World, name: string, random: Chance): Promise<Played> {
  const { createProject, createAgent, assignAgent, postMessage } = world.useCases
  const [{ store }] = world.nodes
  const { id: projectId } = await store.run(createProject, { name, by })
  const { id: agentId } = await store.run(createAgent, {
    name,
    protocol: 'mcp',
    command: 'agent',
    by,
  })
  await store.run(assignAgent, { projectId, agentId, by })
  const [here, there] = world.launches
  const coordinatorId = `coordinator-${name}`
  const scopes = ['coordinator'] as const
  const who: Who = {
    credentialId: coordinatorId,
    kind: 'coordinator',
    id: coordinatorId,
    name,
    role: null,
    scopes,
    expiresAt: null,
  }
  const hello = {
    type: 'coordinator:hello',
    linkVersion,
    version: '1',
    machine: name,
    bootId: 'b',
    pid: 1,
    epoch: null,
  } as const
  const { epoch } = (await here.register(who, { ...hello, instance: 'old' })).welcome
  await store.run(postMessage, {
    projectId,
    toAgentId: agentId,
    content: 'hello',
    by,
  })
  const launchId = (await here.order({ agentId, projectId, lane: '' }))?.launchId ?? ''
  await here.take(who, { type: 'coordinator:take', launchId, epoch })
  const tell = (fact: LinkFact) =>
    here.facts(who, { type: 'coordinator:facts', epoch, facts: [fact] }).then(
      () => true,
      () => false,
    )
  const report = () => tell({ n: 1, type: 'process-started', launchId, pid: 111, birth: '1' })
  const takenOver = random.one(0.2)
  const replace = (): Promise<unknown> =>
    takenOver
      ? there.takeOver(coordinatorId, by)
      : there.register(who, { ...hello, instance: 'successor' })
  const inTime = await race(world, random, report, replace)
  const exit = { exitCode: 1, signal: null, found: null, stopped: false }
  const believed = await tell({ n: 2, type: 'process-exited', launchId, ...exit })
  return { coordinatorId, launchId, epoch, believed, overtaken: !inTime }
}

/** In reads of the store; a report makes four, in two runs. The last one: until it is done. */
const headStarts = [0, 1, 2, 3, 4, Number.POSITIVE_INFINITY]

/** Either begins, and the other follows after its head start; answers what the report does. */
async function race<T>(
  { nodes: [here, there] }: World,
  random: Chance,
  report: () => Promise<T>,
  replace: () => Promise<unknown>,
): Promise<T> {
  const headStart = random.pick(headStarts)
  if (random.one(0.5)) {
    const reported = report()
    await here.after(headStart, reported)
    await replace()
    return reported
  }
  const replaced = replace()
  await there.after(headStart, replaced)
  const [reported] = await Promise.all([report(), replaced])
  return reported
}

async function staleIn(
  store: Store,
  from: number,
  played: Played,
): Promise<{ stale?: string; seq: number }> {
  const { coordinatorId, launchId, epoch, believed } = played
  let seq = from
  let raised = false
  let stale = believed ? 'what it said afterwards was stored' : undefined
  for (;;) {
    const events = await store.eventsAfter('home', seq, 500)
    for (const event of events) {
      seq = event.seq
      const data = JSON.parse(event.data ?? (await bodyOf(store, event)))
      if (data.coordinator?.id === coordinatorId && data.coordinator.epoch > epoch) raised = true
      else if (raised && data.process?.launchId === launchId)
        stale ??= `${event.type} stands behind the raised epoch`
    }
    if (events.length < 500) return stale ? { stale, seq } : { seq }
  }
}

async function bodyOf(
  store: Store,
  { refStream, refSeq }: { refStream: string | null; refSeq: number | null },
): Promise<string> {
  const [event] = await store.eventsAfter(refStream as 'home', (refSeq ?? 1) - 1, 1)
  return event?.data ?? '{}'
}
