/**
 * The part of the coordinator's link that is about agents spoken to over ACP (AC1-AC5, AP4): which turn is to be run, cancelled or
 * answered, and what came of it. A turn is ordered once and its end is told once; what is ordered again is known by its id.
 *
 *   ← turn-ordered, cancel-ordered, permission-settled, configure-ordered      events of `coordinator:ID`
 *   → agent-ready | agent-failed                                        facts, once for each launch with `acp`
 *   → turn-began?, turn-update*, permission-asked*, permission-withdrawn*, turn-ended
 *   → agent-configured                                                  once for each `configure-ordered`
 *
 * After a reconnect the snapshot names the turns that run and the answers to what they asked, without what was said to the agent:
 *
 *   → coordinator:turn    ← coordinator:prompt, or error `not_found`: the turn is over
 */
import * as z from 'zod'
import { storable } from '../text.ts'
import { type SetUp, SetUpReport } from '../worktrees/worktree.ts'
import { AgentMode, AgentOption, AgentUpdate, maxListed, maxShownLine, PermissionRequest } from './agent-update.ts'
import { ConfigChange } from './config-change.ts'
import type { PromptPart } from './prompt.ts'

const Id = z.string().min(1).max(200).overwrite(storable)
const Line = z.string().max(maxShownLine).overwrite(storable)
const Words = z.string().max(4000).overwrite(storable)
const about = { n: z.int().min(1), launchId: Id }

/** Where a start can fail (AG2). `running` is what the server says of one that was ready and has gone. */
export const failureSteps = ['workspace', 'process', 'initialize', 'session', 'running'] as const
export type FailureStep = (typeof failureSteps)[number]

export const turnFacts = [
  /** Where it is to work is there (WT1, WT4): told before its process is started, and once more when it was set up (WT5). */
  z.object({
    ...about,
    type: z.literal('workspace-made'),
    kind: z.enum(['worktree', 'plain']),
    folder: z.string().min(1).max(4096).overwrite(storable),
    top: z.string().min(1).max(4096).overwrite(storable),
    branch: Line.nullable(),
    baseBranch: Line.nullable(),
    note: Words.nullable(),
    setUp: SetUpReport.nullable(),
  }),
  /** It can be prompted. */
  z.object({
    ...about,
    type: z.literal('agent-ready'),
    acpSessionId: Line.min(1),
    how: z.enum(['new', 'loaded', 'resumed']),
    /** Why an earlier one was not brought back, though that was ordered. */
    notRestored: Words.nullable(),
    /** The folder it works in, absolute. */
    workspace: z.string().min(1).max(4096).overwrite(storable),
    /** null in a plain folder; `note` says then why it is one (WT4). */
    branch: Line.nullable(),
    note: Words.nullable(),
    agentName: Line,
    agentVersion: Line.nullable(),
    /** Takes pictures in prompts. */
    images: z.boolean(),
    modes: z.array(AgentMode).max(maxListed),
    modeId: Line.nullable(),
    options: z.array(AgentOption).max(maxListed),
  }),
  /** It will not be ready. Told before the end of its process, or before `start-failed` when there never was one. */
  z.object({
    ...about,
    type: z.literal('agent-failed'),
    step: z.enum(failureSteps).exclude(['running']),
    error: Words,
    /** Of a process that went by itself. */
    exitCode: z.int().nullish(),
    signal: z.string().max(20).nullish(),
  }),
  /** `turnId` is null for what belongs to no turn: mode, options, commands, usage. */
  z.object({ ...about, type: z.literal('turn-update'), turnId: Id.nullable(), update: AgentUpdate }),
  /** The context of a turn was opened; told before anything else of it. */
  z.object({
    ...about,
    type: z.literal('turn-began'),
    turnId: Id,
    contextId: Id,
    acpSessionId: Line.min(1),
    how: z.enum(['new', 'loaded', 'resumed']),
    notRestored: Words.nullable(),
  }),
  /** The last about a turn. An agent that goes with a turn open tells its exit only, and the turn's end is unknown. */
  z.object({
    ...about,
    type: z.literal('turn-ended'),
    turnId: Id,
    outcome: z.enum(['answered', 'cancelled', 'failed']),
    /** The agent's word; null when it gave none. */
    stopReason: Line.nullable(),
    error: Words.nullable(),
    /**
     * The prompt did not run: `refused`, the agent would not take it and had shown nothing; `no_context`, its context could not be opened
     * beside those that the process holds.
     */
    notRun: z.enum(['refused', 'no_context']).nullish(),
    /** It was told to stop and did not: it takes nothing new. */
    cancelIgnored: z.boolean().optional(),
  }),
  /** `askId` is the coordinator's; the same question is told once. */
  z.object({ ...about, type: z.literal('permission-asked'), turnId: Id, askId: Id, request: PermissionRequest }),
  /** Nobody waits for the answer any more. */
  z.object({ ...about, type: z.literal('permission-withdrawn'), askId: Id }),
  /** AG6: what was set, or why it was not. */
  z.object({ ...about, type: z.literal('agent-configured'), configureId: Id, change: ConfigChange, error: Words.nullable() }),
] as const

