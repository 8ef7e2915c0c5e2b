/**
 * A project whose agent can be started, and coordinators that are played by the test, through the
 * very parts the endpoints use.
 */

import type { Who } from '../../../src/domain/access/caller.ts'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import type { Clock } from '../../../src/platform/time/clock.ts'
import {
  type CoordinatorTaken,
  type CoordinatorWelcome,
  type LaunchParticulars,
  type LinkFact,
  linkVersion,
} from '../../../src/protocol/processes/link.ts'
import type { Process } from '../../../src/protocol/processes/process.ts'
import { sandboxLimits } from '../../../src/protocol/processes/sandbox-limits.ts'
import { Tails } from '../../../src/server/live/tail.ts'
import { Launches } from '../../../src/server/processes/launches.ts'
import { LinkedMachines } from '../../../src/server/processes/linked-machines.ts'
import type { Presented } from '../../../src/server/security/credentials.ts'
import { findCredential } from '../../../src/services/access/queries.ts'
import { changeAgent } from '../../../src/services/agents/change-agent.ts'
import { getProcess, listProcesses } from '../../../src/services/processes/queries.ts'
import type { Store } from '../../../src/store/store.ts'
import { sealedEnvironment, testSeals } from '../../support/seals.ts'
import { nowhere, openOffice } from '../agent-sessions/agent-office.ts'
import { by } from '../projects/installation.ts'

export const rules = {
  maxConcurrent: 64,
  aloneMinutes: 30,
  takeoverMinutes: null,
  sandboxLimits: sandboxLimits(),
}

/** A fact without its number. */
export type Said = LinkFact extends infer Fact
  ? Fact extends LinkFact
    ? Omit<Fact, 'n'>
    : never
  : never

export const started = (launchId: string, pid = 4711): Said => ({
  type: 'process-started',
  launchId,
  pid,
  birth: '1',
})

export const exited = (
  launchId: string,
  how: { exitCode?: number; signal?: string; stopped?: boolean } = {},
): Said => ({
  type: 'process-exited',
  launchId,
  exitCode: how.signal === undefined ? (how.exitCode ?? 0) : null,
  signal: how.signal ?? null,
  found: null,
  stopped: how.stopped ?? false,
})

let machines = 0

class PlayedCoordinator {
  readonly id: string
  readonly who: Who
  readonly #launches: Launches
  instance: string
  epoch = 0
  greeting = ''
  /** What it says of its machine. */
  about: {
    readonly labels?: string[]
    readonly capacity?: number
    readonly threads?: boolean
  } = {}
  /** The number of its last fact. */
  n = 0

  constructor(launches: Launches, id: string) {
    const scopes = ['coordinator'] as const
    this.id = id
    this.who = {
      credentialId: id,
      kind: 'coordinator',
      id,
      name: id,
      role: null,
      scopes,
      expiresAt: null,
    }
    this.instance = `instance of ${id}`
    this.#launches = launches
  }

  async register(
    instance = this.instance,
    epoch: number | null = this.epoch || null,
  ): Promise<CoordinatorWelcome> {
    const machine = {
      linkVersion,
      version: '1',
      machine: this.id,
      bootId: 'b',
      pid: 1,
      ...this.about,
    }
    const { welcome, greeting } = await this.#launches.register(this.who, {
      type: 'coordinator:hello',
      instance,
      epoch,
      ...machine,
    })
    this.instance = instance
    this.epoch = welcome.epoch
    this.greeting = greeting
    this.n = Math.max(this.n, welcome.lastFact)
    return welcome
  }

  take(launchId: string, epoch = this.epoch): Promise<LaunchParticulars> {
    return this.#launches.take(this.who, { type: 'coordinator:take', launchId, epoch })
  }

  tell(...said: Said[]): Promise<CoordinatorTaken> {
    return this.tellIn(this.epoch, ...said)
  }

  tellIn(epoch: number, ...said: Said[]): Promise<CoordinatorTaken> {
    const facts = said.map((each) => ({ ...each, n: ++this.n }) as LinkFact)
    return this.#launches.facts(this.who, { type: 'coordinator:facts', epoch, facts })
  }

  /** Takes the launch and says that it runs. */
  async start(launchId: string): Promise<LaunchParticulars> {
    const particulars = await this.take(launchId)
    await this.tell(started(launchId))
    return particulars
  }
}

export const playCoordinator = (
  launches: Launches,
  id = `coordinator-${++machines}`,
): PlayedCoordinator => new PlayedCoordinator(launches, id)

export const linkedMachines = (store: Store, clock: Clock, seals = testSeals): LinkedMachines => {
  const basics = { store, clock, logger: nowhere }
  return new LinkedMachines({ ...basics, tails: new Tails(basics), seals }, rules)
}

export async function openPad(
  store: Store,
  clock: Clock,
  settings: Readonly<Record<string, number>> = {},
  seals = testSeals,
) {
  const office = await openOffice(store, clock, settings)
  const { projectId, agentId } = office
  const launches = new Launches(store, rules, linkedMachines(store, clock, seals), seals)
  const startable = async (id: string): Promise<string> => {
    await store.run(changeAgent, {
      agentId: id,
      command: '/bin/agent',
      args: ['--now'],
      env: sealedEnvironment({ KEY: 'value' }),
      by,
    })
    return id
  }
  await startable(agentId)
  const coordinator = playCoordinator(launches)
  await coordinator.register()
  /** As the process that was given this token. */
  const bearer = async (token: string): Promise<Presented> => {
    const hash = hashSecret(token)
    const who = await store.query(findCredential, { hash })
    if (!who) throw new Error('the token is dead')
    return { who, secret: token, hash, by: 'bearer' }
  }
  return {
    ...office,
    launches,
    coordinator,
    startable,
    bearer,
    order: (id = agentId): Promise<Process | null> =>
      launches.order({ agentId: id, projectId, lane: '' }),
    signInAs: async (token: string) =>
      office.calls.authenticate(await bearer(token), { projectId }),
    process: (launchId: string) => store.query(getProcess, { viewer: null, launchId }),
    processes: async () =>
      (await store.query(listProcesses, { viewer: null, projectId, limit: 200 })).items,
  }
}

export type Pad = Awaited<ReturnType<typeof openPad>>

/** Ordered, or the test is wrong. */
export async function ordered(pad: Pad): Promise<Process> {
  const process = await pad.order()
  if (!process) throw new Error('nothing was ordered')
  return process
}

/** From the order to a process that has signed in. */
export async function running(pad: Pad) {
  const { launchId } = await ordered(pad)
  const { launchToken } = await pad.coordinator.start(launchId)
  const signedIn = await pad.signInAs(launchToken)
  if (signedIn.status !== 'ok') throw new Error('there was no work')
  return {
    launchId,
    launchToken,
    agentSessionId: signedIn.agentSession.id,
    agentSession: signedIn.agentSession,
  }
}
