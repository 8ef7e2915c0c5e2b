/**
 * Lands what conversations have made (LD), shared by REST and the jobs: asks the machine for a
 * plan, stores it with its steps, has them carried out one by one. Holds no rules and no state.
 */
import { type Caller, theServer } from '../../domain/access/caller.ts'
import { type ErrorCode, Refusal } from '../../domain/errors.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Landing, LandingPlan } from '../../protocol/review/landing.ts'
import type {
  LandingStep,
  LandingWay,
  MadePlan,
  StepAnswer,
} from '../../protocol/review/landing-requests.ts'
import { App } from '../../services/app.ts'
import { promptToResolve } from '../../services/flows/files/prompt-to-resolve.ts'
import { pinnedRemote } from '../../services/review/hosts.ts'
import { findLandingPlace, type LandingPlace } from '../../services/review/landing-place.ts'
import {
  beginLanding,
  beginStep,
  endStep,
  findLanding,
  findUndoable,
  listLandings,
  moveLanding,
  type OpenLanding,
} from '../../services/review/landing-record.ts'
import { findSignIn } from '../../services/review/sign-in.ts'
import { findOwnerOfBranch } from '../../services/worktrees/queries.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import type { CoordinatorRequests } from '../processes/coordinator-requests.ts'
import type { Hosts } from './hosts.ts'

const planWithinMs = 120_000
/** A check takes up to 10 minutes. */
const stepWithinMs = 660_000

export interface WantedLanding {
  readonly how: LandingWay
  readonly into?: string | undefined
  readonly message?: string | undefined
  readonly plan?: string | undefined
}

interface Planned {
  readonly place: LandingPlace
  readonly made: MadePlan
  readonly message: string
}

export interface LandingsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly coordinatorRequests: CoordinatorRequests
  readonly hosts: Hosts
}

export class Landings {
  readonly #app: App
  readonly #clock: Clock
  readonly #coordinatorRequests: CoordinatorRequests
  readonly #hosts: Hosts
  /** Those that are carried out here now. */
  readonly #running = new Map<string, Promise<Landing>>()

  constructor({ store, clock, coordinatorRequests, hosts }: LandingsOptions) {
    this.#app = new App(store)
    this.#clock = clock
    this.#coordinatorRequests = coordinatorRequests
    this.#hosts = hosts
  }

  async plan(who: Caller, key: string, wanted: WantedLanding): Promise<LandingPlan> {
    return shown(await this.#plan(who, key, wanted))
  }

  async land(
    who: Caller,
    key: string,
    wanted: WantedLanding,
    receipt?: ReceiptKey,
  ): Promise<Landing> {
    const planned = await this.#plan(who, key, wanted)
    const { made, place } = planned
    if (wanted.plan !== undefined && wanted.plan !== made.plan)
      throw new Refusal('plan_changed', undefined, { plan: shown(planned) })
    const [block] = made.blocks
    if (block === 'merge_conflict') throw conflictOf(made)
    if (block !== undefined)
      throw new Refusal(block, made.about[block] || undefined, {
        plan: shown(planned),
        ...(made.command !== null && { command: made.command }),
      })
    const { coordinatorId, projectId, worktreeId, top } = place
    const where = { coordinatorId, projectId, worktreeId, top }
    const withWords = { ...made, message: planned.message }
    const landing = { key, by: who.id, plan: withWords, ...where }
    const { id } = await this.#app.run(beginLanding, landing, who, receipt)
    return this.#complete(id, async () => {
      throw new Refusal('plan_changed', undefined, {
        plan: shown(await this.#plan(who, key, wanted)),
      })
    })
  }