export const CoordinatorTurn = z.object({
  type: z.literal('coordinator:turn'),
  launchId: Id,
  turnId: Id,
  epoch: z.int().min(1),
  requestId: z.string().min(1).max(200).optional(),
})
export type CoordinatorTurn = z.output<typeof CoordinatorTurn>

/** What the agent is to be told: also the body of `turn-ordered`. */
export interface TurnOrder {
  readonly launchId: string
  readonly turnId: string
  readonly content: readonly PromptPart[]
  /** The context it runs in; left out: the one that was opened with the launch. */
  readonly context?: OpenContext | undefined
}

export interface OpenContext {
  readonly contextId: string
  /** How to open it, where it is not open in this process: told back in `turn-began`. */
  readonly open: {
    /** The ACP session to bring back, and when it was opened last; null: a new one. */
    readonly acpSessionId: string | null
    readonly lastOpenedAt: string | null
    /** Told before the prompt when the session is new, or when it was brought back. */
    readonly primer: string | null
    readonly news: string | null
    /** CX9: where it works, made first; null: in the project's own folder; left out, in a role: where its process does. */
    readonly workspace?: AcpParticulars['workspace']
  } | null
}

export type CoordinatorPrompt = { readonly type: 'coordinator:prompt' } & TurnOrder

/** A turn that runs, in the snapshot: one not known yet is asked for, one that is known goes on. */
export interface RunningTurn {
  readonly launchId: string
  readonly turnId: string
  readonly cancelOrdered: boolean
}

/** `optionId` null: no. Also the body of `permission-settled`. */
export interface SettledPermission {
  readonly launchId: string
  readonly askId: string
  readonly optionId: string | null
}

/** Also the body of `configure-ordered`. In the snapshot: those that are not answered. */
export interface ConfigureOrder {
  readonly launchId: string
  readonly configureId: string
  readonly change: z.output<typeof ConfigChange>
}

/** What a launch needs beyond its command when its agent is spoken to over ACP. */
export interface AcpParticulars {
  /** Where the context works that is opened with the start; null: in the project's own folder (CX9). */
  readonly workspace: {
    /** In the names of folders and branches (WT1); of a conversation outside of consoles: `chat` and its short name. */
    readonly userSessionShort: string
    readonly role: string
    /** Below the workspace root; null: named after the role. One that leaves the root fails with the step `workspace` (US2). */
    readonly path: string | null
    /** WT5: what makes a fresh worktree runnable; null: nothing. */
    readonly setUp: SetUp | null
    /** Where git has nothing to offer: the project's own folder, rather than an empty one. */
    readonly orFolder?: boolean
  } | null
  /** AC4: the ACP session to bring back, and when it was opened last; null: a new one. */
  readonly loadAcpSessionId: string | null
  readonly lastOpenedAt: string | null
  /** The context that is opened with the launch; null: of a server that knows none. */
  readonly contextId?: string | null
  /** AG2: for everything from the workspace to `session/new`; then `agent-failed` with the step it hangs in. */
  readonly startWithinMs: number
  /** `turn.max_minutes`: a turn that takes longer is cancelled. */
  readonly turnWithinMs: number
}
