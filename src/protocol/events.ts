/**
 * Every event type in the log, in the past tense, with its body. An event contains the whole
 * change, so that readers need no further request. No event carries a secret (SE7).
 *
 * All of these are owned by `home`: a reader of it has projects, agents and people up to date
 * without asking. What is about one project (`project-*`, `agent-assigned`, `agent-unassigned`) is
 * copied into `project:ID` (`also`), so that a reader of that stream alone learns of it too.
 *
 * What follows from an event has none of its own: a deleted agent is off its projects, a deleted
 * project off its agents, and a removed person's browsers and own token are gone. The tokens they
 * made are revoked one by one.
 */
import type { CommentState } from '../domain/review/comment.ts'
import type { StreamName } from '../domain/stream-name.ts'
import type { Person } from './access/people.ts'
import type { AgentSession } from './agent-sessions/agent-session.ts'
import type { Agent } from './agents/agent.ts'
import type { Allowance } from './approvals/allowance.ts'
import type { Approval } from './approvals/approval.ts'
import type { Channel, ChannelChat, ChannelPerson } from './channels/channel.ts'
import type { RelayEventBodies } from './consoles/relay.ts'
import type { Chapter, Note } from './conversations/chapter.ts'
import type { Conversation, Flags } from './conversations/conversation.ts'
import type { WorkspaceChoice } from './conversations/conversation-workspace.ts'
import type { Message } from './conversations/message.ts'
import type { Coordinator } from './processes/coordinator.ts'
import type {
  CoordinatorRequestKind,
  OpenCoordinatorRequest,
} from './processes/coordinator-requests.ts'
import type { Process, ProcessEndReason } from './processes/process.ts'
import type { Project } from './projects/project.ts'
import type { Landing } from './review/landing.ts'
import type { ConfigureOrder, SettledPermission, TurnOrder } from './turns/link.ts'
import type { Approach } from './work/approach.ts'
import type { Artifact } from './work/artifact.ts'
import type { Checkpoint } from './work/checkpoint.ts'
import type { Task } from './work/task.ts'
import type { WorkSession } from './work/work-session.ts'
import type { Worktree } from './worktrees/worktree.ts'

/** Events of `user-session:ID` are in relay.ts. */
export interface EventBodies extends RelayEventBodies {
  'project-created': { project: Project; by: string }
  'project-changed': { project: Project; by: string }
  'project-deleted': { projectId: string; by: string }
  'agent-created': { agent: Agent; by: string }
  'agent-changed': { agent: Agent; by: string }
  'agent-deleted': { agentId: string; by: string }
  'agent-assigned': { projectId: string; agentId: string; by: string }
  'assignment-changed': { projectId: string; agentId: string; by: string }
  'agent-unassigned': { projectId: string; agentId: string; by: string }
  'passkey-replaced': { agentId: string; by: string }
  'person-added': { person: Person; by: string }
  'person-changed': { person: Person; by: string }
  /** Has a new token; the old one is void. */
  'person-renewed': { personId: string; by: string }
  'person-removed': { personId: string; by: string }
  /** Without the token's details: every reader sees this, but only `manage` lists tokens. */
  'token-created': { tokenId: string; by: string }
  'token-revoked': { tokenId: string; by: string }
  'signed-out': { credentialId: string }

  // conversation:KEY. The sequence number of a message's event is the message's own.
  'conversation-created': { conversation: Conversation }
  'message-added': { message: Message }
  'messages-delivered': { agentId: string; agentSessionId: string; seqs: readonly number[] }
  /** Messages that an agent was handed and will not answer; they wait again. */
  'messages-returned': { agentId: string; seqs: readonly number[] }
  /** CH16 */
  'message-withdrawn': { seq: number; by: string }
  /** CH18: what waits for an agent, in the order in which it is told. */
  'messages-ordered': { seqs: readonly number[]; by: string }
  'messages-read': { agentId: string; seqs: readonly number[]; answerSeq: number | null }
  /** project:ID: a turn that was started did not run, and is queued again (CX7). */
  'turn-waiting': { turnId: string; agentId: string; conversationKey: string }
  /**
   * AG6: its agent is at its vendor's limit until then, and continues automatically or not; null:
   * the limit is over.
   */
  'chat-limited': { agentId: string; until: string | null; goesOn: boolean; by: string | null }
  'title-set': { title: string | null; by: string }
  /** `by`: the person who wrote it; left out: the agent. */
  'summary-set': { summary: string; throughSeq: number; by?: string }
  'history-truncated': { keptAfter: number }
  /** FS8: messages after `through` were taken back, or brought back when it was undone. */
  'conversation-rewound': {
    operationId: string
    turnId: string
    to: 'before' | 'after'
    undone: boolean
    through: number
    by: string
  }
  /** FS9 */
  'conversation-forked': {
    operationId: string
    turnId: string
    forkKey: string
    agentId: string
    by: string
  }
  /** RV3: also when it was answered. Drafts have no events: they are their author's alone. */
  'comment-changed': { commentId: string; number: number; state: CommentState; by: string }
  /** LD2 */
  'landing-changed': { landingId: string; state: Landing['state']; by: string }
  'comments-sent': { turnId: string; seq: number; numbers: readonly number[]; by: string }
  'conversation-reset': { keptAfter: number }
  /**
   * CX9: its workspace from now on; and that a person let the waiting turn start beside the other.
   */
  'workplace-chosen': { workplace: WorkspaceChoice; by: string }
  'turn-begins': { turnId: string; by: string }
  /** SN20: what waits in a session does not begin by itself; `by`: who stopped it. */
  'queue-paused': { paused: 'stopped' | 'failed'; by: string | null }
  'queue-goes-on': { by: string }
  /** SN21: another agent goes on from here; in an agent's first session, in another session. */
  'agent-chosen': { agentId: string; from: string; by: string; continuedAs?: string | undefined }
  'flags-set': { flags: Flags }
  /** IM10: a session that was taken in is in a project from now on; is no longer one person's. */
  'project-given': { projectId: string; by: string }
  'conversation-shared': { by: string }
  'conversation-closed': { by: string }
  'conversation-reopened': { by: string }
  'conversation-deleted': { by: string }
  /** DC2: a day is over, and agents no longer receive its messages. */
  'chapter-closed': { chapter: Chapter }

