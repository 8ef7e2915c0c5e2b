/**
 * Who sees which event (SE28). Most are everybody's, or belong to whom their stream belongs to; in
 * a stream that others follow, some are one person's own. Each event has its class here: a new one
 * does not compile without.
 */
import type { Owner } from '../../domain/access/visibility.ts'
import type { Allowance } from '../../protocol/approvals/allowance.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { EventBodies, EventType } from '../../protocol/events.ts'
import type { Process } from '../../protocol/processes/process.ts'
import type { Worktree } from '../../protocol/worktrees/worktree.ts'
import { defineQuery, type StoredEvent } from '../../store/store.ts'
import { type Belonging, belongingOfStream, ownerOf } from './owners.ts'
import { allowanceToOthers, approvalToOthers, processToOthers } from './shown-to-others.ts'

interface Guarded<Body> {
  /** null: it is everybody's. */
  readonly belongsTo: (body: Body) => Belonging | null
  /** Left out: others see only that there was one. */
  readonly toOthers?: (body: Body) => Body
}

/** `stream`: of whom its stream is. */
type EventClass<Body> = 'everybody' | 'stream' | Guarded<Body>

const approvals: Guarded<{ approval: Approval }> = {
  belongsTo: ({ approval }) => ({ of: 'approval', id: approval.id }),
  toOthers: ({ approval }) => ({ approval: approvalToOthers(approval) }),
}
const allowances: Guarded<{ allowance: Allowance }> = {
  belongsTo: ({ allowance }) => ({ of: 'approval', id: allowance.approvalId }),
  toOthers: ({ allowance }) => ({ allowance: allowanceToOthers(allowance) }),
}
const processes: Guarded<{ process: Process }> = {
  belongsTo: ({ process: { roleAgentId: id } }) => (id === null ? null : { of: 'role-agent', id }),
  toOthers: ({ process }) => ({ process: processToOthers(process) }),
}
const changedSessions: Guarded<EventBodies['session-changed']> = {
  belongsTo: ({ key, personId, private: isPrivate }) => {
    if (personId !== undefined) return { of: 'person', id: personId }
    return isPrivate ? { of: 'conversation', key } : null
  },
}
const worktrees = {
  belongsTo: ({ worktreeId: id }: { worktreeId: string }) => ({ of: 'worktree', id }) as const,
}

