/** Read queries for conversations and messages. */
import type { Viewer } from '../../domain/access/visibility.ts'
import { webKey } from '../../domain/conversations/key.ts'
import type { ArchivePart, ArchiveQuery } from '../../protocol/conversations/archive.ts'
import type { Conversation, ListedConversation } from '../../protocol/conversations/conversation.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { type Post, postOf } from '../../store/agent-sessions/agent-sessions.ts'
import {
  identitiesOf,
  identityOf,
  type RolePlace,
  rolePlaceOf,
} from '../../store/conversations/conversation-identity.ts'
import {
  conversationsPage,
  type WantedConversations,
} from '../../store/conversations/conversation-list.ts'
import {
  type ConversationRow,
  selectOpenConversationsOf,
} from '../../store/conversations/conversations.ts'
import {
  afterAllMessages,
  messagesAfter,
  messagesBefore,
} from '../../store/conversations/messages.ts'
import { fields, noticeFrom } from '../../store/fields.ts'
import { cutPageBy, cutSeqPage, pageParams, seqOf } from '../../store/page-cursor.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { noSuchProject } from '../refusals.ts'

import { figuresOf } from './conversation-activity.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'
import { conversationView, marksFor, viewFor } from './conversation-view.ts'
import { workplaceOn } from './conversation-workplace.ts'
import { undoableRewind } from './undoable-rewind.ts'

/** Returns a conversation without its messages. */
/** A conversation whose file may be written. */
export const findSavedConversation = defineQuery('find-saved-conversation', {
  scope: 'write',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<void> => {
    streamOfKey(key)
    await existingConversation(reader, key)
  },
})

export const getConversation = defineQuery('get-conversation', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key, personId = '' }: { key: string; personId?: string },
  ): Promise<Conversation> => {
    streamOfKey(key)
    const row = await existingConversation(reader, key)
    const rewound = await undoableRewind(reader, key)
    return {
      ...(await viewFor(reader, row, personId)),
      ...(await figuresOf(reader, row)),
      ...(rewound && { rewound }),
    }
  },
})

/** What these conversations are. */
export const findIdentities = defineQuery('find-identities', {
  scope: 'anybody',
  on: 'nobody',
  run: (reader, { keys }: { keys: readonly string[] }) => identitiesOf(reader, keys),
})

/** The role of a conversation; null for others. */
export const findRolePlace = defineQuery('find-role-place', {
  scope: 'anybody',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<RolePlace | null> =>
    rolePlaceOf(await identityOf(reader, key)) ?? null,
})

/** Where the files of a conversation's workplace are. */
export const findWorkplace = defineQuery('find-workplace', {
  scope: 'anybody',
  on: 'conversation',
  run: async (reader, { key }: { key: string }) => {
    streamOfKey(key)
    return workplaceOn(reader, await existingConversation(reader, key))
  },
})

type Asked = Omit<WantedConversations, 'accountId' | 'personId'>

interface ConversationsQuery extends PageQuery, Asked {
  readonly viewer: Viewer
  /** Whose marks are told, and whose archive is left out. */
  readonly personId?: string
}

/**
 * Lists conversations, the newest last turn first, in pages (HT1), each with the beginning of its
 * last message.
 */
export const listConversations = defineQuery('list-conversations', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { viewer, personId = '', limit, cursor, ...wanted }: ConversationsQuery,
  ): Promise<Page<ListedConversation>> => {
    const query = { ...wanted, accountId: viewer, personId }
    const found = await conversationsPage(reader, pageParams({ limit, cursor }), query)
    const { items, nextCursor } = cutPageBy(found, limit, ({ key, last_turn_at }) => ({
      createdAt: last_turn_at,
      id: key,
    }))
    const listed: ListedConversation[] = []
    for (const item of items)
      listed.push({
        ...(await listedFor(reader, item, personId)),
        ...(wanted.live && (await figuresOf(reader, item))),
      })
    return { items: listed, nextCursor }
  },
})

async function listedFor(
  reader: Reader,
  row: ConversationRow,
  personId: string,
): Promise<ListedConversation> {
  const { marks, last } = await marksFor(reader, row, personId)
  return {
    ...(await conversationView(reader, row)),
    ...marks,
    lastMessage: last
      ? {
          ...fields(last, 'seq', 'role', 'sender_id', 'beginning', 'created_at'),
          notice: noticeFrom(last.notice),
        }
      : null,
  }
}

