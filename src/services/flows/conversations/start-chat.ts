/** Starts chats with agents, ends them, and knows which panels are open (CH5). */

import { systemId } from '../../../domain/access/caller.ts'
import { decideAgentSession } from '../../../domain/agent-sessions/lifecycle.ts'
import { pendingPurposeLifetimeMs } from '../../../domain/agent-sessions/work-detection.ts'
import { chatKey, webKey } from '../../../domain/conversations/key.ts'
import {
  closedUntil,
  seenAtLeaving,
  seenAtOpening,
  unnamedPanel,
} from '../../../domain/conversations/panel-lifetime.ts'
import { type Instant, later } from '../../../domain/instant.ts'
import { conversationStream, home, projectStream } from '../../../domain/stream-name.ts'
import type { AgentSession } from '../../../protocol/agent-sessions/agent-session.ts'
import type { WorkspaceChoice } from '../../../protocol/conversations/conversation-workspace.ts'
import type { Process } from '../../../protocol/processes/process.ts'
import {
  agentSessionFrom,
  agentSessionOf,
  liveOfPost,
  type Pair,
  type Post,
  selectLiveAgentSession,
} from '../../../store/agent-sessions/agent-sessions.ts'
import {
  deletePanelsOfPost,
  deletePanelUnseenSince,
  postKey,
  selectPanels,
  selectPurpose,
  selectUnseenSince,
  updateAllSeen,
  updateSeenByName,
} from '../../../store/conversations/panels.ts'
import { liveLaunchesOf, processOf } from '../../../store/processes/launches.ts'
import { defineQuery, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { selectOpenElsewhere } from '../../../store/turns/turns.ts'
import { moveAgentSession } from '../../agent-sessions/move-agent-session.ts'
import { openConversation } from '../../conversations/conversation-record.ts'
import { chooseWorkplace } from '../../conversations/conversation-workplace.ts'
import { hasSignedIn } from '../../processes/launch-record.ts'
import { checkAssigned } from '../../projects/project-record.ts'
import { appendMessage } from '../messages/append-message.ts'

/** The post's launch that has not signed in yet, or is held (CH1, CH9). */
export async function launchInProgress(reader: Reader, post: Post): Promise<Process | null> {
  const launches = await liveLaunchesOf(reader, post)
  const live = launches.length > 0 ? await liveOfPost(reader, post) : []
  for (const launch of launches.reverse())
    if (!(await hasSignedIn(reader, launch, live))) return processOf(launch)
  return null
}

interface ChatPair {
  readonly projectId: string
  readonly agentId: string
  readonly by: string
}

interface OpenedPanel extends ChatPair {
  readonly panelId?: string | undefined
  /** CX9: left out to keep the current one or the project's default. */
  readonly workplace?: WorkspaceChoice | undefined
}

/** Panels of one chat. The one seen longest ago is dropped beyond that. */
export const maxPanelsOfChat = 100

export interface StartedChat {
  readonly conversationKey: string
  readonly agentSession: AgentSession | null
  /** The process being started, if one was ordered. */
  readonly launch: Process | null
}

/**
 * Opens a chat panel (CH1). Without a live agent session it requests one, which is valid for ten
 * minutes, and adds a hidden message. Repeating it requests nothing twice. The panel's name is
 * stored, so that the chat closes with the last panel (CH5).
 */
export const startChat = defineUseCase('start-chat', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId, agentId }: OpenedPanel) => [
    conversationStream(webKey(projectId, agentId)),
    projectStream(projectId),
  ],
  run: async (
    tx,
    { projectId, agentId, panelId = unnamedPanel, workplace, by },
    context,
  ): Promise<StartedChat> => {
    await checkAssigned(tx, { projectId, agentId })
    const { now } = context
    const post = { projectId, agentId, lane: '' }
    await openPanel(tx, { ...post, panelId }, now)
    const conversationKey = webKey(projectId, agentId)
    const { row: opened } = await openConversation(tx, conversationKey, now)
    const row = await chooseWorkplace(tx, opened, { workplace, by, now })
    const live = await tx.first(selectLiveAgentSession, { ...post, purpose: 'chat' })
    const launch = live?.state === 'active' ? null : await launchInProgress(tx, post)
    if (!live && !launch && !(await isRequested(tx, post, now))) {
      const message = {
        senderId: systemId,
        receiverId: null,
        role: 'system',
        content: 'The chat was opened.',
        visible: false,
      } as const
      await appendMessage(tx, row, message, context, { readers: [] })
    }
    // NA2: a terminating session does not serve the request; the next process does.
    if (live?.state !== 'active') await requestAgentSession(tx, { ...post, by }, now)
    return {
      conversationKey,
      agentSession: live ? agentSessionOf(agentSessionFrom(live)) : null,
      launch,
    }
  },
})

async function openPanel(
  tx: Tx,
  { panelId, ...post }: Post & { panelId: string },
  now: Instant,
): Promise<void> {
  const key = postKey(post)
  await tx.put('panels', { ...key, panel_id: panelId, seen_at: seenAtOpening(now, panelId) })
  const open = await tx.all(selectPanels, { ...key, limit: maxPanelsOfChat + 1 })
  const [oldest] = open
  if (oldest && open.length > maxPanelsOfChat) await tx.delete('panels', { ...key, ...oldest })
}

