/** REST handlers for conversations, chats, chapters and daily notes. */
import { type CutoverRule, parseDay } from '../../domain/conversations/chapter.ts'
import { Refusal } from '../../domain/errors.ts'
import { instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { zoneOf } from '../../platform/time/local-zone.ts'
import type { chatRoutes } from '../../protocol/conversations/chat-routes.ts'
import type { Cutover } from '../../protocol/conversations/cutover.ts'
import type { noteRoutes } from '../../protocol/conversations/note-routes.ts'
import type { conversationRoutes, searchRoutes } from '../../protocol/conversations/routes.ts'
import { closeWithPlace } from '../../server/worktrees/close-session.ts'
import {
  getOrCreateConversation,
  resetConversation,
  setConversationSummary,
  setFlags,
  setHistory,
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
  archiveConversation,
  markSeen,
  setTitle,
} from '../../services/conversations/mark-conversation.ts'
import {
  findRolePlace,
  findSavedConversation,
  getConversation,
  getHistory,
  listConversations,
  listMessages,
  readArchive,
} from '../../services/conversations/queries.ts'
import { searchMessages } from '../../services/conversations/search-messages.ts'
import { searchTitles } from '../../services/conversations/search-titles.ts'
import { beginThread } from '../../services/flows/conversations/begin-thread.ts'
import { findPlaceToClose } from '../../services/flows/conversations/close-session.ts'
import { continueWithAgent } from '../../services/flows/conversations/continue-with-agent.ts'
import { deleteConversation } from '../../services/flows/conversations/delete-conversation.ts'
import { endChat, startChat } from '../../services/flows/conversations/start-chat.ts'
import { warmThread } from '../../services/flows/conversations/warm-thread.ts'
import { askFork, askRewind, askUndo } from '../../services/flows/files/file-operations.ts'
import { placeImported } from '../../services/flows/imports/place-imported.ts'
import { addMessage } from '../../services/flows/messages/add-message.ts'
import { moveMessage } from '../../services/flows/messages/move-message.ts'
import { postMessage, sayInConversation } from '../../services/flows/messages/post-message.ts'
import { withdrawMessage } from '../../services/flows/messages/withdraw-message.ts'
import { beginTurn } from '../../services/flows/turns/begin-turn.ts'
import { stopTurns } from '../../services/flows/turns/cancel-turn.ts'
import { goOnInChat } from '../../services/flows/turns/end-limit.ts'
import { goOnInConversation } from '../../services/flows/turns/go-on.ts'
import { invalidField, noSuchNote } from '../../services/refusals.ts'
import { readThread } from '../../services/system/read-thread.ts'
import { configureChat, findOptions, readOptions } from '../../services/turns/chat-options.ts'
import { previewAgent } from '../../services/turns/preview-agent.ts'
import {
  listConversationTurns,
  readContexts,
  readToolOutput,
  readTurnItems,
} from '../../services/turns/queries.ts'
import { noteText } from '../../store/conversations/notes.ts'
import { encodeCursor } from '../../store/page-cursor.ts'
import { allowed, by, type HandlersOf, query, run } from './handler.ts'

/** What is asked of the machine that has the folder. */
const looks = { scope: 'read', on: 'conversation' } as const

export const conversationHandlers: HandlersOf<typeof conversationRoutes> = {
  listConversations: query(listConversations, ({ query: page, who }) => ({
    ...page,
    personId: who.id,
  })),
  getOrCreateConversation: by(
    getOrCreateConversation,
    async ({ body, who, deps, receipt, reply }) => {
      const { conversation, created } = await deps.app.run(
        getOrCreateConversation,
        body,
        who,
        receipt,
      )
      reply.code(created ? 201 : 200)
      return conversation
    },
  ),
  getConversation: query(getConversation, ({ params, who }) => ({ ...params, personId: who.id })),
  changeConversation: by(archiveConversation, ({ params, body, who, deps, receipt }) => {
    const change = { ...params, archived: body.archived, by: who.id }
    if (body.projectId !== undefined || body.shared !== undefined)
      return deps.app.run(placeImported, { ...params, ...body, by: who.id }, who, receipt)
    return body.title === undefined
      ? deps.app.run(archiveConversation, change, who, receipt)
      : deps.app.run(setTitle, { ...change, title: body.title }, who, receipt)
  }),
  markSeen: run(markSeen, ({ params, body, who }) => ({ ...params, ...body, personId: who.id })),
  closeConversation: by(findPlaceToClose, ({ params, body, who, deps, receipt }) =>
    closeWithPlace(deps, who, { ...params, ...body }, receipt),
  ),
  previewAgent: query(previewAgent, ({ params, query: { agentId } }) => ({ ...params, agentId })),
  continueWithAgent: by(continueWithAgent, async ({ params, body, who, deps, receipt, reply }) => {
    const input = { ...params, ...body, by: who.id }
    const { conversation, isNew } = await deps.app.run(continueWithAgent, input, who, receipt)
    reply.code(isNew ? 201 : 200)
    return conversation
  }),
  deleteConversation: run(deleteConversation, ({ params, who }) => ({ ...params, by: who.id })),
  getHistory: query(getHistory, (call) => ({ ...call.query, ...call.params })),
  readArchive: query(readArchive, (call) => ({ ...call.query, ...call.params })),
  addMessage: run(addMessage, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
    scopes: who.scopes,
  })),
  withdrawMessage: run(withdrawMessage, ({ params, who }) => ({ ...params, by: who.id })),
  moveMessage: run(moveMessage, ({ params, body, who }) => ({
    ...params,
    to: 'now' in body ? ('now' as const) : body.before,
    by: who.id,
  })),
  setHistory: run(setHistory, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
    scopes: who.scopes,
  })),
  setConversationSummary: run(setConversationSummary, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
  })),
  truncateHistory: run(truncateHistory, ({ body, params }) => ({ ...body, ...params })),
  resetConversation: run(resetConversation, ({ params }) => params),
  importConversation: run(importConversation, ({ body, params, who }) => ({
    ...body,
    ...params,
    by: who.id,
    scopes: who.scopes,
  })),
  saveConversation: allowed(
    { scope: 'write', on: 'conversation' },
    async ({ params: { key }, who, deps }) => {
      await deps.app.read(findSavedConversation, { key }, who)
      return { key, path: await deps.files.saveConversation(key) }
    },
  ),
  getThread: by(readThread, async ({ params, deps, who }) => {
    const { heads, state } = await deps.app.read(readThread, params, who)
    const positions = new Map(Object.entries(heads) as [StreamName, number][])
    return { cursor: encodeCursor(deps.store.incarnation, positions), heads, state: { ...state } }
  }),
  listConversationTurns: query(listConversationTurns, (call) => ({
    ...call.query,
    ...call.params,
  })),
  getConversationTurn: query(readTurnItems, ({ params }) => params),
  getToolOutput: query(readToolOutput, ({ params }) => params),
  findFiles: allowed(looks, async ({ params, query: { q }, who, deps }) => ({
    items: await deps.worktrees.files(who, params.key, q),
  })),
  stopTurns: run(stopTurns, ({ params, who }) => ({ ...params, by: who.id })),
  goOnInConversation: by(goOnInConversation, async ({ params, body, who, deps, receipt }) => {
    const chosen = { ...params, goOn: body?.goOn ?? true, by: who.id }
    const { until, goesOn } = await deps.app.run(goOnInConversation, chosen, who, receipt)
    return { until, goesOn }
  }),
  getTurnDiff: allowed(looks, (call) =>
    call.deps.fileOperations.diff(call.who, call.params, call.query),
  ),
  rewindToTurn: by(askRewind, (call) =>
    call.deps.fileOperations.rewind(call.who, call.params, call.body, call.receipt),
  ),
  undoRewind: by(askUndo, (call) =>
    call.deps.fileOperations.undo(call.who, { ...call.params, ...call.body }, call.receipt),
  ),
  forkFromTurn: by(askFork, (call) =>
    call.deps.fileOperations.fork(call.who, call.params, call.body.agentId, call.receipt),
  ),
  beginTurn: run(beginTurn, ({ params, who }) => ({ ...params, by: who.id })),
  getConversationContext: query(readContexts, ({ params }) => params),
  getConversationOptions: query(readOptions, ({ params }) => params),
  setConversationOption: by(
    configureChat,
    async ({ params: { key }, body: change, who, deps, receipt }) => {
      const inRole = await deps.app.read(findRolePlace, { key }, who)
      if (!inRole) return deps.app.run(configureChat, { key, change, by: who.id }, who, receipt)
      await deps.userSessions.apply(who, { type: 'agent:configure', ...inRole, change })
      return deps.app.read(findOptions, { key }, who)
    },
  ),
  getFlags: by(getConversation, async ({ params, who, deps }) => {
    const { flags } = await deps.app.read(getConversation, params, who)
    return flags
  }),
  setFlags: run(setFlags, ({ body, params }) => ({ ...params, flags: body })),
}

