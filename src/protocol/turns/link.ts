/**
 * The part of the coordinator's link that is about agents prompted over ACP (AC1-AC5, AP4): which
 * turn is to be run, cancelled or answered, and what came of it. A turn is ordered once and its end
 * is told once; what is ordered again is known by its id.
 *
 *   ← turn-ordered, cancel-ordered, permission-settled, configure-ordered      events of `coordinator:ID`
 *   → agent-ready | agent-failed                                        facts, once for each launch with `acp`
 *   → turn-files?, turn-began?, turn-update*, permission-asked*, elicitation-asked*,
 *   permission-withdrawn*, turn-ended
 *   → agent-configured                                                  once for each `configure-ordered`
 *
 * After a reconnect the snapshot names the turns that run and the answers to what they asked,
 * without what was said to the agent:
 *
 *   → coordinator:turn    ← coordinator:prompt, or error `not_found`: the turn is over
 */
import * as z from 'zod'
import { SentNotice, SentNotices } from '../notices.ts'
import { storable } from '../text.ts'
import { FileChanges, FileState, LeftOutFile, maxShownLeftOut } from '../worktrees/file-state.ts'
import { type SetUp, SetUpReport } from '../worktrees/worktree.ts'
import {
  AgentAbilities,
  AgentMode,
  AgentOption,
  AgentUpdate,
  maxListed,
  maxShownLine,
  PermissionRequest,
  TurnUsage,
} from './agent-update.ts'
import { ConfigChange } from './config-change.ts'
import type { PromptPart } from './prompt.ts'
import { Question, type QuestionAnswer } from './question.ts'

const Id = z.string().min(1).max(200).overwrite(storable)
const Line = z.string().max(maxShownLine).overwrite(storable)
const Words = z.string().max(4000).overwrite(storable)
const about = { n: z.int().min(1), launchId: Id }
/** What an agent, or a context of it, offers (AG14). */
const offered = {
  images: z.boolean(),
  modes: z.array(AgentMode).max(maxListed),
  modeId: Line.nullable(),
  options: z.array(AgentOption).max(maxListed),
}

/** The steps of a start (AG2). `running`: the agent exited after it was ready. */
export const failureSteps = ['workspace', 'process', 'initialize', 'session', 'running'] as const
export type FailureStep = (typeof failureSteps)[number]

const TurnFiles = z.object({
  top: z.string().min(1).max(4096).overwrite(storable),
  state: FileState,
  leftOut: z
    .array(LeftOutFile.extend({ path: z.string().max(4096).overwrite(storable) }))
    .max(maxShownLeftOut),
})
export type TurnFiles = z.output<typeof TurnFiles>
/**
 * `changes` is null when there was no state before. `total`: since the conversation's first turn.
 */
const EndFiles = TurnFiles.extend({ changes: FileChanges.nullable(), total: FileChanges.nullish() })
export type EndFiles = z.output<typeof EndFiles>

export const turnFacts = [
  /**
   * The workspace exists (WT1, WT4). Sent before the process starts, and again after its set-up
   * (WT5).
   */
  z.object({
    ...about,
    type: z.literal('workspace-made'),
    kind: z.enum(['worktree', 'plain']),
    folder: z.string().min(1).max(4096).overwrite(storable),
    top: z.string().min(1).max(4096).overwrite(storable),
    branch: Line.nullable(),
    baseBranch: Line.nullable(),
    note: Words.nullable(),
    notice: SentNotice,
    setUp: SetUpReport.nullable(),
  }),
  z.object({
    ...about,
    type: z.literal('agent-ready'),
    acpSessionId: Line.min(1),
    how: z.enum(['new', 'loaded', 'resumed']),
    notRestored: Words.nullable(),
    workspace: z.string().min(1).max(4096).overwrite(storable),
    /** null in a plain folder; `note` says why (WT4). */
    branch: Line.nullable(),
    note: Words.nullable(),
    /** Notices for `notRestored` and `note`. */
    notices: SentNotices,
    agentName: Line,
    agentVersion: Line.nullable(),
    can: AgentAbilities,
    ...offered,
  }),
  /**
   * The start failed. Sent before the end of its process, or before `start-failed` when there was
   * none.
   */
  z.object({
    ...about,
    type: z.literal('agent-failed'),
    step: z.enum(failureSteps).exclude(['running']),
    error: Words,
    notice: SentNotice,
    /** Exit of a process that ended by itself. */
    exitCode: z.int().nullish(),
    signal: z.string().max(20).nullish(),
  }),
  /** `turnId` is null for updates of no turn, which name their context where there are several. */
  z.object({
    ...about,
    type: z.literal('turn-update'),
    turnId: Id.nullable(),
    contextId: Id.nullish(),
    update: AgentUpdate,
  }),
  /** The context of a turn was opened; sent before anything else of the turn. */
  z.object({
    ...about,
    type: z.literal('turn-began'),
    turnId: Id,
    contextId: Id,
    acpSessionId: Line.min(1),
    how: z.enum(['new', 'loaded', 'resumed']),
    notRestored: Words.nullable(),
    notice: SentNotice,
    ...offered,
  }),
  /**
   * The last fact about a turn. If the agent exits during a turn, only the exit is sent, and the
   * turn's end is unknown.
   */
  z.object({
    ...about,
    type: z.literal('turn-ended'),
    turnId: Id,
    outcome: z.enum(['answered', 'cancelled', 'failed']),
    stopReason: Line.nullable(),
    error: Words.nullable(),
    notice: SentNotice,
    /**
     * Why it did not run: `refused`, the agent rejected it without output; `no_context`, its
     * context could not be opened.
     */
    notRun: z.enum(['refused', 'no_context']).nullish(),
    usage: TurnUsage.nullish(),
    /** The agent ignored a cancel, and accepts nothing new. */
    cancelIgnored: z.boolean().optional(),
    /** CX7: how its session failed at a request that changes nothing, like at the prompt. */
    broken: Words.nullish(),
    /** FS7: the files afterwards; left out where none were taken. */
    files: EndFiles.nullish(),
  }),
  /** FS7: the files before a turn; sent before its prompt. `after`: the agent exited during it. */
  z.object({
    ...about,
    type: z.literal('turn-files'),
    turnId: Id,
    before: TurnFiles.nullish(),
    after: EndFiles.nullish(),
  }),
  /** `askId` is the coordinator's; each request is sent once. */
  z.object({
    ...about,
    type: z.literal('permission-asked'),
    turnId: Id,
    askId: Id,
    request: PermissionRequest,
  }),
  z.object({
    ...about,
    type: z.literal('elicitation-asked'),
    turnId: Id,
    askId: Id,
    question: Question,
  }),
  z.object({ ...about, type: z.literal('permission-withdrawn'), askId: Id }),
  z.object({
    ...about,
    type: z.literal('agent-configured'),
    configureId: Id,
    /** AG14: of a chat's setting. */
    contextId: Id.nullish(),
    change: ConfigChange,
    error: Words.nullable(),
    notice: SentNotice,
  }),
] as const

