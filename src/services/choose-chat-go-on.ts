/** AG6 in chats: whether an agent at its vendor's limit is told again by itself what it could not answer, when the limit is over. */
import { because } from '../domain/because.ts'
import { webKey } from '../domain/conversation/key.ts'
import { Refusal } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import { conversationStream, projectStream } from '../domain/stream/name.ts'
import type { Pair } from '../store/queries/agent-sessions.ts'
import { defineUseCase } from '../store/store.ts'
import { chatLimitNow, chooseInChat } from './chat-limit-record.ts'
import { checkAssigned } from './check-assigned.ts'

interface Input extends Pair {
  readonly goOn: boolean
  readonly by: string
}

export const chooseChatGoOn = defineUseCase({
  name: 'choose-chat-go-on',
  streams: ({ projectId, agentId }: Input) => [conversationStream(webKey(projectId, agentId)), projectStream(projectId)],
  run: async (tx, { projectId, agentId, goOn, by }): Promise<{ until: Instant; goesOn: boolean }> => {
    await checkAssigned(tx, { projectId, agentId })
    const found = await chatLimitNow(tx, { key: webKey(projectId, agentId), projectId, agentId })
    if (!found) throw new Refusal('wrong_state', because('noLimit'))
    await chooseInChat(tx, found, goOn, by)
    return { until: found.limited_until, goesOn: goOn }
  },
})