  /** Begins a turn with the conflict; what it makes of it is reviewed like any change. */
  async resolve(who: Caller, key: string, into: string | undefined, receipt?: ReceiptKey) {
    const { made, place } = await this.#plan(who, key, { how: 'merge', into })
    if (!made.blocks.includes('merge_conflict'))
      throw new Refusal('wrong_state', refusalText('noConflict'))
    if (place.agentWorks) throw new Refusal('agent_works')
    // What is not committed is, so that the agent has a clean tree to merge in.
    const steps = made.steps.filter((step) => step.do === 'commit')
    for (const step of steps) {
      const answer = await this.#ask<StepAnswer>(who.id, place, key, { kind: 'land-step', step })
      if (answer.outcome !== 'done') throw new Refusal('git_refused', answer.why)
    }
    const files = made.conflicts.map(({ path }) => path)
    const about = { key, by: who.id, into: made.into ?? '', tip: made.tip ?? '', files }
    const { turnId } = await this.#app.run(promptToResolve, about, who, receipt)
    return { turnId, files }
  }

  async undo(who: Caller, key: string): Promise<Landing> {
    const landing = await this.#app.read(findUndoable, { key }, who)
    await this.#app.run(moveLanding, { id: landing.id, key, to: 'undoing', by: who.id }, theServer)
    return this.#undo(landing)
  }

  async list(who: Caller, key: string): Promise<Landing[]> {
    return this.#app.read(listLandings, { key }, who)
  }

  /** Completes a landing that was cut off. */
  async complete({ id, ...landing }: OpenLanding): Promise<void> {
    if (landing.state === 'undoing') await this.#undo({ id, ...landing })
    else await this.#complete(id)
  }

