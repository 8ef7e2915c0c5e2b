/** People's chats with the agents of a project (CH). */
import * as z from 'zod'
import { AgentSession } from '../agent-sessions/agent-session.ts'
import { listOf } from '../page.ts'
import { Process } from '../processes/process.ts'
import { route } from '../route.ts'
import { line, PanelId, Time, YesOrNo } from '../text.ts'
import { Attachments } from '../turns/prompt.ts'
import { Conversation } from './conversation.ts'
import { NamedWorkspace, WorkspaceChoice } from './conversation-workspace.ts'
import { ChatMessageDraft, Content, Message } from './message.ts'

const Id = z.string().max(200)

export const NewConversation = z.strictObject({
  agentId: Id,
  content: Content.min(1).optional().describe('The first message'),
  media: Attachments.optional(),
  title: line(200).optional(),
  workplace: WorkspaceChoice.optional().describe('Left out: as the project says'),
  clientId: line(200).optional().describe('The same again: the session that was begun with it'),
})

export const chatRoutes = {
  startChat: route({
    method: 'POST',
    path: '/api/projects/{projectId}/chat/start',
    summary:
      'A chat panel opens: have the agent there, unless it is. A panel with a name lapses ' +
      'when no event stream names it',
    query: z.object({
      agentId: Id,
      panelId: PanelId.optional(),
      workplace: NamedWorkspace.optional().describe(
        'Where the conversation works; left out: as it does, or as the project says',
      ),
    }),
    answer: z.object({
      conversationKey: z.string(),
      agentSession: AgentSession.nullable(),
      /** The launch that was requested for it, or is held; null when there is none. */
      launch: Process.nullable(),
    }),
  }),
  warmConversation: route({
    method: 'POST',
    path: '/api/conversations/{key}/warm',
    summary:
      'Have the agent of a session come before its next message does, as when somebody begins to ' +
      'write; without effect where it is there, comes, or is called by a panel',
    answer: z.object({ launch: Process.nullable() }),
  }),
  endChat: route({
    method: 'POST',
    path: '/api/projects/{projectId}/agents/{agentId}/chat/end',
    summary:
      'A chat panel closes; without `panelId` all do. With the last the agent is asked to ' +
      'go. Works as `navigator.sendBeacon`',
    query: z.object({
      panelId: PanelId.optional(),
      /**
       * The page disconnects and may come back (a reload): closed after ten seconds unless it is
       * opened again.
       */
      soon: YesOrNo,
    }),
    answer: z.object({ agentSession: AgentSession.nullable() }),
  }),
  goOnInChat: route({
    method: 'POST',
    path: '/api/projects/{projectId}/agents/{agentId}/chat/go-on',
    summary:
      'Whether an agent at its vendor’s limit is told again by itself what it could not ' +
      'answer, when the limit is over',
    body: z.object({ goOn: z.boolean() }),
    answer: z.object({ until: Time, goesOn: z.boolean() }),
  }),
  beginConversation: route({
    method: 'POST',
    path: '/api/projects/{projectId}/conversations',
    summary:
      'Begin a session with an agent of a project; with `content` its first turn waits in the ' +
      'same commit. Without `content` and `title` it is a draft, told of to nobody, for a day',
    body: NewConversation,
    status: 201,
    answer: Conversation,
  }),
  postMessage: route({
    method: 'POST',
    path: '/api/chat',
    summary:
      'Write to an agent of a project; with `toAgentId: null` to all of them, a copy in the ' +
      'chat of each. Answered when it is durable',
    body: ChatMessageDraft,
    status: 201,
    answer: Message,
  }),
  listMessages: route({
    method: 'GET',
    path: '/api/projects/{projectId}/agents/{agentId}/messages',
    summary:
      'The chat with an agent of a project, newest first; `hidden=true` shows what nobody ' +
      'was meant to read, too',
    ...listOf(Message, { hidden: YesOrNo }),
  }),
}
