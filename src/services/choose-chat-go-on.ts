/** AG6 in chats: whether an agent at its vendor's limit is told again by itself what it could not answer, when the limit is over. */
import { webKey } from '../domain/conversation/key.ts'
import { Refusal } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import { conversationStream, projectStream } from '../domain/stream/name.ts'
import type { Pair } from '../store/queries/agent-sessions.ts'
import { keepChatLimit, selectChatLimit } from '../store/queries/chat-limits.ts'
import { defineUseCase } from '../store/store.ts'
import { tellChatLimit } from './chat-limit-record.ts'
import { checkAssigned } from './check-assigned.ts'
import { mostTimesTakenUp } from './limit-record.ts'

interface Input extends Pair {
  readonly goOn: boolean
  readonly by: string
}

export const chooseChatGoOn = defineUseCase({
  name: 'choose-chat-go-on',
  streams: ({ projectId, agentId }: Input) => [conversationStream(webKey(projectId, agentId)), projectStream(projectId)],
  run: async (tx, { projectId, agentId, goOn, by }): Promise<{ until: Instant; goesOn: boolean }> => {
    await checkAssigned(tx, { projectId, agentId })
    const found = await tx.first(selectChatLimit, { key: webKey(projectId, agentId) })
    if (!found || found.limited_until === null) throw new Refusal('wrong_state', 'It is at no limit')
    const row = { ...found, goes_on_by: goOn ? by : null, goes_on_left: goOn ? mostTimesTakenUp : 0 }
    await tx.write(keepChatLimit, row)
    tellChatLimit(tx, row)
    return { until: found.limited_until, goesOn: goOn }
  },
})
