/**
 * Starts a turn in the context of its conversation (CX1), whatever it is for. A context that this
 * process does not hold is opened first, and one that is new is primed.
 */

import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { statusNotice } from '../../../domain/status-texts.ts'
import { isSlashCommand } from '../../../domain/turns/prompts.ts'
import { detailIn } from '../../../store/fields.ts'
import { contextLimit } from '../../../store/processes/launches.ts'
import type { Context, Reader, Tx } from '../../../store/store.ts'
import type { ContextRow } from '../../../store/turns/contexts.ts'
import { isOfRole, selectUsageBefore, type TurnRow } from '../../../store/turns/turns.ts'
import { workspaceFor } from '../../conversations/conversation-workplace.ts'
import { choicesIn } from '../../turns/chat-options.ts'
import { acpSessionToOpen, getOrCreateContext } from '../../turns/context-record.ts'
import { beginOpening, changeContext, contextOpened } from '../../turns/move-context.ts'
import { buildPrimer, primerForTurn, unprimed } from '../../turns/primer-record.ts'
import { noteInTurn } from '../../turns/tell-in-turn.ts'
import { transcriptOwner } from '../../turns/transcript-owner.ts'
import { startTurn } from '../../turns/turn-record.ts'

interface StartOptions {
  /** Numbers of the messages that make up the prompt. */
  readonly promptSeqs?: ReadonlySet<number>
  readonly requestId?: string | undefined
}

/** Returns the number of `agent:prompted`. */
export async function startInContext(
  tx: Tx,
  queued: TurnRow,
  launch: Launch,
  { promptSeqs = new Set(), requestId }: StartOptions,
  context: Context,
): Promise<number> {
  const { now } = context
  const found = await getOrCreateContext(tx, contextKeyOf(queued), context)
  const limit = await contextLimit(tx, launch.id)
  const isHeld = found.launch_id === launch.id
  const turn = { ...queued, launch_id: launch.id, context_id: found.id }
  // A process limited to one conversation opened its ACP session at start.
  const isBound = limit !== null && !isHeld
  const begun = {
    launch_id: launch.id,
    how: 'new',
    opened_at: now,
    primed_at: null,
    acp_session_id: null,
  } as const
  const row: ContextRow = isBound ? { ...found, ...begun, state: 'open' } : found
  const isOpen = row.state === 'open' && row.launch_id === launch.id
  const priming = await primingOf(tx, row, { turn, promptSeqs, isOpen }, now)
  const primed =
    priming.primer === null
      ? {}
      : { told_through: priming.givenThrough, primed_at: now, decisions_told_at: now }
  const begins = { requestId, ...choicesIn(row) }
  if (!isOpen) {
    await beginOpening(tx, row, launch.id, primed)
    const { primer, news } = priming
    const open = { ...acpSessionToOpen(row), primer, news, ...(await placeOf(tx, turn)) }
    return startTurn(tx, turn, launch, { ...begins, context: { contextId: row.id, open } }, context)
  }
  if (isBound) await contextOpened(tx, row, { ...begun, ...primed })
  else await changeContext(tx, row, primed)
  const inContext = limit === null ? { contextId: row.id, open: null } : undefined
  const knowsNothing = row.primed_at === null && row.how === 'new'
  const news = row.primed_at === null ? priming.news : priming.decided
  const primer = knowsNothing ? priming.primer : news
  const seq = await startTurn(tx, turn, launch, { ...begins, context: inContext, primer }, context)
  if (row.primed_at === null) await tellReopened(tx, turn, row)
  return seq
}

const contextKeyOf = (turn: TurnRow) => ({
  agentId: turn.agent_id,
  projectId: turn.project_id,
  key: turn.conversation_key,
  originKey: turn.origin_key,
})

interface Primed {
  readonly turn: TurnRow
  readonly promptSeqs: ReadonlySet<number>
  readonly isOpen: boolean
}

/** What its context is told before a turn. In a role every message went through the agent. */
async function primingOf(
  reader: Reader,
  row: ContextRow,
  { turn, promptSeqs, isOpen }: Primed,
  now: Context['now'],
) {
  if (isSlashCommand(JSON.parse(turn.content))) return unprimed(row)
  if (!isOfRole(turn)) return buildPrimer(reader, row, { turn, promptSeqs }, now)
  if (isOpen && row.primed_at !== null) return unprimed(row)
  return { ...unprimed(row), ...(await primerForTurn(reader, row, turn, now)) }
}

/**
 * Where a conversation works is made when its context is opened; a role's is made with its start.
 */
async function placeOf(reader: Reader, turn: TurnRow) {
  if (isOfRole(turn)) return {}
  const { projectId, key, originKey } = contextKeyOf(turn)
  return {
    workspace: await workspaceFor(reader, { projectId, key, originKey }),
    owner: await transcriptOwner(reader, { projectId, key, originKey }),
  }
}

/**
 * Tells the person in a turn that begins what became of the context since: it was opened again, or
 * begins with a primer alone.
 */
export async function tellReopened(
  tx: Tx,
  turn: TurnRow,
  { id: contextId, trouble, not_restored, notice, how }: ContextRow,
): Promise<void> {
  const why = detailIn(not_restored, notice)
  if (
    how === 'new' &&
    why !== null &&
    !(await tx.first(selectUsageBefore, { contextId, id: turn.id }))
  )
    return
  if (how === 'new' && why !== null)
    return noteInTurn(tx, turn, statusNotice('contextForgotten', { why }))
  if (trouble > 0)
    noteInTurn(tx, turn, statusNotice(how === 'new' ? 'contextReplaced' : 'contextReopened'))
}
