/**
 * Conversations for a program that embeds them (CV1, LB1): the use cases of the server on a store of the program's own, without
 * the server. What is wrong is a Refusal with the code that every door gives. An unknown key reads as empty. Holds no state: what
 * goes in and what comes out are copies (CV2).
 */
import { parseDay } from '../domain/conversations/logical-day.ts'
import { Refusal } from '../domain/errors.ts'
import { checked } from '../protocol/checked-input.ts'
import type { Chapter } from '../protocol/conversations/chapter.ts'
import { type Conversation, Flags } from '../protocol/conversations/conversation.ts'
import { Content, HistoryMessage, type Message, MessageDraft, maxHistoryMessages } from '../protocol/conversations/message.ts'
import { type Page, PageQuery } from '../protocol/page.ts'
import { addMessage } from '../services/conversations/add-message.ts'
import { isDayOver, listChapterMessages, listChapters } from '../services/conversations/chapter-queries.ts'
import { closeChapters, cutOverConversation } from '../services/conversations/cut-over-conversation.ts'
import { deleteConversation } from '../services/conversations/delete-conversation.ts'
import { getOrCreateConversation } from '../services/conversations/get-or-create-conversation.ts'
import { getConversation, getWholeHistory, listConversations } from '../services/conversations/queries.ts'
import { resetConversation } from '../services/conversations/reset-conversation.ts'
import { setFlags } from '../services/conversations/set-flags.ts'
import { setHistory } from '../services/conversations/set-history.ts'
import { setConversationSummary } from '../services/conversations/set-summary.ts'
import { truncateHistory } from '../services/conversations/truncate-history.ts'
import { noteContents, noteText } from '../store/conversations/notes.ts'
import type { Store } from '../store/store.ts'

/** As `setHistory` takes it. What `getHistory` gave may be put back. */
export interface PastMessage {
  readonly role: Message['role']
  readonly content: string
  readonly toolCalls?: unknown
  readonly toolCallId?: string | null
  readonly media?: unknown
}
/** As `addFullMessage` takes it; `clientId` makes sending it twice harmless. */
export interface FullMessage extends PastMessage {
  readonly clientId?: string
}

