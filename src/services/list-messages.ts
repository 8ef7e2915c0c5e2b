/**
 * The messages of a person's chat with an agent of a project, newest first (CH8): all there are, also those that agents are no
 * longer handed. Hidden ones only when they are asked for (CH2).
 */
import { webKey } from '../domain/conversation/key.ts'
import type { Message } from '../protocol/message.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { selectConversation } from '../store/queries/conversations.ts'
import { behindAll, messagesBefore } from '../store/queries/messages.ts'
import { selectProject } from '../store/queries/projects.ts'
import { cutSeqPage, seqOf } from '../store/queries/seq-cursor.ts'
import { defineQuery } from '../store/store.ts'
import { checkAssigned } from './check-assigned.ts'
import { noSuchProject } from './refusals.ts'

interface MessagesOf extends PageQuery {
  readonly projectId: string
  readonly agentId: string
  readonly hidden: boolean
}

export const listMessages = defineQuery({
  name: 'list-messages',
  run: async (reader, { projectId, agentId, hidden, limit, cursor }: MessagesOf): Promise<Page<Message>> => {
    const key = webKey(projectId, agentId)
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    // What was said stays readable when the agent has left the project.
    if (!(await reader.first(selectConversation, { key }))) await checkAssigned(reader, { projectId, agentId })
    const seq = seqOf(cursor, behindAll)
    return cutSeqPage(await messagesBefore(reader, { key, seq, hidden, limit: limit + 1 }), limit)
  },
})
