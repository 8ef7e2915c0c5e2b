/** `<data>/projects/{project_id}/agents/{agent_id}/chat.jsonl` (CH7): every message of a chat, hidden and archived ones too. */
import { join } from 'node:path'
import { parseWebKey } from '../domain/conversations/key.ts'
import { messagesAfter, selectLastMessage, selectMessageId } from '../store/conversations/messages.ts'
import { lineLog } from './line-log.ts'

/** The form of valid ids; other keys have no folder. */
const folderName = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Below the data folder; undefined for what is no chat with an agent. */
export function chatLogFile(key: string): string | undefined {
  const { projectId = '', agentId = '' } = parseWebKey(key) ?? {}
  const named = folderName.test(projectId) && folderName.test(agentId)
  return named ? join('projects', projectId, 'agents', agentId, 'chat.jsonl') : undefined
}

export const chatLog = lineLog({
  kind: 'conversation',
  file: chatLogFile,
  last: (reader, key) => reader.first(selectLastMessage, { key }),
  idAt: async (reader, key, seq) => (await reader.first(selectMessageId, { key, seq }))?.id,
  after: (reader, key, seq, limit) => messagesAfter(reader, { key, seq, hidden: true, limit }),
})
