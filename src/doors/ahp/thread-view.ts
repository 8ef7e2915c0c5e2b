/** A session as its own channel shows it, and the actions from one view of it to the next. Pure. */
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { chatStateOf } from './chat-changes.ts'
import type { ChatAction } from './chat-state.ts'
import { type ChatView, emptyChat } from './chat-view.ts'
import type { Fork } from './forks.ts'
import { chatUri, providerOf } from './names.ts'
import {
  activityText,
  directoriesOf,
  firstAgentOf,
  newTitle,
  status,
  statusOf,
  summaryOf,
} from './thread-summary.ts'

interface Asked {
  readonly id: string
  readonly request: object
}

interface ChatSummary {
  readonly resource: string
  readonly title: string
  readonly status: number
  readonly modifiedAt: string
  readonly origin: object
}

export interface ThreadView {
  readonly provider: string
  readonly title: string
  readonly status: number
  readonly activity: string | undefined
  readonly chat: ChatSummary
  /** Chats that were forked from it, as this client calls them. */
  readonly forks: readonly ChatSummary[]
  readonly asked: readonly Asked[]
  readonly directories: readonly string[]
}

interface Shown {
  readonly conversation: Conversation
  readonly forks: readonly Fork[]
  readonly chat: ChatView
  readonly key: string
}

export function threadViewOf({ conversation, forks, chat, key }: Shown): ThreadView {
  const resource = chatUri(key)
  const { created } = conversation
  const last = chat.turns.slice(-1)
  const shown = { ...emptyChat, turns: last, isActive: chat.isActive }
  const state = chatStateOf(shown, { resource, title: '', createdAt: created })
  return {
    provider: providerOf(firstAgentOf(conversation)),
    title: conversation.title ?? newTitle,
    status: statusOf(conversation),
    activity: activityText(conversation),
    chat: {
      resource,
      title: '',
      status: state.status,
      modifiedAt: state.modifiedAt,
      origin: { kind: 'user' },
    },
    forks: forks.map((fork) => forkSummary(fork, chat, resource)),
    asked: chat.isActive ? askedIn(state, resource) : [],
    directories: directoriesOf(conversation),
  }
}

function forkSummary(fork: Fork, { turns }: ChatView, chat: string): ChatSummary {
  const { conversation, uri: resource } = fork
  const { title, forkedFrom } = conversation
  const { status: all, modifiedAt } = summaryOf(conversation, resource)
  const turn = turns.find(({ runs }) => runs.some((run) => run.turnId === forkedFrom?.turnId))
  const origin = { kind: 'fork', chat, turnId: turn?.id ?? forkedFrom?.turnId }
  return { resource, title: title ?? newTitle, status: all & statusOfWork, modifiedAt, origin }
}

/** Those that say what a chat does; the others are its session's. */
const statusOfWork = 31

function askedIn(state: ReturnType<typeof chatStateOf>, chat: string): Asked[] {
  const turn = state.activeTurn
  if (!turn) return []
  return turn.responseParts.flatMap((part): Asked[] => {
    if (part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation') {
      const id = `${chat}#${part.toolCall.toolCallId}`
      const { toolCall } = part
      return [{ id, request: { id, chat, kind: 'toolConfirmation', turnId: turn.id, toolCall } }]
    }
    if (part.kind !== 'inputRequest' || part.response !== undefined) return []
    const id = `${chat}#${part.request.id}`
    return [{ id, request: { id, chat, kind: 'chatInput', request: part.request } }]
  })
}

/** Named relative to the session; of one turn, with its id. */
const changesets = [
  { label: 'All changes', uriTemplate: 'changeset/session', changeKind: 'session' },
  { label: 'Uncommitted changes', uriTemplate: 'changeset/uncommitted', changeKind: 'uncommitted' },
  { label: 'Changes of a turn', uriTemplate: 'changeset/turn/{turnId}', changeKind: 'turn' },
].map((each) => ({ ...each, capabilities: { review: {} } }))

export function threadStateOf(view: ThreadView): object {
  const { provider, title, activity, chat, forks, asked, directories } = view
  return {
    provider,
    title,
    status: view.status,
    ...(activity !== undefined && { activity }),
    lifecycle: 'ready',
    activeClients: [],
    chats: [chat, ...forks],
    defaultChat: chat.resource,
    workingDirectories: directories,
    changesets,
    ...(asked.length > 0 && { inputNeeded: asked.map(({ request }) => request) }),
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/**
 * The work in its status has no action of its own: clients have it from the chat and the list.
 */
export function threadChanges(before: ThreadView, after: ThreadView): ChatAction[] {
  const actions: ChatAction[] = []
  const say = (type: string, fields: object): void => {
    actions.push({ type: `session/${type}`, ...fields })
  }
  if (before.title !== after.title) say('titleChanged', { title: after.title })
  const changed = before.status ^ after.status
  if (changed & status.read) say('isReadChanged', { isRead: (after.status & status.read) > 0 })
  if (changed & status.archived)
    say('isArchivedChanged', { isArchived: (after.status & status.archived) > 0 })
  if (before.activity !== after.activity) say('activityChanged', { activity: after.activity })
  if (!isSame(before.chat, after.chat)) {
    const { resource, ...changes } = after.chat
    say('chatUpdated', { chat: resource, changes })
  }
  for (const { resource } of before.forks)
    if (!after.forks.some((each) => each.resource === resource))
      say('chatRemoved', { chat: resource })
  for (const summary of after.forks)
    if (!before.forks.some((each) => isSame(each, summary))) say('chatAdded', { summary })
  for (const { id } of before.asked)
    if (!after.asked.some((each) => each.id === id)) say('inputNeededRemoved', { id })
  for (const { id, request } of after.asked)
    if (!isSame(before.asked.find((each) => each.id === id)?.request, request))
      say('inputNeededSet', { request })
  for (const directory of before.directories)
    if (!after.directories.includes(directory)) say('workingDirectoryRemoved', { directory })
  for (const directory of after.directories)
    if (!before.directories.includes(directory)) say('workingDirectorySet', { directory })
  return actions
}
