/**
 * Why an agent does not answer, for whoever waits for it at a terminal: it asks a person, it could not be kept running, it is held. Only
 * what happens from now on; the answer itself comes another way.
 */
import type { Client } from '../client/client.ts'
import { type EventWatch, watchEvents } from '../client/event-stream.ts'
import { projectStream } from '../domain/stream/name.ts'
import { visible } from '../platform/visible.ts'
import type { HoldfastEvent } from '../protocol/events.ts'

/** Of what it asks. */
const longestQuestion = 200

interface Where {
  readonly projectId: string
  readonly agentId: string
}

/** Resolves when nothing that happens is missed any more, or when it cannot be heard now. */
export async function watchNews(client: Client, where: Where, tell: (words: string) => void): Promise<EventWatch> {
  const heard = Promise.withResolvers<void>()
  const watch = watchEvents(client, {
    streams: [projectStream(where.projectId)],
    onEvent: (event) => {
      const words = newsIn(event, where)
      if (words !== undefined) tell(words)
    },
    onSnapshot: () => {},
    onState: () => heard.resolve(),
  })
  await heard.promise
  return watch
}

function newsIn(event: HoldfastEvent, { agentId }: Where): string | undefined {
  if (!('data' in event)) return undefined
  if (event.type === 'approval-asked') {
    const { id, leaderId, instructionContent } = event.data.approval
    if (leaderId !== agentId) return undefined
    const [first = ''] = (instructionContent ?? '').split('\n')
    const what = first === '' ? '' : `: ${visible(first.slice(0, longestQuestion))}`
    return `◆ ${agentId} waits for a decision${what}\n  holdfast approvals approve ${id}, or reject ${id}`
  }
  if (event.type === 'process-held' && event.data.process.agentId === agentId) {
    const why = event.data.process.detail
    return `▲ ${agentId} is held${why ? `: ${visible(why)}` : ''}\n  The message is kept. When the cause is gone: holdfast agents release ${agentId}`
  }
  return undefined
}