export const searchHandlers: HandlersOf<typeof searchRoutes> = {
  search: by(searchMessages, async ({ query, deps: { app, search }, who }) => {
    const behind = await search.catchUp()
    const messages = await app.read(searchMessages, query, who)
    return {
      ...messages,
      ...(query.titles && { titles: await app.read(searchTitles, query, who) }),
      behind,
    }
  }),
}

/** REST handlers for people's chats with the agents of a project. */
export const chatHandlers: HandlersOf<typeof chatRoutes> = {
  startChat: by(startChat, async ({ params, query: chat, who, deps, receipt }) => {
    const started = await deps.app.run(startChat, { ...params, ...chat, by: who.id }, who, receipt)
    if (started.agentSession?.state === 'active') return started
    // CH1: ordered at once, so that the answer can include the launch.
    const post = { projectId: params.projectId, agentId: chat.agentId, lane: '' }
    return { ...started, launch: (await deps.launches.order(post)) ?? started.launch }
  }),
  warmConversation: by(warmThread, async ({ params, who, deps, receipt }) => {
    const { post } = await deps.app.run(warmThread, { ...params, by: who.id }, who, receipt)
    return { launch: post && (await deps.launches.order(post)) }
  }),
  endChat: run(endChat, (call) => ({ ...call.params, ...call.query, by: call.who.id })),
  goOnInChat: by(goOnInChat, async ({ params, body, who, deps, receipt }) => {
    const { until, goesOn } = await deps.app.run(
      goOnInChat,
      { ...params, ...body, by: who.id },
      who,
      receipt,
    )
    return { until, goesOn }
  }),
  postMessage: by(postMessage, async ({ body: { senderId, ...body }, who, deps, receipt }) => {
    if (senderId !== undefined && senderId !== who.id)
      throw new Refusal('authentication_failed', refusalText('writtenByAnother'))
    const { projectId, toAgentId, conversationKey: key, ...draft } = body
    const message = { ...draft, by: who.id, scopes: who.scopes }
    if (key !== undefined)
      return deps.app.run(
        sayInConversation,
        { ...message, key, projectId, toAgentId },
        who,
        receipt,
      )
    if (projectId === undefined)
      throw invalidField('projectId', refusalText('isMissing', { type: 'string' }))
    if (toAgentId === undefined) throw invalidField('toAgentId', refusalText('whoShallRead'))
    return deps.app.run(postMessage, { ...message, projectId, toAgentId }, who, receipt)
  }),
  beginConversation: run(beginThread, ({ params, body, who }) => ({
    ...params,
    ...body,
    by: who.id,
    scopes: who.scopes,
  })),
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
  cutOverConversation: by(cutOverConversation, async ({ params, body, who, deps, receipt }) => {
    const at = body?.now === undefined ? undefined : instant(Date.parse(body.now))
    const { cut, day } = await deps.app.run(cutOverConversation, { ...params, at }, who, receipt)
    if (!cut || day === null) return { cut, date: day, notePath: null }
    await deps.files.noteWritten(day)
    return { cut, date: day, notePath: deps.files.notePath(day) }
  }),
  getCutover: by(getCutoverRule, async ({ who, deps }) =>
    cutoverOf(await deps.app.read(getCutoverRule, undefined, who)),
  ),
  setCutover: by(setCutoverRule, async ({ body, who, deps, receipt }) => {
    const { hour, timezone } = body
    const change = {
      ...(hour !== undefined && { hour: hour === 'off' ? null : hour }),
      ...(timezone !== undefined && { timezone: zoneOf(timezone) }),
    }
    return cutoverOf(
      await deps.app.run(setCutoverRule, { ...change, source: 'chosen' }, who, receipt),
    )
  }),
  listNotes: query(listNotes, (call) => call.query),
  getNote: by(readNote, async ({ params, query: { timezone }, who, deps }) => {
    const day = parseDay(params.day)
    const contents = day && (await deps.app.read(readNote, { day }, who))
    if (!contents || contents.chapters.length + contents.threads.length === 0)
      throw noSuchNote(params.day)
    let text = ''
    for await (const piece of noteText(deps.store, contents, timezone && zoneOf(timezone)))
      text += piece
    return text
  }),
}