  /** A request that is repeated meanwhile waits for the same. */
  #complete(id: string, onMoved?: () => Promise<never>): Promise<Landing> {
    const running = this.#running.get(id)
    if (running) return running
    const completing = this.#steps(id, onMoved).finally(() => this.#running.delete(id))
    this.#running.set(id, completing)
    return completing
  }

  async #steps(id: string, onMoved?: () => Promise<never>): Promise<Landing> {
    const landing = await this.#app.read(findLanding, { id }, theServer)
    const { key, by } = landing
    for (const { n, isDone, ...step } of landing.state === 'running' ? landing.steps : []) {
      if (isDone) continue
      await this.#app.run(beginStep, { id, key, n }, theServer)
      const answer = await this.#step(landing, { n, step })
      const failure = answer.outcome === 'refused' ? answer : undefined
      const result = answer.outcome === 'done' ? answer : null
      await this.#app.run(endStep, { id, key, n, result, failure }, theServer)
      if (failure?.code === 'plan_changed' && onMoved) await onMoved()
      if (failure) throw new Refusal(failure.code as ErrorCode, failure.why)
    }
    if (landing.state === 'running')
      await this.#app.run(moveLanding, { id, key, to: 'done', by }, theServer)
    return this.#view(key, id)
  }

  async #step(
    landing: OpenLanding,
    { n, step }: { readonly n: number; readonly step: LandingStep },
  ): Promise<StepAnswer & object> {
    const { id, key, by, isolation } = landing
    if (step.do === 'pull-request') {
      const pull = await this.#hosts.pullRequest(id, n, landing.message)
      return { outcome: 'done', ...pull } as StepAnswer
    }
    return this.#ask<StepAnswer>(by, landing, key, {
      kind: 'land-step',
      step,
      landingId: id,
      n,
      ...(step.do === 'check' && { isolation }),
    })
  }

  async #undo(landing: OpenLanding): Promise<Landing> {
    const { id, key, by } = landing
    const move = landing.steps.find((step) => step.do === 'move')
    if (move?.do !== 'move') throw new Refusal('wrong_state', refusalText('nothingLanded'))
    const answer = await this.#ask<StepAnswer>(by, landing, key, {
      kind: 'land-undo',
      branch: move.branch,
      from: move.to,
      to: move.from,
    })
    const to = answer.outcome === 'done' ? 'undone' : 'done'
    await this.#app.run(moveLanding, { id, key, to, by }, theServer)
    if (answer.outcome === 'refused') {
      const code = answer.code === 'not_undone' ? 'wrong_state' : answer.code
      const why =
        answer.code === 'not_undone' ? refusalText('landedOn', { branch: move.branch }) : answer.why
      throw new Refusal(code === 'plan_changed' ? 'wrong_state' : (code as ErrorCode), why)
    }
    return this.#view(key, id)
  }

  async #view(key: string, id: string): Promise<Landing> {
    const landing = (await this.#app.read(listLandings, { key }, theServer)).find(
      (each) => each.id === id,
    )
    if (!landing) throw new Refusal('not_found')
    return landing
  }

  async #plan(who: Caller, key: string, { how, into, message }: WantedLanding): Promise<Planned> {
    const place = await this.#app.read(findLandingPlace, { key, by: who.id }, who)
    const target = into ?? place.baseBranch
    const isLocal = how !== 'push' && how !== 'pull-request'
    if (target === null && isLocal)
      throw new Refusal('invalid_request', inField('into', refusalText('nameABranch')), {
        field: 'into',
      })
    const { coordinatorId, person, coAuthor, check, protectedBranches, title } = place
    const branch = target ?? ''
    const whose = await this.#app.read(findOwnerOfBranch, { coordinatorId, branch }, who)
    const words = message ?? place.message
    const made = await this.#ask<MadePlan>(
      who.id,
      place,
      key,
      {
        kind: 'land-plan',
        how,
        into: target,
        ofCaller: whose === 'callers',
        message: words,
        signature: { ...person, date: new Date(this.#clock.now()).toISOString() },
        coAuthor,
        protectedBranches: isLocal ? protectedBranches : [],
        check,
        address: await this.#app.read(pinnedRemote, { projectId: place.projectId }, who),
        title,
      },
      planWithinMs,
    )
    const signIn = await this.#signIn(who, place.projectId, made)
    const blocks = [
      ...(place.agentWorks ? (['agent_works'] as const) : []),
      ...(whose === 'others' ? (['branch_of_another'] as const) : []),
      ...made.blocks,
      ...(signIn?.block ? [signIn.block] : []),
    ]
    const about = { ...made.about, ...(signIn?.block && { [signIn.block]: signIn.host }) }
    const notes = [...made.notes, ...(signIn?.note ? [signIn.note] : [])]
    const whole = { ...made, blocks: [...new Set(blocks)], about, notes }
    return { place, made: whole, message: words }
  }

  async #signIn(who: Caller, projectId: string, { steps, how }: MadePlan) {
    const push = steps.find((step) => step.do === 'push')
    if (push?.do !== 'push') return undefined
    const { address } = push
    const opensPull = how === 'pull-request'
    return this.#app.read(findSignIn, { address, projectId, by: who.id, opensPull }, who)
  }

  #ask<Value>(
    by: string,
    { coordinatorId, projectId, worktreeId, top }: Omit<LandingPlace, 'person'> | OpenLanding,
    key: string,
    ask: object,
    withinMs = stepWithinMs,
  ): Promise<Value> {
    const request = { ...ask, top, key } as never
    return this.#coordinatorRequests.ask<Value>({
      coordinatorId,
      ask: request,
      projectId,
      worktreeId,
      withinMs,
      by,
    })
  }
}

const shown = ({ made, message }: Planned): LandingPlan => ({
  plan: made.plan,
  how: made.how,
  branch: made.branch,
  into: made.into,
  message,
  blocks: [...made.blocks],
  about: { ...made.about },
  notes: [...made.notes],
  conflicts: [...made.conflicts],
  steps: [...made.steps],
  command: made.command,
})

function conflictOf({ conflicts, into, command }: MadePlan): Refusal {
  const files = conflicts.map(({ path }) => path)
  const count = files.length
  const branch = into ?? ''
  const detail =
    count === 1
      ? refusalText('conflictsOne', { branch })
      : refusalText('conflicts', { branch, count })
  return new Refusal('merge_conflict', detail, { files, sides: [...conflicts], command })
}
