/**
 * Reads a thread whole (protocol/threads): its state and the position of its streams, out of one
 * snapshot of the store. Who follows the streams from there with `fold` has what this would read.
 */
import { conversationStream, turnsStream, userSessionStream } from '../../domain/stream-name.ts'
import { noOffers } from '../../protocol/threads/offers.ts'
import {
  emptyThread,
  type Thread,
  type ThreadState,
  threadMessages,
  threadTurns,
} from '../../protocol/threads/thread-state.ts'
import {
  begunTurn,
  listedTurn,
  shownPrompt,
  type ThreadTurn,
} from '../../protocol/threads/thread-turn.ts'
import type { ListedTurn } from '../../protocol/turns/conversation-turn.ts'
import { selectOccupant } from '../../store/consoles/user-sessions.ts'
import {
  identityIn,
  type RolePlace,
  rolePlaceOf,
} from '../../store/conversations/conversation-identity.ts'
import { afterAllMessages, messagesBefore } from '../../store/conversations/messages.ts'
import { selectPosition } from '../../store/log/event-log.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { isPushed, selectRunningIn, type TurnRow, turnStream } from '../../store/turns/turns.ts'
import { roleAgentView } from '../consoles/user-session-view.ts'
import { streamOfKey } from '../conversations/conversation-record.ts'
import { turnsPage } from '../turns/queries.ts'
import { readTurn } from '../turns/turn-output.ts'
import { commandsIn, handedOverIn, limitIn, waitingIn } from './read-snapshot.ts'

export const readThread = defineQuery('read-thread', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<Thread> => {
    streamOfKey(key)
    const row = await reader.row('conversations', { key })
    const role = row && rolePlaceOf(identityIn(row))
    const streams = [
      conversationStream(key),
      role ? userSessionStream(role.userSessionId) : turnsStream(key),
    ]
    const heads: Record<string, number> = {}
    for (const name of streams)
      heads[name] = (await reader.first(selectPosition, { name }))?.head ?? 0
    if (!row) return { state: emptyThread, heads }
    const found = await messagesBefore(reader, {
      key,
      seq: afterAllMessages,
      hidden: false,
      limit: threadMessages + 1,
    })
    const state = {
      ...emptyThread,
      isRole: role !== undefined,
      messages: found.slice(0, threadMessages).reverse(),
      older: found.length > threadMessages,
      handedOver: await handedOverIn(reader, row),
      waiting: await waitingIn(reader, row),
      limit: await limitIn(reader, key),
      ...(await turnsIn(reader, key, role !== undefined)),
      ...(role
        ? await roleIn(reader, role)
        : {
            offers: {
              ...noOffers,
              commands: (await commandsIn(reader, key)).at(0)?.commands ?? [],
            },
          }),
    }
    return { state, heads }
  },
})

async function turnsIn(
  reader: Reader,
  key: string,
  isRole: boolean,
): Promise<Pick<ThreadState, 'turns' | 'earlierTurns'>> {
  const { items, nextCursor } = await turnsPage(reader, { key, items: true, limit: threadTurns })
  const turns = items
    .filter(isOver)
    .map((turn) => listedTurn(turn, isRole ? shownPrompt(turn.content) : []))
  for (const row of await reader.all(selectRunningIn, { key }))
    if (row.about !== 'summary' && isPushed(row)) turns.push(await runningTurn(reader, row, isRole))
  return { turns: turns.sort(byBegin), earlierTurns: nextCursor }
}

/** Those that ran: one that was withdrawn before is told by no event, and did nothing. */
const isOver = ({ state, about, rewound, startedAt }: ListedTurn): boolean =>
  startedAt !== null && state !== 'running' && about !== 'summary' && !rewound

const byBegin = (a: ThreadTurn, b: ThreadTurn): number => {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return a.id < b.id ? -1 : 1
}

function runningTurn(reader: Reader, row: TurnRow, isRole: boolean): Promise<ThreadTurn> {
  const pieces = { stream: turnStream(row), turnId: row.id, startedSeq: row.started_seq ?? 0 }
  const content = isRole ? shownPrompt(JSON.parse(row.content)) : []
  const prompted = { messageId: row.id, by: row.asked_by, content }
  return readTurn(reader, pieces, begunTurn(prompted, row.started_at ?? row.created_at))
}

async function roleIn(reader: Reader, place: RolePlace): Promise<Partial<ThreadState>> {
  const row = await reader.first(selectOccupant, place)
  if (!row) return {}
  const view = await roleAgentView(reader, row)
  const { agentId, conversation, state, workspace, branch, note, error, notices } = view
  const { step, exitCode, signal, notRestored, queue, limit } = view
  const { modeId: mode, modes, options, images, commands, usage } = view
  return {
    agent: {
      agentId,
      conversation,
      state,
      workspace,
      branch,
      note,
      error,
      notices,
      step,
      exitCode,
      signal,
      notRestored,
    },
    lastAgentId: agentId,
    queue,
    limit,
    offers: { ...noOffers, mode, modes, options, images, commands, usage },
  }
}
