/**
 * Landings (LD): each is recorded with its steps before the first of them runs, and each step
 * before it begins. What was cut off goes on from the first step that is not done.
 */
import { isolationOf } from '../../domain/agents/isolation.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Landing } from '../../protocol/review/landing.ts'
import type { LandingStep, MadePlan } from '../../protocol/review/landing-requests.ts'
import { fields, jsonIn } from '../../store/fields.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import {
  type LandingRow,
  selectLandingsOf,
  selectOpenLandings,
} from '../../store/review/landings.ts'
import { defineQuery, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { existingConversation } from '../conversations/conversation-record.ts'

const maxShown = 100

export interface NewLanding {
  readonly key: string
  readonly by: string
  readonly projectId: string
  readonly coordinatorId: string
  readonly worktreeId: string
  readonly top: string
  readonly plan: MadePlan
}

export interface OpenLanding {
  readonly id: string
  readonly key: string
  readonly projectId: string
  readonly coordinatorId: string
  readonly worktreeId: string
  readonly top: string
  readonly by: string
  readonly state: LandingRow['state']
  /** How the project's check is isolated: as the conversation's agent is. */
  readonly isolation: object | null
  readonly message: string
  readonly steps: readonly (LandingStep & { readonly n: number; readonly isDone: boolean })[]
}

export const beginLanding = defineUseCase('begin-landing', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: NewLanding) => [conversationStream(key)],
  run: async (tx, input, { now, random }): Promise<{ id: string }> => {
    const { key, by, plan, projectId, coordinatorId, worktreeId, top } = input
    await existingConversation(tx, key)
    const [newest] = await tx.all(selectLandingsOf, { key, limit: 1 })
    if (newest && (newest.state === 'running' || newest.state === 'undoing'))
      throw new Refusal('busy', refusalText('landingRuns'))
    const id = random.uuid()
    await tx.insert('landings', {
      id,
      conversation_key: key,
      project_id: projectId,
      coordinator_id: coordinatorId,
      worktree_id: worktreeId,
      top,
      how: plan.how,
      state: 'running',
      plan: JSON.stringify(plan),
      asked_by: by,
      asked_at: now,
    })
    for (const [n, step] of plan.steps.entries())
      await tx.insert('landing_steps', {
        landing_id: id,
        n,
        conversation_key: key,
        step: JSON.stringify(step),
        state: 'planned',
      })
    const push = plan.steps.find((step) => step.do === 'push')
    // Pinned by who sees it in the first plan.
    if (push && !(await tx.row('project_remotes', { project_id: projectId })))
      await tx.insert('project_remotes', {
        project_id: projectId,
        address: push.address,
        set_by: by,
        set_at: now,
      })
    tellChanged(tx, { id, conversation_key: key }, 'running', by)
    return { id }
  },
})

const tellChanged = (
  tx: Tx,
  { id, conversation_key: key }: Pick<LandingRow, 'id' | 'conversation_key'>,
  state: LandingRow['state'],
  by: string,
): void =>
  void tx.append(conversationStream(key), {
    type: 'landing-changed',
    data: { landingId: id, state, by },
  })

interface WhichStep {
  readonly id: string
  readonly key: string
  readonly n: number
}

const stepRow = async (tx: Tx, { id, n }: WhichStep) => {
  const row = await tx.row('landing_steps', { landing_id: id, n })
  if (!row) throw new Refusal('not_found')
  return row
}

export const beginStep = defineUseCase('begin-step', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key }: WhichStep) => [conversationStream(key)],
  run: async (tx, step, { now }): Promise<void> => {
    const row = await stepRow(tx, step)
    if (row.state === 'planned')
      await tx.update('landing_steps', { ...row, state: 'begun', begun_at: now })
  },
})

interface EndedStep extends WhichStep {
  readonly result: object | null
  /** The code and words of a failure. */
  readonly failure?: { readonly code: string; readonly why: string } | undefined
}

export const endStep = defineUseCase('end-step', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key }: EndedStep) => [conversationStream(key)],
  run: async (tx, { result, failure, ...step }, { now }): Promise<void> => {
    const row = await stepRow(tx, step)
    if (row.state === 'done' || row.state === 'failed') return
    await tx.update('landing_steps', {
      ...row,
      state: failure ? 'failed' : 'done',
      result: JSON.stringify(failure ?? result),
      ended_at: now,
    })
    const landing = await tx.row('landings', { id: step.id })
    if (landing && failure) {
      const change = { state: 'failed', result: JSON.stringify(failure), ended_at: now } as const
      await tx.update('landings', { ...landing, ...change })
      tellChanged(tx, landing, 'failed', landing.asked_by)
    }
  },
})

