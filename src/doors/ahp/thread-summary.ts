/** A session as lists show it: a session summary of the Agent Host Protocol. Pure. */
import { pathToFileURL } from 'node:url'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { providerOf } from './names.ts'

export interface ThreadSummary {
  readonly resource: string
  readonly provider: string
  readonly title: string
  readonly status: number
  readonly activity?: string
  readonly createdAt: string
  readonly modifiedAt: string
  readonly workingDirectories: readonly string[]
}

/** Bits of a status. */
export const status = {
  idle: 1,
  error: 2,
  running: 8,
  inputNeeded: 24,
  read: 32,
  archived: 64,
} as const

export const newTitle = 'New session'

/** The agent that it was begun with: its URI stays when another answers. */
export const firstAgentOf = ({ agents, agentId }: Conversation): string =>
  agents[0]?.agentId ?? agentId ?? ''

export function summaryOf(conversation: Conversation, resource: string): ThreadSummary {
  const { created, updated, lastTurnAt } = conversation
  const activity = activityText(conversation)
  return {
    resource,
    provider: providerOf(firstAgentOf(conversation)),
    title: conversation.title ?? newTitle,
    status: statusOf(conversation),
    ...(activity !== undefined && { activity }),
    createdAt: created,
    modifiedAt: updated > lastTurnAt ? updated : lastTurnAt,
    workingDirectories: directoriesOf(conversation),
  }
}

export const directoriesOf = ({ workplace }: Conversation): string[] => {
  const folder = workplace?.directory ?? workplace?.folder
  return folder ? [pathToFileURL(folder).href] : []
}

export const statusOf = (conversation: Conversation): number =>
  statusOfWork(conversation) | marksOf(conversation)

const marksOf = ({ unread, archived }: Conversation): number =>
  (unread ? 0 : status.read) | (archived ? status.archived : 0)

function statusOfWork({ activity, waitsFor }: Conversation): number {
  switch (activity) {
    case 'waiting':
      return waitsFor ? status.running : status.inputNeeded
    case 'working':
    case 'starting':
      return status.running
    case 'failed':
    case 'interrupted':
      return status.error
    default:
      return status.idle
  }
}

/** What is said beside it, where the status alone would mislead. */
export function activityText({ activity, waitsFor, paused }: Conversation): string | undefined {
  if (waitsFor === 'checkout') return 'Waiting for another session in the same folder'
  if (activity === 'starting') return 'Starting the agent'
  if (activity === 'limited') return 'Waiting for the end of the vendor’s limit'
  if (paused) return paused === 'stopped' ? 'Paused: stopped' : 'Paused: the last turn failed'
  return undefined
}
