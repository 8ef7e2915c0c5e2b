/**
 * Reasons why an agent does not answer, for a person waiting at a terminal: it asks for a decision,
 * it could not be kept running, or it is held. The answer itself arrives elsewhere.
 */
import type { Client } from '../../client/client.ts'
import { type EventWatch, watchEvents } from '../../client/event-stream.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'

const maxSearched = 200
const maxQuestion = 200

interface Where {
  readonly projectId: string
  readonly agentId: string
}

/** Resolves when events are followed from now on, or when they cannot be followed. */
export async function watchNews(
  client: Client,
  where: Where,
  tell: (words: string) => void,
): Promise<EventWatch> {
  const mayDecide =
    (await client.get('/api/me').catch(() => undefined))?.scopes.includes('approve') ?? false
  const heard = Promise.withResolvers<void>()
  const watch = watchEvents(client, {
    streams: [projectStream(where.projectId)],
    onEvent: (event) => {
      const words = newsIn(event, where, mayDecide)
      if (words !== undefined) tell(words)
    },
    onSnapshot: () => {},
    onState: () => heard.resolve(),
  })
  await heard.promise
  // Decisions requested earlier are still pending. If this read fails, later events are shown all
  // the same.
  const approvals = await client
    .get('/api/approvals', { query: { limit: maxSearched } })
    .catch(() => ({ items: [] }))
  for (const approval of approvals.items)
    if (isOf(approval, where)) tell(question(approval, mayDecide))
  return watch
}

const isOf = ({ leaderId, projectId }: Approval, where: Where): boolean =>
  leaderId === where.agentId && projectId === where.projectId

/** Does not say how to decide to a person who may not. */
function question({ id, leaderId, instructionContent }: Approval, mayDecide: boolean): string {
  const [first = ''] = (instructionContent ?? '').split('\n')
  const what = first === '' ? '' : `: ${visible(first.slice(0, maxQuestion))}`
  const how = mayDecide ? `\n  holdfast approvals approve ${id}, or reject ${id}` : ''
  return `◆ ${visible(leaderId)} waits for a decision${what}${how}`
}

function newsIn(event: HoldfastEvent, where: Where, mayDecide: boolean): string | undefined {
  const { agentId } = where
  if (!('data' in event)) return undefined
  if (event.type === 'approval-asked') {
    const { approval } = event.data
    return isOf(approval, where) ? question(approval, mayDecide) : undefined
  }
  if (event.type === 'process-held' && event.data.process.agentId === agentId) {
    const why = event.data.process.detail
    return `▲ ${agentId} is held${why ? `: ${visible(why)}` : ''}\n  The message is kept. When the cause is gone: holdfast agents release ${agentId}`
  }
  return undefined
}