const eventClasses: { readonly [Type in EventType]: EventClass<EventBodies[Type]> } = {
  'project-created': 'everybody',
  'project-changed': 'everybody',
  'project-deleted': 'everybody',
  'agent-created': 'everybody',
  'agent-changed': 'everybody',
  'agent-deleted': 'everybody',
  'agent-assigned': 'everybody',
  'assignment-changed': 'everybody',
  'agent-unassigned': 'everybody',
  'passkey-replaced': 'everybody',
  'person-added': 'everybody',
  'person-changed': 'everybody',
  'person-renewed': 'everybody',
  'person-removed': 'everybody',
  'token-created': 'everybody',
  'token-revoked': 'everybody',
  'signed-out': 'everybody',
  'channel-changed': 'everybody',
  'channel-chat-changed': 'everybody',
  'channel-person-paired': 'everybody',
  'channel-person-signed-out': 'everybody',
  'coordinator-joined': 'everybody',
  'coordinator-unreachable': 'everybody',
  'coordinator-back': 'everybody',
  'coordinator-stopped': 'everybody',
  'coordinator-taken-over': 'everybody',
  'chapters-noted': 'everybody',
  'note-changed': 'everybody',

  'chat-wanted': 'everybody',
  'chat-not-wanted': 'everybody',
  'agent-session-started': 'everybody',
  'agent-session-changed': 'everybody',
  'agent-session-terminating': 'everybody',
  'agent-session-suspected': 'everybody',
  'agent-session-ended': 'everybody',
  'work-session-started': 'everybody',
  'work-session-changed': 'everybody',
  'work-session-ended': 'everybody',
  'checkpoint-saved': 'everybody',
  'approach-recorded': 'everybody',
  'approach-changed': 'everybody',
  'artifact-stored': 'everybody',
  'artifact-deleted': 'everybody',
  'task-created': 'everybody',
  'task-changed': 'everybody',
  'set-up-changed': 'everybody',
  'secret-set': 'everybody',
  'secret-removed': 'everybody',
  'session-changed': changedSessions,
  'approval-asked': approvals,
  'approval-decided': approvals,
  'approval-resubmitted': approvals,
  'approval-held': approvals,
  'approval-taken-back': approvals,
  'allowance-given': allowances,
  'allowance-revoked': allowances,
  'worktree-made': {
    belongsTo: ({ worktree }: { worktree: Worktree }) => ({ of: 'worktree', id: worktree.id }),
  },
  'worktree-changed': worktrees,
  'worktree-removed': worktrees,
  'turn-waiting': { belongsTo: ({ conversationKey: key }) => ({ of: 'conversation', key }) },
  'process-waiting': processes,
  'process-starting': processes,
  'process-running': processes,
  'process-ready': processes,
  'process-held': processes,
  'process-stopping': processes,
  'process-ended': processes,

  'conversation-created': 'stream',
  'message-added': 'stream',
  'messages-delivered': 'stream',
  'messages-returned': 'stream',
  'message-withdrawn': 'stream',
  'messages-ordered': 'stream',
  'messages-read': 'stream',
  'chat-limited': 'stream',
  'title-set': 'stream',
  'summary-set': 'stream',
  'history-truncated': 'stream',
  'conversation-rewound': 'stream',
  'conversation-forked': 'stream',
  'comment-changed': 'stream',
  'comments-sent': 'stream',
  'landing-changed': 'stream',
  'conversation-reset': 'stream',
  'workplace-chosen': 'stream',
  'turn-begins': 'stream',
  'queue-paused': 'stream',
  'queue-goes-on': 'stream',
  'agent-chosen': 'stream',
  'flags-set': 'stream',
  'project-given': 'stream',
  'conversation-shared': 'stream',
  'conversation-closed': 'stream',
  'conversation-reopened': 'stream',
  'conversation-deleted': 'stream',
  'chapter-closed': 'stream',

  'session:created': 'stream',
  'session:terminated': 'stream',
  'agent:spawning': 'stream',
  'agent:ready': 'stream',
  'agent:failed': 'stream',
  'agent:asleep': 'stream',
  'agent:terminated': 'stream',
  'agent:queued': 'stream',
  'agent:prompted': 'stream',
  'agent:withdrawn': 'stream',
  'agent:configuring': 'stream',
  'agent:configured': 'stream',
  'agent:update': 'stream',
  'agent:response': 'stream',
  'agent:limited': 'stream',
  'permission:requested': 'stream',
  'permission:resolved': 'stream',
  'approval:held': 'stream',
  'question:requested': 'stream',
  'question:resolved': 'stream',

  'stop-ordered': 'stream',
  'turn-ordered': 'stream',
  'cancel-ordered': 'stream',
  'permission-settled': 'stream',
  'configure-ordered': 'stream',
  'question-asked': 'stream',
  'question-answered': 'stream',
}

const classOf = (type: string): EventClass<unknown> | undefined =>
  Object.hasOwn(eventClasses, type)
    ? (eventClasses[type as EventType] as EventClass<unknown>)
    : undefined

/** Null: everybody who follows its stream sees it whole. */
function belongingOf({ type, data, refStream }: StoredEvent): Belonging | null {
  if (refStream !== null) return belongingOfStream(refStream)
  const guard = classOf(type)
  return typeof guard === 'object' && data !== null ? guard.belongsTo(JSON.parse(data)) : null
}

/** Whether an event may be one person's own: whose it is has to be looked up. */
export const isGuarded = (event: StoredEvent): boolean => belongingOf(event) !== null

/** Whose each of these events is. */
export const findOwnersOfEvents = defineQuery('find-owners-of-events', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { events }: { events: readonly StoredEvent[] }): Promise<Owner[]> => {
    const owners: Owner[] = []
    for (const event of events) {
      const thing = belongingOf(event)
      owners.push(thing === null ? null : await ownerOf(reader, thing))
    }
    return owners
  },
})

/** The body that others get of somebody's event, as JSON; null: none. */
export function bodyToOthers({ type, data }: StoredEvent): string | null {
  const guard = classOf(type)
  if (typeof guard !== 'object' || !guard.toOthers || data === null) return null
  return JSON.stringify(guard.toOthers(JSON.parse(data)))
}
