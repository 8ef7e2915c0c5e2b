/** People's chats with the agents of a project. */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { chatRoutes } from '../../protocol/conversations/chat-routes.ts'
import { endChat } from '../../services/conversations/end-chat.ts'
import { postMessage } from '../../services/conversations/post-message.ts'
import { listMessages } from '../../services/conversations/queries.ts'
import { startChat } from '../../services/conversations/start-chat.ts'
import { getProject } from '../../services/projects/queries.ts'
import { chooseGoOn } from '../../services/turns/choose-go-on.ts'
import { type HandlersOf, query, run } from '../http/handler.ts'

export const chatHandlers: HandlersOf<typeof chatRoutes> = {
  startChat: async ({ params, query: asked, who, doors, receipt }) => {
    const started = await doors.store.run(startChat, { ...params, ...asked, by: who.id }, receipt)
    if (started.agentSession?.state === 'active') return started
    // CH1: at once, so that who opened the panel is told of the launch.
    const pair = { projectId: params.projectId, agentId: asked.agentId }
    return { ...started, launch: (await doors.launches.order(pair)) ?? started.launch }
  },
  endChat: run(endChat, (call) => ({ ...call.params, ...call.query, by: call.who.id })),
  goOnInChat: async ({ params, body, who, doors, receipt }) => {
    const { until, goesOn } = await doors.store.run(chooseGoOn, { ...params, ...body, by: who.id }, receipt)
    return { until, goesOn }
  },
  postMessage: async ({ body: { senderId, ...body }, who, doors, receipt }) => {
    if (senderId !== undefined && senderId !== who.id) throw new Refusal('authentication_failed', refusalText('writtenByAnother'))
    const { projectId, toAgentId } = body
    const agentIds = toAgentId === null ? (await doors.store.query(getProject, { projectId })).agentIds : [toAgentId]
    return doors.store.run(postMessage, { ...body, agentIds, by: who.id }, receipt)
  },
  listMessages: query(listMessages, (call) => ({ ...call.query, ...call.params })),
}
