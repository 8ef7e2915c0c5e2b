/**
 * Holds the state of projects and conversations from their streams (streams.ts), with hooks to read
 * it.
 */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import {
  type ConversationState,
  type ProjectState,
  snapshotListLimit,
  type TurnsState,
} from '../../../src/protocol/snapshot.ts'
import { withMessages } from '../../../src/protocol/threads/fold-conversation.ts'
import type { ThreadState } from '../../../src/protocol/threads/thread-state.ts'
import { refreshAllowances } from './allowances.ts'
import { takeApproval } from './approvals.ts'
import { afterEvent, afterSnapshot, newestOf } from './chat.ts'
import { forgetContinuity, refreshContinuity } from './continuity.ts'
import { acknowledge } from './outbox.ts'
import { takeAgentSession, takeProcess } from './processes.ts'
import { afterProjectEvent, type ProjectWork, withTask, withWorkSession } from './project-work.ts'
import { client, invalidate, queryClient, readAllTasks, readAllWorkSessions } from './queries.ts'
import { refreshAtWork, refreshRecent } from './recent.ts'
import { useStream, wantedStreams } from './streams.ts'
import { changeThread, putThread, useThread } from './threads.ts'
import {
  forgetEarlierTurns,
  forgetTurns,
  takeTurnEvent,
  takeTurnsSnapshot,
  turnsPrefix,
} from './turns.ts'
import { refreshUserSessions } from './user-sessions.ts'

const workKey = (projectId: string) => ['work', projectId] as const
const projectPrefix = 'project:'
const conversationPrefix = 'conversation:'

/** What the sidebar tells of a conversation changes with these. */
const changesList =
  /^(?:message-added|title-set|conversation-(?:rewound|forked|deleted)|permission:|agent:(?:prompted|response|ready|failed|terminated))/

/** Messages that are read again when a rewind is undone. */
const mostBroughtBack = 200

/** The work of a project; undefined until its first snapshot has come. */
export function useProjectWork(projectId: string): ProjectWork | undefined {
  useStream(projectPrefix + projectId)
  return useQuery<ProjectWork>({ queryKey: workKey(projectId), enabled: false }).data
}

export function useChat(conversationKey: string): ThreadState | undefined {
  useStream(conversationPrefix + conversationKey)
  // Later: what is removed while it is still observed would be kept by its observer.
  useEffect(() => () => void setTimeout(() => shortenLeft(conversationKey)), [conversationKey])
  return useThread(conversationKey)
}

/** Keeps little of a chat that was left: over a day many are looked at, and each grows. */
function shortenLeft(conversationKey: string): void {
  if (wantedStreams().includes(conversationPrefix + conversationKey)) return
  changeThread(conversationKey, newestOf)
  forgetEarlierTurns(conversationKey)
}

export const webChatKey = (projectId: string, agentId: string): string =>
  `web:${projectId}.${agentId}`

export const changeWork = (projectId: string, change: (work: ProjectWork) => ProjectWork): void =>
  void queryClient.setQueryData<ProjectWork>(workKey(projectId), (work) => work && change(work))

export function takeWorkEvent(event: HoldfastEvent): void {
  // FS8: in a console, taken back turns leave their pane, on every device: the project's copy has
  // no body.
  if (event.type === 'conversation-rewound')
    for (const what of ['turn-files', 'conversation']) void invalidate([what])
  if (/^comment(?:s-sent|-changed)$/.test(event.type)) void invalidate(['comments'])
  if (event.type === 'landing-changed') void invalidate(['landings'])
  if (event.stream.startsWith(projectPrefix)) {
    const projectId = event.stream.slice(projectPrefix.length)
    changeWork(projectId, (work) => afterProjectEvent(work, event))
    refreshContinuity(projectId, event)
    refreshUserSessions(projectId, event)
    if (!('data' in event)) return
    if ('allowance' in event.data) refreshAllowances(projectId)
    if ('approval' in event.data) takeApproval(event.data.approval)
    if ('agentSession' in event.data) takeAgentSession(event.data.agentSession)
    if ('process' in event.data) takeProcess(event.data.process)
  }
  if (changesList.test(event.type)) refreshRecent()
  if (event.stream.startsWith(turnsPrefix)) {
    takeTurnEvent(event.stream.slice(turnsPrefix.length), event)
    if (event.type === 'agent:update') refreshAtWork()
  }
  if (event.stream.startsWith(conversationPrefix)) {
    const key = event.stream.slice(conversationPrefix.length)
    changeThread(key, (thread) => afterEvent(thread, event))
    if (event.type === 'message-added' && 'data' in event) acknowledge(event.data.message)
    if (event.type === 'conversation-rewound' && 'data' in event) afterRewind(key, event.data)
  }
}

/** FS8: turns that were taken back leave the page, or return to it. */
function afterRewind(key: string, { undone, through }: { undone: boolean; through: number }): void {
  forgetTurns(key)
  void invalidate(['conversation', key])
  if (!undone) return
  const query = { after: through, limit: mostBroughtBack }
  void client
    .get('/api/conversations/{key}/archive', { params: { key }, query })
    .then(({ items }) => changeThread(key, (thread) => withMessages(thread, items)), ignore)
}

/** A stream is followed from here on: what was known of it is replaced. */
export function takeWorkSnapshot(stream: string, state: unknown): void {
  if (stream.startsWith(projectPrefix))
    replaceWork(stream.slice(projectPrefix.length), state as ProjectState)
  if (stream.startsWith(turnsPrefix))
    takeTurnsSnapshot(stream.slice(turnsPrefix.length), state as TurnsState)
  if (stream.startsWith(conversationPrefix)) {
    const snapshot = state as ConversationState
    putThread(stream.slice(conversationPrefix.length), (thread) => afterSnapshot(thread, snapshot))
    for (const message of snapshot.messages) acknowledge(message)
  }
}

function replaceWork(projectId: string, { tasks, workSessions }: ProjectState): void {
  queryClient.setQueryData<ProjectWork>(workKey(projectId), { tasks, workSessions })
  void invalidate(['approvals', projectId])
  refreshAllowances(projectId)
  forgetContinuity(projectId)
  void invalidate(['user-sessions', projectId])
  void invalidate(['agent-sessions-of', projectId])
  void invalidate(['processes-of', projectId])
  // A snapshot's lists are bounded; the rest of a long one follows.
  if (tasks.length >= snapshotListLimit) {
    void readAllTasks(projectId).then(
      (all) => changeWork(projectId, (work) => all.reduce(withTask, work)),
      ignore,
    )
  }
  if (workSessions.length >= snapshotListLimit) {
    const add = (all: Awaited<ReturnType<typeof readAllWorkSessions>>) =>
      changeWork(projectId, (work) => all.reduce(withWorkSession, work))
    void readAllWorkSessions(projectId).then(add, ignore)
  }
}

/** The stream notices a server that is away; it tells the person. */
const ignore = (): void => undefined