async function isRequested(reader: Reader, post: Post, now: Instant): Promise<boolean> {
  const purpose = await reader.first(selectPurpose, postKey(post))
  return purpose !== undefined && later(purpose.created_at, pendingPurposeLifetimeMs) > now
}

export async function requestAgentSession(
  tx: Tx,
  { by, ...post }: Post & { by: string },
  now: Instant,
): Promise<void> {
  await tx.put('pending_purposes', { ...postKey(post), created_at: now })
  const { agentId, projectId } = post
  tx.append(projectStream(projectId), { type: 'chat-wanted', data: { agentId, by } })
}

async function liveChatOf(reader: Reader, post: Post): Promise<AgentSession | null> {
  const row = await reader.first(selectLiveAgentSession, { ...post, purpose: 'chat' })
  return row ? agentSessionOf(agentSessionFrom(row)) : null
}

/** Closes a chat: ends its active agent session, withdraws a request for one (CH4). */
export async function closeChat(
  tx: Tx,
  post: Post,
  { by, now }: { by: string; now: Instant },
): Promise<AgentSession | null> {
  const { projectId, agentId } = post
  tx.lock(projectStream(projectId))
  if (await tx.first(selectPurpose, postKey(post))) {
    await tx.delete('pending_purposes', postKey(post))
    tx.append(projectStream(projectId), { type: 'chat-not-wanted', data: { agentId, by } })
  }
  const row = await tx.first(selectLiveAgentSession, { ...post, purpose: 'chat' })
  if (!row) return null
  const current = agentSessionFrom(row)
  // Another conversation has work for the agent session. It stays and ends when idle.
  if (await tx.first(selectOpenElsewhere, { ...post, key: chatKey(post) }))
    return agentSessionOf(current)
  const decision = decideAgentSession(now, current, { type: 'close' })
  if (decision.outcome === 'unchanged') return agentSessionOf(current)
  const agentSession = agentSessionOf(decision.agentSession)
  await moveAgentSession(tx, decision.agentSession)
  const event = { type: 'agent-session-terminating', data: { agentSession } } as const
  tx.append(projectStream(projectId), event, [home])
  return agentSession
}

interface ClosedPanel extends Pair {
  readonly by: string
  readonly panelId?: string | undefined
  /** The page is unloading and may come back at once. */
  readonly soon?: boolean | undefined
}

/**
 * Closes a chat panel, or all panels when none is named (CH4). Closing the last one closes the chat
 * (CH5).
 */
export const endChat = defineUseCase('end-chat', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: ClosedPanel) => [projectStream(projectId)],
  run: async (
    tx,
    { projectId, agentId, panelId, soon, by },
    { now },
  ): Promise<{ agentSession: AgentSession | null }> => {
    await checkAssigned(tx, { projectId, agentId })
    const post = { projectId, agentId, lane: '' }
    const key = postKey(post)
    if (panelId === undefined) await tx.write(deletePanelsOfPost, key)
    else if (soon)
      await tx.update('panels', { ...key, panel_id: panelId, seen_at: seenAtLeaving(now) })
    else await tx.delete('panels', { ...key, panel_id: panelId })
    const othersOpen = (await tx.first(selectPanels, { ...key, limit: 1 })) !== undefined
    if (othersOpen) return { agentSession: await liveChatOf(tx, post) }
    return { agentSession: await closeChat(tx, post, { by, now }) }
  },
})

export const maxTouchedPanels = 500

/** Records that chat panels are open (CH5). Appends no event, and does not reopen closed ones. */
export const touchPanels = defineUseCase('touch-panels', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, { panelIds }: { panelIds: readonly string[] }, { now }): Promise<void> => {
    // Sorted, so that two nodes that write the same panels cannot deadlock.
    for (const panelId of panelIds.slice(0, maxTouchedPanels).toSorted())
      await tx.write(updateSeenByName, { panelId, now })
  },
})

/** Renews all open chat panels, after the server was down or asleep (CH5). */
export const touchAllPanels = defineUseCase('touch-all-panels', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, _: Record<never, never>, { now }): Promise<void> =>
    tx.write(updateAllSeen, { now }),
})

export interface ExpiredPanel extends Post {
  readonly panelId: string
}

/** Closes a chat panel not seen for a minute, and the chat with the last one (CH5). Idempotent. */
export const expirePanel = defineUseCase('expire-panel', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: ExpiredPanel) => [projectStream(projectId)],
  run: async (tx, { panelId, ...post }, { now }): Promise<void> => {
    const key = postKey(post)
    // The panel may have been renewed since the query.
    const expired = await tx.first(deletePanelUnseenSince, {
      ...key,
      panel_id: panelId,
      until: closedUntil(now),
    })
    if (!expired || (await tx.first(selectPanels, { ...key, limit: 1 }))) return
    await closeChat(tx, post, { by: systemId, now })
  },
})

const expiredLimit = 100

/** Lists chat panels not seen for too long, oldest first, up to a limit (CH5). */
export const findExpiredPanels = defineQuery('find-expired-panels', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>, { now }): Promise<ExpiredPanel[]> => {
    const rows = await reader.all(selectUnseenSince, {
      until: closedUntil(now),
      limit: expiredLimit,
    })
    return rows.map((row) => ({
      projectId: row.project_id,
      agentId: row.agent_id,
      lane: row.lane,
      panelId: row.panel_id,
    }))
  },
})
