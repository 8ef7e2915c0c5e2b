/**
 * RE6: every way a process can end, again and again, with agents that make it hard. Ten seconds
 * later nothing of it may be left, and nothing may have happened to bystanders: a look-alike, a
 * neighbour of the same coordinator, and a process with a number that was once ours.
 */
import { isRunning, machine, type Started } from '../../support/script-process.ts'
import { loadPiece } from '../build.ts'
import { addTo, type Findings, newTally, noFindings, type Tally } from '../oracle.ts'
import { chance } from '../random.ts'
import { families } from './families.ts'
import { World } from './world.ts'

const endedWithinMs = 10_000

export interface EndsOptions {
  readonly build: string
  readonly seed: string
  readonly cycles: number
  /** Which families take part; all when left out. */
  readonly kinds?: readonly string[]
  readonly stopEarly?: boolean
}

export interface EndsResult {
  readonly cycles: number
  readonly processes: number
  readonly slowestMs: number
  readonly tally: Tally
}

interface Victim {
  readonly launchId: string
  readonly pid: number
}

interface Way {
  /** The coordinator goes too, or loses all it has: then nobody is a neighbour. */
  readonly endsAll: boolean
  readonly act: (world: World, victims: readonly Victim[]) => void | Promise<void>
  /** The server hears of each end exactly once. */
  readonly tells: boolean
}

const eachGets = (signal: NodeJS.Signals) => (_: World, victims: readonly Victim[]) => {
  for (const { pid } of victims) process.kill(pid, signal)
}

const ways: Readonly<Record<string, Way>> = {
  'a stop that was ordered': {
    endsAll: false,
    tells: true,
    act: ({ server }, victims) => {
      for (const { launchId } of victims) server.stop(launchId)
    },
  },
  'by itself': { endsAll: false, tells: true, act: eachGets('SIGUSR1') },
  'kill -9 of the agent': { endsAll: false, tells: true, act: eachGets('SIGKILL') },
  'a coordinator stopped on purpose': {
    endsAll: true,
    tells: true,
    act: async (world) => {
      world.signalCoordinator('SIGTERM')
      await world.coordinatorEnds()
      await world.startCoordinator()
    },
  },
  'a coordinator stopped twice': {
    endsAll: true,
    tells: true,
    act: async (world) => {
      world.signalCoordinator('SIGTERM', 'SIGINT')
      await world.coordinatorEnds()
      await world.startCoordinator()
    },
  },
  'kill -9 of the coordinator': {
    endsAll: true,
    tells: true,
    act: async (world) => {
      world.signalCoordinator('SIGKILL')
      await world.coordinatorEnds()
      await world.startCoordinator()
    },
  },
  'a takeover': {
    endsAll: true,
    tells: false,
    act: async ({ server }) => {
      const registered = server.hellos.length
      server.takeOver()
      server.order({ command: 'no-such-agent' })
      await server.until(() => server.hellos.length > registered)
    },
  },
}

export async function processEnds({
  build,
  seed,
  cycles,
  kinds: from = Object.keys(families),
  stopEarly,
}: EndsOptions): Promise<EndsResult> {
  const dice = chance(seed)
  const world = await World.open(build)
  const result = { cycles: 0, processes: 0, slowestMs: 0, tally: newTally() }
  const order = dice.shuffled(Object.keys(ways))
  try {
    await world.startCoordinator()
    for (; result.cycles < cycles; result.cycles++) {
      const name = order[result.cycles % order.length] ?? ''
      const kinds = [dice.pick(from), dice.pick(from)]
      const { findings, processes, tookMs } = await cycle(world, build, ways[name] as Way, kinds)
      result.processes += processes
      result.slowestMs = Math.max(result.slowestMs, tookMs)
      addTo(
        result.tally,
        findings,
        `seed ${seed}, cycle ${result.cycles}, ${name}, ${kinds.join(' and ')}`,
      )
      if (stopEarly && result.tally.first) break
    }
    return result
  } finally {
    await world.close()
  }
}

async function cycle(world: World, build: string, way: Way, kinds: readonly string[]) {
  const scripts = kinds.map((kind) => families[kind] ?? '')
  const victims = await Promise.all(scripts.map((each) => world.launch(each)))
  const neighbour = await world.launch(families['alone'] ?? '')
  const ending = way.endsAll ? [...victims, neighbour] : victims
  const launchIds = ending.map(({ launchId }) => launchId)
  const family = await world.familyOf(
    launchIds,
    ending.map(({ pid }) => pid),
  )
  const bystanders = await Promise.all(
    victims.map(({ launchId }, at) => world.lookAlike(scripts[at] ?? '', launchId)),
  )
  try {
    const startedAt = performance.now()
    const [{ left, tookMs }] = await Promise.all([
      world
        .left(launchIds, family, endedWithinMs)
        .then((left) => ({ left, tookMs: performance.now() - startedAt })),
      way.act(world, victims),
    ])
    const findings = noFindings()
    if (left.length > 0)
      findings.torn.push(`${left.length} processes were left after ${endedWithinMs / 1000} s`)
    if (way.tells) await checkReported(world, launchIds, findings)
    if (!way.endsAll && !isRunning(neighbour.pid)) findings.lost.push('the neighbour was hit')
    await tryRecycled(build, world.folderId, bystanders)
    const hit = bystanders.filter(
      ({ child }) => child.exitCode !== null || child.signalCode !== null,
    )
    if (hit.length > 0) findings.lost.push(`${hit.length} bystanders were hit`)
    if (!way.endsAll) await end(world, neighbour)
    return { findings, processes: family.length, tookMs }
  } finally {
    await world.endBystanders(
      bystanders,
      victims.map(({ launchId }) => launchId),
    )
  }
}

async function checkReported(
  { server }: World,
  launchIds: readonly string[],
  findings: Findings,
): Promise<void> {
  await server.until(() => launchIds.every((id) => server.factsOf(id, 'process-exited').length > 0))
  const often = launchIds.filter((id) => server.factsOf(id, 'process-exited').length > 1)
  if (often.length > 0) findings.doubled.push(`${often.length} ends were told twice`)
}

async function end({ server }: World, { launchId }: Victim): Promise<void> {
  server.stop(launchId)
  await server.until(() => server.factsOf(launchId, 'process-exited').length > 0)
}

/** A record of a process that has long gone; its number is a bystander's now. */
async function tryRecycled(
  build: string,
  folderId: string,
  bystanders: readonly Started[],
): Promise<void> {
  const { ProcessTable, ProcessTree } = await loadPiece(build, 'process-tree')
  for (const { pid } of bystanders) {
    const record = new ProcessTree({ launchId: `long gone ${pid}`, folderId }, { pid, birth: '1' })
    await record.end(new ProcessTable(machine), { graceMs: 0 })
  }
}
