/**
 * Conversations for embedding programs (CV1, LB1): the server's use cases on the program's own
 * store, without a server. Errors are Refusals with the same codes as over HTTP. An unknown key
 * reads as empty. Holds no state; arguments and results are copies (CV2).
 */

import { parseDay } from '../domain/conversations/chapter.ts'
import { Refusal } from '../domain/errors.ts'
import { refusalText } from '../domain/refusal-texts.ts'
import { checked } from '../protocol/checked-input.ts'
import type { Chapter } from '../protocol/conversations/chapter.ts'
import { type Conversation, Flags } from '../protocol/conversations/conversation.ts'
import {
  Content,
  HistoryMessage,
  type Message,
  MessageDraft,
  maxHistoryMessages,
} from '../protocol/conversations/message.ts'
import { type Page, PageQuery } from '../protocol/page.ts'
import {
  getOrCreateConversation,
  resetConversation,
  setConversationSummary,
  setFlags,
  setHistory,
  truncateHistory,
} from '../services/conversations/change-conversation.ts'
import {
  closeChapters,
  cutOverConversation,
  isDayOver,
  listChapterMessages,
  listChapters,
} from '../services/conversations/chapters.ts'
import {
  getConversation,
  getWholeHistory,
  listConversations,
} from '../services/conversations/queries.ts'
import { deleteConversation } from '../services/flows/conversations/delete-conversation.ts'
import { addMessage } from '../services/flows/messages/add-message.ts'
import { noteContents, noteText } from '../store/conversations/notes.ts'
import type { Store } from '../store/store.ts'

/** A message for `setHistory`, such as `getHistory` returns. */
export interface PastMessage {
  readonly role: Message['role']
  readonly content: string
  readonly toolCalls?: unknown
  readonly toolCallId?: string | null
  readonly media?: unknown
}
/** A message for `addFullMessage`; with a `clientId` it can be sent twice safely. */
export interface FullMessage extends PastMessage {
  readonly clientId?: string
}

export interface Conversations {
  /** Returns the conversation and creates it if it does not exist. */
  getOrCreate(key: string): Promise<Conversation>
  /** Durable when it resolves. Creates the conversation if needed, as every writing method does. */
  addMessage(key: string, role: Message['role'], content: string): Promise<Message>
  addFullMessage(key: string, message: FullMessage): Promise<Message>
  /** The messages given to agents, oldest first. */
  getHistory(key: string): Promise<Message[]>
  setHistory(key: string, messages: readonly PastMessage[]): Promise<Conversation>
  /** Keeps the newest messages; 0 removes all. */
  truncateHistory(key: string, keepLast: number): Promise<void>
  getSummary(key: string): Promise<string>
  setSummary(key: string, summary: string): Promise<void>
  /**
   * Writes the conversation's file and returns its path when it is on the disk; null without such a
   * conversation or folder.
   */
  save(key: string): Promise<string | null>
  getUpdatedTime(key: string): Promise<string | null>
  getFlags(key: string): Promise<Flags>
  /** Replaces the flags and returns those that are set. */
  setFlags(key: string, flags: Flags): Promise<Flags>
  /** Clears messages and summary; flags stay. */
  reset(key: string): Promise<void>
  delete(key: string): Promise<void>
  /** The days of a conversation, newest first; the first may be open. */
  getDays(
    key: string,
    page?: { readonly limit?: number; readonly cursor?: string },
  ): Promise<Page<Chapter>>
  /**
   * All messages of a day (`2026-11-15` or `20261115`), oldest first, also those no longer given to
   * agents.
   */
  getDay(key: string, day: string): Promise<Message[]>
  /**
   * A day's note over all conversations as Markdown (DC3); null without one. In a folder also in
   * `workspace/memory/`.
   */
  getNote(day: string): Promise<string | null>
  /**
   * Closes the day of a conversation if it is over, and then writes the note. Also happens
   * automatically.
   */
  cutOver(key: string): Promise<{ readonly cut: boolean; readonly day: string | null }>
  /** Most recently changed first. */
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Conversation>>
  close(): Promise<void>
}

/**
 * Another program may delete the conversation between its creation and the write; this bounds the
 * retries.
 */
const maxAttempts = 5

const messagesAtOnce = 500

