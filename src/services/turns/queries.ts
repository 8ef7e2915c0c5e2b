/** Read queries for turns, contexts and prompts. */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Turn } from '../../protocol/consoles/user-session.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import type {
  ConversationContext,
  ListedTurn,
  ToolCallOutput,
} from '../../protocol/turns/conversation-turn.ts'
import type { TurnOrder } from '../../protocol/turns/link.ts'
import { afterAllMessages } from '../../store/conversations/messages.ts'
import { fields, noticeFrom } from '../../store/fields.ts'
import { cutPageBy, cutSeqPage, pageParams, seqOf } from '../../store/page-cursor.ts'
import { contextLimit, findLaunch } from '../../store/processes/launches.ts'
import { type ReadyLaunch, readyLaunches } from '../../store/processes/ready-launches.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { type ContextRow, selectContextsIn } from '../../store/turns/contexts.ts'
import { modelUsageOfProject } from '../../store/turns/model-usage.ts'
import { outputKind, selectOutputItems } from '../../store/turns/turn-items.ts'
import {
  selectPrimerIn,
  selectTurnsBefore,
  selectTurnsOver,
  type TurnRow,
  turnStream,
} from '../../store/turns/turns.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import { workspaceFor } from '../conversations/conversation-workplace.ts'
import { type InEpoch, requireCurrentEpoch } from '../processes/launch-record.ts'
import { noSuchProject, noSuchUserSession } from '../refusals.ts'
import { choicesIn } from './chat-options.ts'
import { acpSessionToOpen } from './context-record.ts'
import { endedTurnView } from './limit-record.ts'
import { primerForTurn } from './primer-record.ts'
import { transcriptOwner } from './transcript-owner.ts'
import { itemsOf, outputOf } from './turn-items.ts'
import { readTurnOutput } from './turn-output.ts'
import { turnView } from './turn-view.ts'

type PromptQuery = InEpoch & Pick<TurnOrder, 'launchId' | 'turnId'>

/** Returns the prompt of a running turn to its coordinator after a reconnect. */
export const findPrompt = defineQuery('find-prompt', {
  scope: 'link',
  on: 'caller',
  run: async (reader, { launchId, turnId, ...from }: PromptQuery): Promise<TurnOrder> => {
    await requireCurrentEpoch(reader, from)
    const launch = await findLaunch(reader, launchId)
    const turn = await reader.row('turns', { id: turnId })
    const isIts =
      launch?.coordinatorId === from.coordinatorId &&
      turn?.launch_id === launchId &&
      turn.state === 'running'
    if (!isIts) throw new Refusal('not_found', refusalText('turnOver', { id: turnId }), { turnId })
    const files = turn.about === 'summary' ? {} : { files: { key: turn.conversation_key } }
    return { launchId, turnId, ...(await orderOfTurn(reader, turn)), ...files }
  },
})

/** Rebuilds the order of a turn: its primer, and how to open its context if it is not open. */
async function orderOfTurn(
  reader: Reader,
  turn: TurnRow,
): Promise<Pick<TurnOrder, 'content' | 'context' | 'configure'>> {
  const parts = JSON.parse(turn.content)
  const content = turn.primer === null ? parts : [{ type: 'text', text: turn.primer }, ...parts]
  const limit = await contextLimit(reader, turn.launch_id ?? '')
  const row =
    turn.context_id === null || limit !== null
      ? undefined
      : await reader.row('contexts', { id: turn.context_id })
  if (!row) return { content }
  if (row.state === 'open')
    return { content, context: { contextId: row.id, open: null }, ...choicesIn(row) }
  const { primer, news } = await primerForTurn(reader, row, turn, row.created_at)
  const { project_id: projectId, conversation_key: key, origin_key: originKey } = row
  const place =
    turn.role_agent_id === null
      ? { workspace: await workspaceFor(reader, { projectId, key, originKey }) }
      : {}
  const owner = await transcriptOwner(reader, { projectId, key, originKey })
  const open = { ...acpSessionToOpen(row), primer, news, ...place, owner }
  return { content, context: { contextId: row.id, open }, ...choicesIn(row) }
}

interface TurnsOfConversation extends PageQuery {
  readonly key: string
  readonly items: boolean
}

export const listConversationTurns = defineQuery('list-conversation-turns', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, query: TurnsOfConversation): Promise<Page<ListedTurn>> => {
    streamOfKey(query.key)
    await existingConversation(reader, query.key)
    return turnsPage(reader, query)
  },
})

export async function turnsPage(
  reader: Reader,
  { key, items, ...page }: TurnsOfConversation,
): Promise<Page<ListedTurn>> {
  const rows = await reader.all(selectTurnsBefore, { key, ...pageParams(page) })
  const turns: ListedTurn[] = []
  let chars = 0
  for (const row of rows) {
    const turn = {
      ...(await turnView(reader, row)),
      ...(items && { items: await itemsOf(reader, row.id) }),
    }
    chars += items ? JSON.stringify(turn).length : 0
    turns.push(turn)
    if (chars > maxPageChars) break
  }
  const next = await Promise.all(
    rows.slice(turns.length, turns.length + 1).map((row) => turnView(reader, row)),
  )
  return cutPageBy(
    [...turns, ...next],
    Math.min(page.limit, turns.length),
    ({ createdAt, id }) => ({ createdAt, id }),
  )
}