/** Returns the history that agents get, oldest first, in pages (CV1 getHistory). */
export const getHistory = defineQuery('get-history', {
  scope: 'read',
  on: 'conversation',
  run: async (
    reader,
    { key, hidden, limit, cursor }: PageQuery & { key: string; hidden: boolean },
  ): Promise<Page<Message>> => {
    streamOfKey(key)
    const { kept_after } = await existingConversation(reader, key)
    // Messages cut off since the previous page are left out.
    const seq = Math.max(kept_after, seqOf(cursor, kept_after))
    return cutSeqPage(await messagesAfter(reader, { key, seq, hidden, limit: limit + 1 }), limit)
  },
})

const pageSize = 1000

/**
 * Returns the whole history that agents get, oldest first, in one snapshot (CV1 getHistory in the
 * library).
 */
export const getWholeHistory = defineQuery('get-whole-history', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { key }: { key: string }): Promise<Message[]> => {
    streamOfKey(key)
    let { kept_after: seq } = await existingConversation(reader, key)
    const all: Message[] = []
    for (;;) {
      const page = await messagesAfter(reader, { key, seq, hidden: false, limit: pageSize })
      all.push(...page)
      const last = page.at(-1)
      if (!last || page.length < pageSize) return all
      seq = last.seq
    }
  },
})

interface MessagesQuery extends PageQuery {
  readonly projectId: string
  readonly agentId: string
  readonly hidden: boolean
}

/**
 * Lists the messages of a chat, newest first (CH8), also those that agents no longer get; hidden
 * ones on request (CH2).
 */
export const listMessages = defineQuery('list-messages', {
  scope: 'read',
  on: 'project',
  run: async (
    reader,
    { projectId, agentId, hidden, limit, cursor }: MessagesQuery,
  ): Promise<Page<Message>> => {
    const key = webKey(projectId, agentId)
    if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    // Messages stay readable after the agent left the project.
    if (!(await reader.row('conversations', { key })))
      await checkAssigned(reader, { projectId, agentId })
    const seq = seqOf(cursor, afterAllMessages)
    return cutSeqPage(await messagesBefore(reader, { key, seq, hidden, limit: limit + 1 }), limit)
  },
})

/** Conversations closed in one commit with their session. Due work closes the rest. */
const maxClosedConversations = 100

/**
 * The open conversations between agents that an agent's live sessions wrote in, which the end of a
 * session closes (AS9).
 */
export async function openConversationsOf(reader: Reader, post: Post): Promise<string[]> {
  const query = { ...postOf(post), limit: maxClosedConversations }
  const rows = await reader.all(selectOpenConversationsOf, query)
  return rows.map((row) => row.conversation_key)
}

type ArchiveInput = ArchiveQuery & { readonly key: string }

/**
 * Returns a part of the archive, oldest first: the newest, before, after or around a message, at
 * the same cost (UI7).
 */
export const readArchive = defineQuery('read-archive', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, wanted: ArchiveInput): Promise<ArchivePart> => {
    streamOfKey(wanted.key)
    await existingConversation(reader, wanted.key)
    const { before, after, around, limit } = wanted
    if (after !== undefined) return readAfter(reader, wanted, after, limit)
    if (around === undefined)
      return readBefore(reader, wanted, before ?? afterAllMessages, limit, before !== undefined)
    const older = await readBefore(reader, wanted, around, Math.ceil(limit / 2), false)
    const newer = await readAfter(reader, wanted, around - 1, limit - older.items.length)
    return { items: [...older.items, ...newer.items], older: older.older, newer: newer.newer }
  },
})

/** Reads one more than asked for, to know whether there are more. */
async function readBefore(
  reader: Reader,
  { key, hidden }: ArchiveInput,
  seq: number,
  limit: number,
  newer: boolean,
): Promise<ArchivePart> {
  const found = await messagesBefore(reader, { key, seq, hidden, limit: limit + 1 })
  return { items: found.slice(0, limit).reverse(), older: found.length > limit, newer }
}

async function readAfter(
  reader: Reader,
  { key, hidden }: ArchiveInput,
  seq: number,
  limit: number,
): Promise<ArchivePart> {
  const found = await messagesAfter(reader, { key, seq, hidden, limit: limit + 1 })
  return { items: found.slice(0, limit), older: true, newer: found.length > limit }
}
