/**
 * Conversations for a program that embeds them (CV1, LB1): the use cases of the server on a store of the program's own, without
 * the server. What is wrong is a Refusal with the code that every door gives. An unknown key reads as empty. Holds no state: what
 * goes in and what comes out are copies (CV2).
 */
import { Refusal } from '../domain/errors.ts'
import { checked } from '../protocol/checked-input.ts'
import { type Conversation, Flags } from '../protocol/conversation.ts'
import { Content, HistoryMessage, type Message, MessageDraft, maxHistoryMessages } from '../protocol/message.ts'
import { type Page, PageQuery } from '../protocol/page.ts'
import { addMessage } from '../services/add-message.ts'
import { closeChapters } from '../services/close-chapters.ts'
import { deleteConversation } from '../services/delete-conversation.ts'
import { getConversation } from '../services/get-conversation.ts'
import { getOrCreateConversation } from '../services/get-or-create-conversation.ts'
import { getWholeHistory } from '../services/get-whole-history.ts'
import { isDayOver } from '../services/is-day-over.ts'
import { listConversations } from '../services/list-conversations.ts'
import { resetConversation } from '../services/reset-conversation.ts'
import { setConversationSummary } from '../services/set-conversation-summary.ts'
import { setFlags } from '../services/set-flags.ts'
import { setHistory } from '../services/set-history.ts'
import { truncateHistory } from '../services/truncate-history.ts'
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
  /** The one touched last first. */
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Conversation>>
  close(): Promise<void>
}

/** Somebody may delete the conversation between our beginning it and writing into it; not for ever. */
const mostTries = 5

interface Around {
  /** Who is said to have sent what is added. */
  readonly by: string
  /** Writes the file of a conversation that is there; null where no files are kept. */
  readonly save: ((key: string) => Promise<string>) | null
  /** What is to be undone with it. */
  readonly close: () => Promise<void>
}

/** @internal */
export function conversationsOn(store: Store, { by, save, close }: Around): Conversations {
  let closing: Promise<void> | undefined
  /** DC2: nobody looks at the boundary here, so whoever reads first afterwards closes the day. */
  const cutOver = async (key: string): Promise<void> => {
    if (await store.query(isDayOver, { key })) await store.run(closeChapters, { keys: [key] })
  }
  const known = (key: string) => orWhenUnknown(store.query(getConversation, { key }), undefined)

  /** Whatever sets something begins the conversation first when it is not there. */
  async function begun<T>(key: string, write: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await write()
      } catch (error) {
        if (!isUnknown(error) || tries === mostTries) throw error
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
      return orWhenUnknown(store.query(getWholeHistory, { key }), [])
    },
    setHistory: async (key, given) => {
      const messages = checked(HistoryMessage.array().max(maxHistoryMessages), copied(given))
      return begun(key, () => store.run(setHistory, { key, messages, by }))
    },
    truncateHistory: async (key, keepLast) => {
      await orWhenUnknown(store.run(truncateHistory, { key, keepLast }), undefined)
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
      await orWhenUnknown(store.run(resetConversation, { key }), undefined)
    },
    delete: (key) => orWhenUnknown(store.run(deleteConversation, { key, by }), undefined),
    list: async (page = {}) => store.query(listConversations, checked(PageQuery, page)),
    close: () => {
      closing ??= close()
      return closing
    },
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

const orWhenUnknown = <T, Else>(found: Promise<T>, otherwise: Else): Promise<T | Else> =>
  found.catch((error) => {
    if (isUnknown(error)) return otherwise
    throw error
  })