export const CoordinatorTurn = z.object({
  type: z.literal('coordinator:turn'),
  launchId: Id,
  turnId: Id,
  epoch: z.int().min(1),
  requestId: z.string().min(1).max(200).optional(),
})
export type CoordinatorTurn = z.output<typeof CoordinatorTurn>

/** A turn's content; also the body of `turn-ordered`. */
export interface TurnOrder {
  readonly launchId: string
  readonly turnId: string
  readonly content: readonly PromptPart[]
  /** The context; left out: the one opened with the launch. */
  readonly context?: OpenContext | undefined
  /**
   * AG14: what people chose in the conversation, set before the prompt; those set already are known
   * by their ids.
   */
  readonly configure?: readonly Omit<ConfigureOrder, 'launchId' | 'contextId'>[]
  /** AC12: ACP sessions that nobody needs any more; those of deleted conversations are deleted. */
  readonly leave?: readonly { readonly acpSessionId: string; readonly isDeleted: boolean }[]
  /**
   * FS7: the conversation whose file states are taken before and after; the tree before its first
   * turn, to compare with.
   */
  readonly files?: { readonly key: string; readonly first?: string | undefined } | undefined
}

export interface OpenContext {
  readonly contextId: string
  /** How to open the context if it is not open in this process; reported in `turn-began`. */
  readonly open: {
    /** The ACP session to restore, and when it was last opened; null: a new one. */
    readonly acpSessionId: string | null
    readonly lastOpenedAt: string | null
    /** AC12: the session is another conversation's, of which this one begins as a fork. */
    readonly forks?: boolean
    /** Sent before the prompt when the session is new, or when it was restored. */
    readonly primer: string | null
    readonly news: string | null
    /**
     * CX9: its workspace, made first; null: the project's folder; left out, in a role: the
     * process's folder.
     */
    readonly workspace?: AcpParticulars['workspace']
    /** SB12: whose the transcripts of the conversation are; a sandbox holds those of one. */
    readonly owner?: string
  } | null
}

export type CoordinatorPrompt = { readonly type: 'coordinator:prompt' } & TurnOrder

/** A running turn in the snapshot. Unknown ones are fetched; known ones go on. */
export interface RunningTurn {
  readonly launchId: string
  readonly turnId: string
  readonly cancelOrdered: boolean
}

/** `optionId` null: denied. Also the body of `permission-settled`. */
export interface SettledPermission {
  readonly launchId: string
  readonly askId: string
  readonly optionId: string | null
  readonly answer?: QuestionAnswer | undefined
}

/** Also the body of `configure-ordered`. In the snapshot: unanswered ones. */
export interface ConfigureOrder {
  readonly launchId: string
  /** Left out in a role: the context opened with the launch. */
  readonly contextId?: string | undefined
  readonly configureId: string
  readonly change: z.output<typeof ConfigChange>
}

/** What a launch of an ACP agent needs beyond its command. */
export interface AcpParticulars {
  /** The workspace of the context opened at the start; null: the project's folder (CX9). */
  readonly workspace: {
    /**
     * Used in names of folders and branches (WT1); for a conversation outside consoles: `chat` and
     * its short name.
     */
    readonly userSessionShort: string
    readonly role: string
    /**
     * Below the workspace root, or absolute (US8); null: named after the role. One that leads
     * elsewhere fails with the step `workspace` (US2).
     */
    readonly path: string | null
    /** Where an absolute path may be, besides the project's folder and the workspace root. */
    readonly roots?: readonly string[]
    /** WT5: the set-up of a new worktree; null: none. */
    readonly setUp: SetUp | null
    /** Without git: the project's own folder, rather than an empty one. */
    readonly orFolder?: boolean
    /**
     * SL6: the files that a new worktree begins with, kept for the conversation. Left out, or where
     * they are gone: those of the project's checkout.
     */
    readonly from?: { readonly key: string; readonly state: FileState }
  } | null
  /** AC4: the ACP session to restore, and when it was last opened; null: a new one. */
  readonly loadAcpSessionId: string | null
  /** AC12: as in a turn's order. */
  readonly forks?: boolean
  readonly lastOpenedAt: string | null
  /** The context opened with the launch. */
  readonly contextId: string
  /**
   * AG2: time limit from the workspace to `session/new`; then `agent-failed` with the current step.
   */
  readonly startWithinMs: number
  /** `turn.max_minutes`: a turn that takes longer is cancelled. */
  readonly turnWithinMs: number
}
