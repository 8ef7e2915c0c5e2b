/** REST handlers for conversations, chats, chapters and daily notes. */
import type { Who } from '../../domain/access/caller.ts'
import { viewerOf } from '../../domain/access/visibility.ts'
import { type CutoverRule, parseDay } from '../../domain/conversations/chapter.ts'
import type { ConversationKind } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import { instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { zoneOf } from '../../platform/time/local-zone.ts'
import type { chatRoutes } from '../../protocol/conversations/chat-routes.ts'
import type { Cutover } from '../../protocol/conversations/cutover.ts'
import type { noteRoutes } from '../../protocol/conversations/note-routes.ts'
import type { conversationRoutes, searchRoutes } from '../../protocol/conversations/routes.ts'
import {
  getOrCreateConversation,
  markSeen,
  resetConversation,
  setConversationSummary,
  setFlags,
  setHistory,
  setTitle,
  truncateHistory,
} from '../../services/conversations/change-conversation.ts'
import {
  cutOverConversation,
  getCutoverRule,
  listChapterMessages,
  listChapters,
  listNotes,
  readNote,
  setCutoverRule,
} from '../../services/conversations/chapters.ts'
import { importConversation } from '../../services/conversations/import-conversation.ts'
import {
  findIdentities,
  findRolePlace,
  getConversation,
  getHistory,
  listConversations,
  listMessages,
  readArchive,
} from '../../services/conversations/queries.ts'
import { searchMessages } from '../../services/conversations/search-messages.ts'
import { searchTitles } from '../../services/conversations/search-titles.ts'
import { addMessage } from '../../services/flows/add-message.ts'
import { beginTurn } from '../../services/flows/begin-turn.ts'
import { stopTurns } from '../../services/flows/cancel-turn.ts'
import { deleteConversation } from '../../services/flows/delete-conversation.ts'
import { setContinueAfterLimit } from '../../services/flows/end-limit.ts'
import { postMessage } from '../../services/flows/post-message.ts'
import { endChat, startChat } from '../../services/flows/start-chat.ts'
import { withdrawMessage } from '../../services/flows/withdraw-message.ts'
import { noSuchNote } from '../../services/refusals.ts'
import { configureChat, readOptions } from '../../services/turns/chat-options.ts'
import {
  listConversationTurns,
  readContexts,
  readToolOutput,
  readTurnItems,
} from '../../services/turns/queries.ts'
import { noteText } from '../../store/conversations/notes.ts'
import type { Store } from '../../store/store.ts'
import { type HandlersOf, query, run } from './handler.ts'

export const conversationHandlers: HandlersOf<typeof conversationRoutes> = {
  listConversations: query(listConversations, ({ query: page, who }) => ({
    ...page,
    accountId: viewerOf(who),
    personId: who.id,
  })),
  getOrCreateConversation: async ({ body, deps, receipt, reply }) => {
    const { conversation, created } = await deps.store.run(getOrCreateConversation, body, receipt)
    reply.code(created ? 201 : 200)
    return conversation
  },
  getConversation: query(getConversation, ({ params }) => params),
  changeConversation: run(setTitle, ({ params, body, who }) => ({
    ...params,
    ...body,
    by: who.id,
  })),
  markSeen: run(markSeen, ({ params, body, who }) => ({ ...params, ...body, personId: who.id })),
  deleteConversation: run(deleteConversation, ({ params, who }) => ({ ...params, by: who.id })),
  getHistory: query(getHistory, (call) => ({ ...call.query, ...call.params })),
  readArchive: query(readArchive, (call) => ({ ...call.query, ...call.params })),
  addMessage: async ({ body, params, who, deps, receipt }) => {
    await requireOwnMessages(deps.store, who, params, [body])
    return deps.store.run(addMessage, { ...body, ...params, by: who.id }, receipt)
  },
  withdrawMessage: run(withdrawMessage, ({ params, who }) => ({ ...params, by: who.id })),
  setHistory: async ({ body, params, who, deps, receipt }) => {
    await requireOwnMessages(deps.store, who, params, body.messages)
    return deps.store.run(setHistory, { ...body, ...params, by: who.id }, receipt)
  },
  setConversationSummary: run(setConversationSummary, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
  })),
  truncateHistory: run(truncateHistory, ({ body, params }) => ({ ...body, ...params })),
  resetConversation: run(resetConversation, ({ params }) => params),
  importConversation: async ({ body, params, who, deps, receipt }) => {
    await requireOwnMessages(deps.store, who, params, body.messages)
    return deps.store.run(importConversation, { ...body, ...params, by: who.id }, receipt)
  },
  saveConversation: async ({ params: { key }, deps }) => {
    await deps.store.query(getConversation, { key })
    return { key, path: await deps.files.saveConversation(key) }
  },
  listConversationTurns: query(listConversationTurns, (call) => ({
    ...call.query,
    ...call.params,
  })),
  getConversationTurn: query(readTurnItems, ({ params }) => params),
  getToolOutput: query(readToolOutput, ({ params }) => params),
  findFiles: async ({ params, query: { q }, who, deps }) => ({
    items: await deps.worktrees.files(who, params.key, q),
  }),
  stopTurns: run(stopTurns, ({ params, who }) => ({ ...params, by: who.id })),
  getTurnDiff: (call) => call.deps.fileOperations.diff(call.who, call.params, call.query),
  rewindToTurn: (call) =>
    call.deps.fileOperations.rewind(call.who, call.params, call.body, call.receipt),
  undoRewind: (call) =>
    call.deps.fileOperations.undo(call.who, { ...call.params, ...call.body }, call.receipt),
  forkFromTurn: (call) =>
    call.deps.fileOperations.fork(call.who, call.params, call.body.agentId, call.receipt),
  beginTurn: run(beginTurn, ({ params, who }) => ({ ...params, by: who.id })),
  getConversationContext: query(readContexts, ({ params }) => params),
  getConversationOptions: query(readOptions, ({ params }) => params),
  setConversationOption: async ({ params: { key }, body: change, who, deps, receipt }) => {
    const inRole = await deps.store.query(findRolePlace, { key })
    if (!inRole) return deps.store.run(configureChat, { key, change, by: who.id }, receipt)
    await deps.userSessions.apply(who, { type: 'agent:configure', ...inRole, change })
    return deps.store.query(readOptions, { key })
  },
  getFlags: async ({ params, deps }) => (await deps.store.query(getConversation, params)).flags,
  setFlags: run(setFlags, ({ body, params }) => ({ ...params, flags: body })),
}