interface ConversationsDependencies {
  /** The sender of added messages. */
  readonly by: string
  /** Writes the file of an existing conversation; null where no files are kept. */
  readonly save: ((key: string) => Promise<string>) | null
  /** Resolves when the notes include the closed days. */
  readonly noted: () => Promise<void>
  /** Closes what was opened for it. */
  readonly close: () => Promise<void>
}

/** @internal */
export function conversationsOn(
  store: Store,
  { by, save, noted, close }: ConversationsDependencies,
): Conversations {
  let closing: Promise<void> | undefined
  /** DC2: the first read after the boundary closes the day. */
  const cutOver = async (key: string): Promise<void> => {
    if (await store.query(isDayOver, { key })) await store.run(closeChapters, { keys: [key] })
  }
  const conversationOf = (key: string) =>
    unlessUnknown(store.query(getConversation, { key }), undefined)

  /** Creates the conversation first when it does not exist. */
  async function begun<T>(key: string, write: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await write()
      } catch (error) {
        if (!isUnknown(error) || tries === maxAttempts) throw error
        await store.run(getOrCreateConversation, { key })
      }
    }
  }

  const add = async (key: string, message: FullMessage): Promise<Message> => {
    const draft = checked(MessageDraft, copied(message))
    return begun(key, () => store.run(addMessage, { ...draft, key, by }))
  }

  return {
    getOrCreate: async (key) => (await store.run(getOrCreateConversation, { key })).conversation,
    addMessage: (key, role, content) => add(key, { role, content }),
    addFullMessage: add,
    getHistory: async (key) => {
      await cutOver(key)
      return unlessUnknown(store.query(getWholeHistory, { key }), [])
    },
    setHistory: async (key, given) => {
      const messages = checked(HistoryMessage.array().max(maxHistoryMessages), copied(given))
      return begun(key, () => store.run(setHistory, { key, messages, by }))
    },
    truncateHistory: async (key, keepLast) => {
      await unlessUnknown(store.run(truncateHistory, { key, keepLast }), undefined)
    },
    getSummary: async (key) => {
      await cutOver(key)
      return (await conversationOf(key))?.summary ?? ''
    },
    setSummary: async (key, given) => {
      const summary = checked(Content, given)
      await begun(key, () => store.run(setConversationSummary, { key, summary, by }))
    },
    save: async (key) => ((await conversationOf(key)) && save ? save(key) : null),
    getUpdatedTime: async (key) => (await conversationOf(key))?.updated ?? null,
    getFlags: async (key) => (await conversationOf(key))?.flags ?? {},
    setFlags: async (key, given) => {
      const flags = checked(Flags, copied(given))
      return begun(key, () => store.run(setFlags, { key, flags }))
    },
    reset: async (key) => {
      await unlessUnknown(store.run(resetConversation, { key }), undefined)
    },
    delete: (key) => unlessUnknown(store.run(deleteConversation, { key, by }), undefined),
    getDays: (key, page = {}) =>
      unlessUnknown(store.query(listChapters, { ...checked(PageQuery, page), key }), {
        items: [],
        nextCursor: null,
      }),
    getDay: (key, day) => unlessUnknown(wholeDay(store, key, day), []),
    getNote: async (date) => {
      const day = parseDay(date)
      const contents = day && (await store.read((reader) => noteContents(reader, day)))
      if (!contents || contents.chapters.length + contents.threads.length === 0) return null
      let text = ''
      for await (const piece of noteText(store, contents)) text += piece
      return text
    },
    cutOver: async (key) => {
      const done = await unlessUnknown(store.run(cutOverConversation, { key }), {
        cut: false,
        day: null,
      })
      if (done.cut) await noted()
      return done
    },
    list: async (page = {}) =>
      store.query(listConversations, { ...checked(PageQuery, page), viewer: null }),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

async function wholeDay(store: Store, key: string, day: string): Promise<Message[]> {
  const messages: Message[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.query(listChapterMessages, {
      key,
      day,
      hidden: false,
      limit: messagesAtOnce,
      ...(cursor && { cursor }),
    })
    messages.push(...page.items)
    if (page.nextCursor === null) return messages
    cursor = page.nextCursor
  }
}

/** Copies the value as it will be written. */
function copied(given: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(given) ?? 'null')
  } catch {
    throw new Refusal('invalid_request', refusalText('notAsJson'))
  }
}

const isUnknown = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'not_found'

const unlessUnknown = <T, Else>(found: Promise<T>, otherwise: Else): Promise<T | Else> =>
  found.catch((error) => {
    if (isUnknown(error)) return otherwise
    throw error
  })