export interface Conversations {
  /** The conversation under a key, begun if it was not there. */
  getOrCreate(key: string): Promise<Conversation>
  /** Durable when it resolves. Begins the conversation if need be, as every other method that sets something does. */
  addMessage(key: string, role: Message['role'], content: string): Promise<Message>
  addFullMessage(key: string, message: FullMessage): Promise<Message>
  /** What is handed to agents, oldest first. */
  getHistory(key: string): Promise<Message[]>
  setHistory(key: string, messages: readonly PastMessage[]): Promise<Conversation>
  /** Keeps the newest; 0 clears. */
  truncateHistory(key: string, keepLast: number): Promise<void>
  getSummary(key: string): Promise<string>
  setSummary(key: string, summary: string): Promise<void>
  /** Writes the conversation's file now and answers its path, when it is on the disk; null when there is no such conversation, or no folder. */
  save(key: string): Promise<string | null>
  getUpdatedTime(key: string): Promise<string | null>
  getFlags(key: string): Promise<Flags>
  /** Replaces them. Answers what is kept: those that are not set are left out. */
  setFlags(key: string, flags: Flags): Promise<Flags>
  /** Clears messages and summary; flags stay. */
  reset(key: string): Promise<void>
  delete(key: string): Promise<void>
  /** The days of a conversation, the newest first; the first may still be open. */
  getDays(key: string, page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Chapter>>
  /** What was said on a day, oldest first, also what agents are no longer handed; a day is `2026-11-15` or `20261115`. Empty when nothing was. */
  getDay(key: string, day: string): Promise<Message[]>
  /** The note of a day over all conversations as Markdown (DC3); null when there is none. In a folder it also lies in `workspace/memory/`. */
  getNote(day: string): Promise<string | null>
  /** Closes the day of a conversation if it is over. That happens by itself too; afterwards the note is written. */
  cutOver(key: string): Promise<{ readonly cut: boolean; readonly day: string | null }>
  /** The one touched last first. */
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Conversation>>
  close(): Promise<void>
}

/** Somebody may delete the conversation between our beginning it and writing into it; not for ever. */
const maxAttempts = 5

const messagesAtOnce = 500

interface ConversationsDependencies {
  /** Who is said to have sent what is added. */
  readonly by: string
  /** Writes the file of a conversation that is there; null where no files are kept. */
  readonly save: ((key: string) => Promise<string>) | null
  /** Resolves when the notes know of the days that were closed. */
  readonly noted: () => Promise<void>
  /** What is to be undone with it. */
  readonly close: () => Promise<void>
}

/** @internal */
export function conversationsOn(store: Store, { by, save, noted, close }: ConversationsDependencies): Conversations {
  let closing: Promise<void> | undefined
  /** DC2: whoever reads first after the boundary closes the day. */
  const cutOver = async (key: string): Promise<void> => {
    if (await store.query(isDayOver, { key })) await store.run(closeChapters, { keys: [key] })
  }
  const known = (key: string) => unlessUnknown(store.query(getConversation, { key }), undefined)

  /** Whatever sets something begins the conversation first when it is not there. */
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
      return (await known(key))?.summary ?? ''
    },
    setSummary: async (key, given) => {
      const summary = checked(Content, given)
      await begun(key, () => store.run(setConversationSummary, { key, summary }))
    },
    save: async (key) => ((await known(key)) && save ? save(key) : null),
    getUpdatedTime: async (key) => (await known(key))?.updated ?? null,
    getFlags: async (key) => (await known(key))?.flags ?? {},
    setFlags: async (key, given) => {
      const flags = checked(Flags, copied(given))
      return begun(key, () => store.run(setFlags, { key, flags }))
    },
    reset: async (key) => {
      await unlessUnknown(store.run(resetConversation, { key }), undefined)
    },
    delete: (key) => unlessUnknown(store.run(deleteConversation, { key, by }), undefined),
    getDays: (key, page = {}) =>
      unlessUnknown(store.query(listChapters, { ...checked(PageQuery, page), key }), { items: [], nextCursor: null }),
    getDay: (key, day) => unlessUnknown(wholeDay(store, key, day), []),
    getNote: async (asked) => {
      const day = parseDay(asked)
      const contents = day && (await store.read((reader) => noteContents(reader, day)))
      if (!contents || contents.chapters.length === 0) return null
      let text = ''
      for await (const piece of noteText(store, contents)) text += piece
      return text
    },
    cutOver: async (key) => {
      const done = await unlessUnknown(store.run(cutOverConversation, { key }), { cut: false, day: null })
      if (done.cut) await noted()
      return done
    },
    list: async (page = {}) => store.query(listConversations, { ...checked(PageQuery, page), accountId: null }),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

async function wholeDay(store: Store, key: string, day: string): Promise<Message[]> {
  const said: Message[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.query(listChapterMessages, {
      key,
      day,
      hidden: false,
      limit: messagesAtOnce,
      ...(cursor && { cursor }),
    })
    said.push(...page.items)
    if (page.nextCursor === null) return said
    cursor = page.nextCursor
  }
}

/** As it will be written, and nobody's but ours from now on. */
function copied(given: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(given) ?? 'null')
  } catch {
    throw new Refusal('invalid_request', 'This cannot be written as JSON')
  }
}

const isUnknown = (error: unknown): boolean => error instanceof Refusal && error.code === 'not_found'

const unlessUnknown = <T, Else>(found: Promise<T>, otherwise: Else): Promise<T | Else> =>
  found.catch((error) => {
    if (isUnknown(error)) return otherwise
    throw error
  })