/** Conversations in which our agents write; others belong to other programs. */
const agentsKinds: ReadonlySet<string> = new Set<ConversationKind>([
  'web',
  'agent',
  'channel',
  'fork',
  'console',
  'work',
])

/** SE3: writing a message in an agent's name needs more than the scope `write`. */
async function requireOwnMessages(
  store: Pick<Store, 'query'>,
  who: Who,
  { key }: { key: string },
  messages: readonly { role: string }[],
): Promise<void> {
  const isOwn = messages.every(({ role }) => role === 'user')
  if (isOwn || who.scopes.includes('manage')) return
  const [identity] = await store.query(findIdentities, { keys: [key] })
  if (!agentsKinds.has(identity?.kind ?? '')) return
  throw new Refusal(
    'missing_scope',
    refusalText('fieldNeedsScope', { field: 'role', scope: 'manage' }),
    {
      scope: 'manage',
      field: 'role',
    },
  )
}

export const searchHandlers: HandlersOf<typeof searchRoutes> = {
  search: async ({ query, deps, who }) => {
    const behind = await deps.search.catchUp()
    const filter = { ...query, accountId: viewerOf(who) }
    const messages = await deps.store.query(searchMessages, filter)
    return {
      ...messages,
      ...(query.titles && { titles: await deps.store.query(searchTitles, filter) }),
      behind,
    }
  },
}

/** REST handlers for people's chats with the agents of a project. */
export const chatHandlers: HandlersOf<typeof chatRoutes> = {
  startChat: async ({ params, query: chat, who, deps, receipt }) => {
    const started = await deps.store.run(startChat, { ...params, ...chat, by: who.id }, receipt)
    if (started.agentSession?.state === 'active') return started
    // CH1: ordered at once, so that the answer can include the launch.
    const pair = { projectId: params.projectId, agentId: chat.agentId }
    return { ...started, launch: (await deps.launches.order(pair)) ?? started.launch }
  },
  endChat: run(endChat, (call) => ({ ...call.params, ...call.query, by: call.who.id })),
  goOnInChat: async ({ params, body, who, deps, receipt }) => {
    const { until, goesOn } = await deps.store.run(
      setContinueAfterLimit,
      { ...params, ...body, by: who.id },
      receipt,
    )
    return { until, goesOn }
  },
  postMessage: async ({ body: { senderId, ...body }, who, deps, receipt }) => {
    if (senderId !== undefined && senderId !== who.id)
      throw new Refusal('authentication_failed', refusalText('writtenByAnother'))
    return deps.store.run(postMessage, { ...body, by: who.id }, receipt)
  },
  listMessages: query(listMessages, (call) => ({ ...call.query, ...call.params })),
}

const cutoverOf = ({ hour, timezone, source }: CutoverRule & Pick<Cutover, 'source'>): Cutover => ({
  hour: hour ?? 'off',
  timezone,
  source,
})

export const noteHandlers: HandlersOf<typeof noteRoutes> = {
  listChapters: query(listChapters, (call) => ({ ...call.query, ...call.params })),
  listChapterMessages: query(listChapterMessages, (call) => ({ ...call.query, ...call.params })),
  cutOverConversation: async ({ params, body, deps, receipt }) => {
    const at = body?.now === undefined ? undefined : instant(Date.parse(body.now))
    const { cut, day } = await deps.store.run(cutOverConversation, { ...params, at }, receipt)
    if (!cut || day === null) return { cut, date: day, notePath: null }
    await deps.files.noteWritten(day)
    return { cut, date: day, notePath: deps.files.notePath(day) }
  },
  getCutover: async ({ deps }) => cutoverOf(await deps.store.query(getCutoverRule, {})),
  setCutover: async ({ body, deps, receipt }) => {
    const { hour, timezone } = body
    const change = {
      ...(hour !== undefined && { hour: hour === 'off' ? null : hour }),
      ...(timezone !== undefined && { timezone: zoneOf(timezone) }),
    }
    return cutoverOf(await deps.store.run(setCutoverRule, { ...change, source: 'chosen' }, receipt))
  },
  listNotes: query(listNotes, (call) => call.query),
  getNote: async ({ params, query: { timezone }, who, deps }) => {
    const day = parseDay(params.day)
    const contents = day && (await deps.store.query(readNote, { day, viewer: viewerOf(who) }))
    if (!contents || contents.chapters.length === 0) throw noSuchNote(params.day)
    let text = ''
    for await (const piece of noteText(deps.store, contents, timezone && zoneOf(timezone)))
      text += piece
    return text
  },
}