/** The states that a landing ends with, or begins to be undone with. */
export const moveLanding = defineUseCase('move-landing', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key }: { id: string; key: string; to: LandingRow['state']; by: string }) => [
    conversationStream(key),
  ],
  run: async (tx, { id, to, by }, { now }): Promise<void> => {
    const row = await tx.row('landings', { id })
    if (!row || row.state === to) return
    const ended_at = to === 'undoing' ? row.ended_at : now
    await tx.update('landings', { ...row, state: to, ended_at })
    tellChanged(tx, row, to, by)
  },
})

/** The newest landing that moved a branch, for its undoing. */
export const findUndoable = defineQuery('find-undoable', {
  scope: 'write',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<OpenLanding> => {
    await existingConversation(reader, key)
    const rows = await reader.all(selectLandingsOf, { key, limit: maxShown })
    const newest = rows.find(({ state, how }) => state !== 'failed' && !isRemote(how))
    if (newest?.state !== 'done') throw new Refusal('wrong_state', refusalText('nothingLanded'))
    const later = rows.slice(0, rows.indexOf(newest))
    if (later.some(({ state, how }) => state === 'done' && isRemote(how)))
      throw new Refusal('wrong_state', refusalText('landedElsewhere'))
    return openLanding(reader, newest)
  },
})

const isRemote = (how: string): boolean => how === 'push' || how === 'pull-request'

export const findLanding = defineQuery('find-landing', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { id }: { id: string }): Promise<OpenLanding> => {
    const row = await reader.row('landings', { id })
    if (!row) throw new Refusal('not_found')
    return openLanding(reader, row)
  },
})

const pageSize = 50

/** Landings that were cut off. */
export const findOpenLandings = defineQuery('find-open-landings', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>): Promise<OpenLanding[]> => {
    const open: OpenLanding[] = []
    for (const row of await reader.all(selectOpenLandings, { limit: pageSize }))
      open.push(await openLanding(reader, row))
    return open
  },
})

async function openLanding(reader: Reader, row: LandingRow): Promise<OpenLanding> {
  const steps = await reader.rows('landing_steps', { landing_id: row.id }, 'n')
  const plan: MadePlan & { readonly message?: string } = JSON.parse(row.plan)
  return {
    ...fields(row, 'id', 'project_id', 'coordinator_id', 'worktree_id', 'top', 'state'),
    isolation: await isolationAt(reader, row),
    message: plan.message ?? '',
    key: row.conversation_key,
    by: row.asked_by,
    steps: steps.map(({ n, step, state }) => ({
      ...JSON.parse(step),
      n,
      isDone: state === 'done',
    })),
  }
}

async function isolationAt(reader: Reader, row: LandingRow): Promise<object | null> {
  const tree = await reader.row('worktrees', { id: row.worktree_id })
  const agent = tree && (await reader.row('agents', { id: tree.agent_id }))
  if (!agent) return null
  const { id: agent_id } = agent
  const assigned = await reader.first(selectAssignment, { project_id: row.project_id, agent_id })
  const { gateway: _, ...isolation } = isolationOf(agent.isolation, assigned?.isolation)
  if (isolation.sandbox === 'off' && isolation.wrapper === null) return null
  return { ...isolation, gateway: null, command: 'sh' }
}

/** What was landed, newest first. */
export const listLandings = defineQuery('list-landings', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<Landing[]> => {
    await existingConversation(reader, key)
    const rows = await reader.all(selectLandingsOf, { key, limit: maxShown })
    const shown: Landing[] = []
    for (const row of rows) shown.push(await landingView(reader, row))
    return shown
  },
})

export async function landingView(reader: Reader, row: LandingRow): Promise<Landing> {
  const plan: MadePlan = JSON.parse(row.plan)
  const steps = await reader.rows('landing_steps', { landing_id: row.id }, 'n')
  const isWhole = row.state === 'done' || row.state === 'undone'
  return {
    ...fields(row, 'id', 'how', 'state', 'ended_at'),
    at: row.asked_at,
    by: row.asked_by,
    branch: plan.branch,
    into: plan.into,
    commit: isWhole ? plan.commit : null,
    why: row.state === 'failed' ? (jsonIn(row.result)?.why ?? null) : null,
    steps: steps.map(({ step, state, result }) => ({
      ...JSON.parse(step),
      state,
      result: jsonIn(result),
    })),
  }
}
