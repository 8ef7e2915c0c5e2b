/**
 * Compares what each conversation's row says it is with its key, where a rule reads that key, and
 * with itself: its lane, and the last of the agents that it had.
 */
import { differsFromKey } from '../conversations/conversation-identity.ts'
import { agentsInTurn, type ConversationRow } from '../conversations/conversations.ts'
import { pagesOf } from '../copy-tables.ts'
import type { Reader } from '../store.ts'
import type { Finding } from './deep-check.ts'

export async function* conversationColumns(reader: Reader): AsyncGenerator<Finding> {
  for await (const page of pagesOf(reader, 'conversations')) {
    for (const row of page) {
      for (const what of faultsIn(row))
        yield { check: 'state', where: `conversations ${row.key}`, what }
    }
  }
}

function* faultsIn(row: ConversationRow): Generator<string> {
  const column = differsFromKey(row)
  if (column !== undefined) yield `has another ${column} than its key says`
  if (row.lane !== '' && row.lane !== row.key) yield `has the lane of ${row.lane}`
  if (row.agents === null) return
  const last = lastAgentOf(row)
  if (last === undefined) yield 'has had agents that cannot be read'
  else if (last !== row.agent_id) yield `is of agent ${row.agent_id}; the last it had is ${last}`
}

function lastAgentOf(row: ConversationRow): string | undefined {
  try {
    return agentsInTurn(row).at(-1)?.agentId
  } catch {
    return undefined
  }
}