  // project:ID. Approvals and the beginning and end of work sessions are also in home.
  'chat-wanted': { agentId: string; by: string }
  'chat-not-wanted': { agentId: string; by: string }
  'agent-session-started': { agentSession: AgentSession }
  'agent-session-changed': { agentSession: AgentSession }
  'agent-session-terminating': { agentSession: AgentSession }
  'agent-session-suspected': { agentSession: AgentSession }
  'agent-session-ended': { agentSession: AgentSession }
  'work-session-started': { workSession: WorkSession }
  'work-session-changed': { workSession: WorkSession }
  'work-session-ended': { workSession: WorkSession }
  'checkpoint-saved': { workSessionId: string; checkpoint: Checkpoint }
  'approach-recorded': { approach: Approach; by: string }
  'approach-changed': { approach: Approach; by: string }
  'artifact-stored': { artifact: Artifact; by: string }
  'artifact-deleted': { workSessionId: string; name: string; by: string }
  'task-created': { task: Task; by: string }
  'task-changed': { task: Task; by: string }
  /**
   * SL5: read it again. Also in home. `private`: it is one person's. `personId`, in home alone:
   * what changed is that person's own.
   */
  'session-changed': { key: string; private?: true; personId?: string }
  'approval-asked': { approval: Approval }
  'approval-decided': { approval: Approval }
  'approval-resubmitted': { approval: Approval }
  /** AP15: decided, and carried out in some seconds. */
  'approval-held': { approval: Approval }
  'approval-taken-back': { approval: Approval }
  /** AG6: until it expires, is revoked, or its agent or giver is removed. */
  'allowance-given': { allowance: Allowance }
  'allowance-revoked': { allowance: Allowance }
  // project:ID: the register of worktrees (WT).
  'worktree-made': { worktree: Worktree }
  /** Something was committed in it or merged into another branch. */
  'worktree-changed': { worktreeId: string; what: CoordinatorRequestKind; by: string }
  'worktree-removed': { worktreeId: string; by: string }
  /** Without the text, which not every reader may see. */
  'set-up-changed': { projectId: string; by: string }
  /** SR1: the name, never the value. */
  'secret-set': { projectId: string; name: string; by: string }
  'secret-removed': { projectId: string; name: string; by: string }
  // project:ID, also in home: the state of a launch.
  'process-waiting': { process: Process }
  'process-starting': { process: Process }
  'process-running': { process: Process }
  /** The ACP agent is ready for prompts (CH12). */
  'process-ready': { process: Process }
  'process-held': { process: Process }
  'process-stopping': { process: Process }
  'process-ended': { process: Process }

  // note:DAY: the note has other chapters now, and its file must be written.
  'chapters-noted': { day: string }

  'note-changed': { note: Note }
  'coordinator-joined': { coordinator: Coordinator }
  'coordinator-unreachable': { coordinator: Coordinator }
  'coordinator-back': { coordinator: Coordinator }
  'coordinator-stopped': { coordinator: Coordinator }
  'coordinator-taken-over': { coordinator: Coordinator; by: string }

  /** The channel's state, account on the platform, or route. */
  'channel-changed': {
    channel: Pick<Channel, 'channel' | 'state' | 'trouble' | 'notice' | 'name' | 'link' | 'route'>
    by: string
  }
  /** A chat requests pairing, or a request was decided. */
  'channel-chat-changed': { chat: ChannelChat; by: string }
  'channel-person-paired': { person: ChannelPerson; by: string }
  'channel-person-signed-out': { channel: Channel['channel']; userId: string; by: string }

  // coordinator:ID: orders for that coordinator only.
  'stop-ordered': { launchId: string; reason: ProcessEndReason }
  'turn-ordered': TurnOrder
  'cancel-ordered': { launchId: string; turnId: string }
  'permission-settled': SettledPermission
  'configure-ordered': ConfigureOrder
  'question-asked': OpenCoordinatorRequest
  'question-answered': { questionId: string }
}

export type EventType = keyof EventBodies

export type NewEvent = {
  [Type in EventType]: { readonly type: Type; readonly data: EventBodies[Type] }
}[EventType]

/**
 * An event as readers get it. The event itself has `data`; a copy in another stream (`also`) has no
 * body but `ref`, the position of the original. `hidden`: it is somebody else's, and only that it
 * was is told.
 */
export type HoldfastEvent = {
  readonly stream: StreamName
  readonly seq: number
  readonly at: string
} & (
  | NewEvent
  | {
      readonly type: EventType
      readonly ref: { readonly stream: StreamName; readonly seq: number }
    }
  /** SE28: it is about what is somebody else's own. It keeps its number. */
  | { readonly type: EventType; readonly hidden: true }
)
