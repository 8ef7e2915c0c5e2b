/** Starts chats with agents, ends them, and knows which panels are open (CH5). */
import { systemId } from '../../domain/access/caller.ts'
import { decideAgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { pendingPurposeLifetimeMs } from '../../domain/agent-sessions/work-detection.ts'
import { webKey } from '../../domain/conversations/key.ts'
import {
  closedUntil,
  seenAtLeaving,
  seenAtOpening,
  unnamedPanel,
} from '../../domain/conversations/panel-lifetime.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { conversationStream, projectStream } from '../../domain/stream-name.ts'
import type { AgentSession } from '../../protocol/agent-sessions/agent-session.ts'
import type { WorkspaceChoice } from '../../protocol/conversations/conversation-workspace.ts'
import type { Process } from '../../protocol/processes/process.ts'
import {
  agentSessionFrom,
  agentSessionOf,
  changesOf,
  liveOfPair,
  type Pair,
  selectLiveAgentSession,
} from '../../store/agent-sessions/agent-sessions.ts'
import {
  deletePanelsOfPair,
  deletePanelUnseenSince,
  selectPanels,
  selectPurpose,
  selectUnseenSince,
  updateAllSeen,
  updateSeenByName,
} from '../../store/conversations/panels.ts'
import { liveLaunchesOf, processOf } from '../../store/processes/launches.ts'
import { defineQuery, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { selectOpenElsewhere } from '../../store/turns/turns.ts'
import { openConversation } from '../conversations/conversation-record.ts'
import { chooseWorkplace } from '../conversations/conversation-workplace.ts'
import { hasSignedIn } from '../processes/launch-record.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { appendMessage } from './append-message.ts'

/** The pair's launch that has not signed in yet, or is held (CH1, CH9). */
export async function launchInProgress(
  reader: Reader,
  { agentId, projectId }: Pair,
): Promise<Process | null> {
  const pair = { agentId, projectId }
  const launches = await liveLaunchesOf(reader, pair)
  const live = launches.length > 0 ? await liveOfPair(reader, pair) : []
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
    await openPanel(tx, { projectId, agentId, panelId }, now)
    const conversationKey = webKey(projectId, agentId)
    const { row: opened } = await openConversation(tx, conversationKey, now)
    const row = await chooseWorkplace(tx, opened, { workplace, by, now })
    const live = await tx.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' })
    const launch =
      live?.state === 'active' ? null : await launchInProgress(tx, { projectId, agentId })
    if (!live && !launch && !(await isRequested(tx, { projectId, agentId }, now))) {
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
    if (live?.state !== 'active') await requestAgentSession(tx, { projectId, agentId, by }, now)
    return {
      conversationKey,
      agentSession: live ? agentSessionOf(agentSessionFrom(live)) : null,
      launch,
    }
  },
})

async function openPanel(
  tx: Tx,
  { projectId, agentId, panelId }: { projectId: string; agentId: string; panelId: string },
  now: Instant,
): Promise<void> {
  const pair = { project_id: projectId, agent_id: agentId }
  await tx.put('panels', { ...pair, panel_id: panelId, seen_at: seenAtOpening(now, panelId) })
  const open = await tx.all(selectPanels, { ...pair, limit: maxPanelsOfChat + 1 })
  const [oldest] = open
  if (oldest && open.length > maxPanelsOfChat) await tx.delete('panels', { ...pair, ...oldest })
}

async function isRequested(
  reader: Reader,
  { projectId, agentId }: Omit<ChatPair, 'by'>,
  now: Instant,
): Promise<boolean> {
  const purpose = await reader.first(selectPurpose, { agent_id: agentId, project_id: projectId })
  return purpose !== undefined && later(purpose.created_at, pendingPurposeLifetimeMs) > now
}

async function requestAgentSession(
  tx: Tx,
  { projectId, agentId, by }: ChatPair,
  now: Instant,
): Promise<void> {
  await tx.put('pending_purposes', { agent_id: agentId, project_id: projectId, created_at: now })
  tx.append(projectStream(projectId), { type: 'chat-wanted', data: { agentId, by } })
}

async function liveChatOf(
  reader: Reader,
  { agentId, projectId }: Pair,
): Promise<AgentSession | null> {
  const row = await reader.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' })
  return row ? agentSessionOf(agentSessionFrom(row)) : null
}

/** Closes a chat: ends its active agent session, withdraws a request for one (CH4). */
export async function closeChat(
  tx: Tx,
  { projectId, agentId }: Pair,
  { by, now }: { by: string; now: Instant },
): Promise<AgentSession | null> {
  tx.lock(projectStream(projectId))
  const pair = { agent_id: agentId, project_id: projectId }
  if (await tx.first(selectPurpose, pair)) {
    await tx.delete('pending_purposes', pair)
    tx.append(projectStream(projectId), { type: 'chat-not-wanted', data: { agentId, by } })
  }
  const row = await tx.first(selectLiveAgentSession, { agentId, projectId, purpose: 'chat' })
  if (!row) return null
  const current = agentSessionFrom(row)
  // Another conversation has work for the agent session. It stays and ends when idle.
  if (await tx.first(selectOpenElsewhere, { projectId, agentId, key: webKey(projectId, agentId) }))
    return agentSessionOf(current)
  const decision = decideAgentSession(now, current, { type: 'close' })
  if (decision.outcome === 'unchanged') return agentSessionOf(current)
  const agentSession = agentSessionOf(decision.agentSession)
  await tx.update('agent_sessions', changesOf(decision.agentSession))
  tx.append(projectStream(projectId), { type: 'agent-session-terminating', data: { agentSession } })
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
    const pair = { project_id: projectId, agent_id: agentId }
    if (panelId === undefined) await tx.write(deletePanelsOfPair, pair)
    else if (soon)
      await tx.update('panels', { ...pair, panel_id: panelId, seen_at: seenAtLeaving(now) })
    else await tx.delete('panels', { ...pair, panel_id: panelId })
    const othersOpen = (await tx.first(selectPanels, { ...pair, limit: 1 })) !== undefined
    if (othersOpen) return { agentSession: await liveChatOf(tx, { projectId, agentId }) }
    return { agentSession: await closeChat(tx, { projectId, agentId }, { by, now }) }
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

export interface ExpiredPanel extends Pair {
  readonly panelId: string
}

/** Closes a chat panel not seen for a minute, and the chat with the last one (CH5). Idempotent. */
export const expirePanel = defineUseCase('expire-panel', {
  scope: 'server',
  on: 'nobody',
  streams: ({ projectId }: ExpiredPanel) => [projectStream(projectId)],
  run: async (tx, { projectId, agentId, panelId }, { now }): Promise<void> => {
    const pair = { project_id: projectId, agent_id: agentId }
    // The panel may have been renewed since the query.
    const expired = await tx.first(deletePanelUnseenSince, {
      ...pair,
      panel_id: panelId,
      until: closedUntil(now),
    })
    if (!expired || (await tx.first(selectPanels, { ...pair, limit: 1 }))) return
    await closeChat(tx, { projectId, agentId }, { by: systemId, now })
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
      panelId: row.panel_id,
    }))
  },
})