async function turnIn(
  reader: Reader,
  { key, turnId }: { key: string; turnId: string },
): Promise<TurnRow> {
  const row = await reader.row('turns', { id: turnId })
  if (row?.conversation_key !== key)
    throw new Refusal('not_found', refusalText('noTurnIn', { id: turnId, key }), { turnId })
  return row
}
export const readTurnItems = defineQuery('read-turn-items', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key, turnId }: { key: string; turnId: string }) => {
    const row = await turnIn(reader, { key, turnId })
    return { turn: await turnView(reader, row), items: await itemsOf(reader, turnId) }
  },
})

/** AC6: returns what a tool call of a turn ran and its whole output, as far as it was kept. */
export const readToolOutput = defineQuery('read-tool-output', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key, turnId, toolCallId }: { key: string; turnId: string; toolCallId: string },
  ): Promise<ToolCallOutput> => {
    const row = await turnIn(reader, { key, turnId })
    const calls =
      row.state === 'running'
        ? (
            await readTurnOutput(reader, {
              stream: turnStream(row),
              turnId,
              startedSeq: row.started_seq ?? 0,
            })
          ).items
        : await outputOf(reader, turnId)
    const call = calls
      .flatMap((item) => (item.kind === 'tool' ? [item.call] : []))
      .find((each) => each.toolCallId === toolCallId)
    if (!call)
      throw new Refusal('not_found', refusalText('noToolCallIn', { id: toolCallId, turnId }), {
        toolCallId,
      })
    const outputs = await reader.all(selectOutputItems, { turnId, kind: outputKind(toolCallId) })
    const output =
      outputs.length > 0
        ? outputs.map(({ body }) => JSON.parse(body)).join('')
        : (call.output ?? null)
    const { title, status, command = null, cwd = null, exitCode = null, durationMs = null } = call
    const cut = (call.outputLength ?? 0) > (output?.length ?? 0)
    return { toolCallId, title, status, command, cwd, output, cut, exitCode, durationMs }
  },
})

/** Characters in one page. A page holds at least one turn of any length. */
const maxPageChars = 4 * 1024 * 1024

interface TurnsQuery extends PageQuery {
  readonly userSessionId: string
}

/**
 * Lists the turns of a user session with their answers, newest first. A page holds as many as fit.
 */
export const listTurns = defineQuery('list-turns', {
  scope: 'read',
  on: 'user-session',
  run: async (
    reader,
    { userSessionId, limit, cursor }: TurnsQuery,
    { timeZone },
  ): Promise<Page<Turn>> => {
    const row = await reader.row('user_sessions', { id: userSessionId })
    if (!row) throw noSuchUserSession(userSessionId)
    const found: (Turn & { seq: number })[] = []
    let before = seqOf(cursor, afterAllMessages)
    for (let chars = 0; found.length <= limit && chars <= maxPageChars; ) {
      const [next] = await reader.all(selectTurnsOver, { userSessionId, before, limit: 1 })
      if (!next) return cutSeqPage(found, limit)
      before = next.ended_seq ?? 0
      chars += next.content.length + next.answer.length
      found.push({ ...endedTurnView(next, timeZone), seq: before })
    }
    return cutSeqPage(found, Math.max(1, Math.min(limit, found.length - 1)))
  },
})

const maxContexts = 50

const contextView = (row: ContextRow, primer: string | null): ConversationContext => ({
  ...fields(
    row,
    'id',
    'agent_id',
    'project_id',
    'state',
    'how',
    'not_restored',
    'launch_id',
    'opened_at',
    'ended_at',
  ),
  endReason: row.end_reason,
  notice: noticeFrom(row.notice),
  primer,
})

/** Lists the contexts of a conversation, newest first, and the primer of the current one. */
export const readContexts = defineQuery('read-contexts', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key }: { key: string },
  ): Promise<{ primer: string | null; contexts: ConversationContext[] }> => {
    streamOfKey(key)
    await existingConversation(reader, key)
    const contexts: ConversationContext[] = []
    for (const row of await reader.all(selectContextsIn, { key, limit: maxContexts })) {
      const primed = await reader.first(selectPrimerIn, { contextId: row.id })
      contexts.push(contextView(row, primed?.primer ?? null))
    }
    const current = contexts.find(({ state }) => state !== 'ended')
    return { primer: current?.primer ?? null, contexts }
  },
})

/** What a project's agents have used through the gateway (GW5). */
export const listModelUsage = defineQuery('list-model-usage', {
  scope: 'read',
  on: 'project',
  run: async (reader, { projectId }: { projectId: string }) => {
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    return { items: await modelUsageOfProject(reader, projectId) }
  },
})

export const readyPageSize = 200

interface ReadyQuery {
  readonly projectId?: string | undefined
  readonly after: string
}

/**
 * Lists the processes of ACP agents that can be given a turn, of one project or all, in pages
 * (CH12).
 */
export const findReadyLaunches = defineQuery('find-ready-launches', {
  scope: 'server',
  on: 'nobody',
  run: (reader, query: ReadyQuery): Promise<ReadyLaunch[]> =>
    readyLaunches(reader, { ...query, limit: readyPageSize }),
})
