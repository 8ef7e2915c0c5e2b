/**
 * What an agent did, as updates of the Agent Client Protocol 1: the difference between an item as
 * the editor was shown it and as it is now. Pure.
 */
import type { ClientNotificationParamsByMethod } from '@agentclientprotocol/sdk/unstable'
import type { ThreadTurn } from '../../protocol/threads/thread-turn.ts'
import type { Item } from '../../protocol/threads/turn-items.ts'
import { toolCallOf, toolChanges } from './tool-calls.ts'

export type AcpUpdate = ClientNotificationParamsByMethod['session/update']['update']

/** What an editor can show. */
export interface Shows {
  readonly notices: boolean
  readonly compaction: boolean
}

export interface ItemPlace {
  /** Names the message that pieces of text belong to. */
  readonly messageId: string
  /** Against which paths are resolved. */
  readonly folder: string | null
  readonly shows: Shows
}

export const textChunk = (
  kind: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
  messageId: string,
): AcpUpdate => ({ sessionUpdate: kind, content: { type: 'text', text }, messageId })

/** `before`: as it was shown; undefined: it was not. */
export function updatesOf(
  before: Item | undefined,
  item: Item,
  { messageId, folder, shows }: ItemPlace,
): readonly AcpUpdate[] {
  switch (item.kind) {
    case 'text':
    case 'thought': {
      // What a sub-agent says is its own; its calls are shown.
      if (item.strand !== undefined) return []
      const already = before?.kind === item.kind ? before.text.length : 0
      const text = item.text.slice(already)
      if (text === '') return []
      const kind = item.kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk'
      return [textChunk(kind, text, messageId)]
    }
    case 'tool': {
      const call = toolCallOf(item.call, folder)
      if (before?.kind !== 'tool') return [{ sessionUpdate: 'tool_call', ...call }]
      const changes = toolChanges(toolCallOf(before.call, folder), call)
      return changes ? [{ sessionUpdate: 'tool_call_update', ...changes }] : []
    }
    case 'plan':
      return item.strand === undefined
        ? [{ sessionUpdate: 'plan', entries: item.entries.map((entry) => ({ ...entry })) }]
        : []
    case 'media': {
      const { data, mimeType, media } = item
      if (before) return []
      if (data === null) return [textChunk('agent_message_chunk', `[${mimeType}]`, messageId)]
      const content = { type: media, mimeType, data } as const
      return [{ sessionUpdate: 'agent_message_chunk', content, messageId }]
    }
    case 'notice': {
      const { severity, title, description } = item
      return shows.notices && !before
        ? [{ sessionUpdate: 'notice', severity, title, description }]
        : []
    }
    case 'compaction': {
      if (!shows.compaction) return []
      const { compactionId, error } = item
      const status = item.status as 'in_progress'
      return [{ sessionUpdate: 'compaction_update', compactionId, status, error }]
    }
    default:
      return []
  }
}

/** The prompt of a turn that was asked before. */
export const promptChunks = ({ id, content }: ThreadTurn): readonly AcpUpdate[] =>
  content.flatMap((part): AcpUpdate[] => {
    const messageId = `${id}.prompt`
    if (part.type === 'text') return [textChunk('user_message_chunk', part.text, messageId)]
    if (part.type === 'image' && part.base64 !== '') {
      const { mimeType, base64: data } = part
      const content = { type: 'image', mimeType, data } as const
      return [{ sessionUpdate: 'user_message_chunk', content, messageId }]
    }
    return []
  })
