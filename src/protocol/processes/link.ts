/**
 * The coordinator's link: what it and the server say to each other on `/ws` (CO1, CO6). Orders are
 * events of the stream `coordinator:ID`, which the server follows for it after the greeting,
 * beginning with a snapshot; facts are numbered by the coordinator, stored with their number in the
 * same commit, and dropped when they come again. No secret is in an order: a launch is begun by the
 * server, which sends how to start it on the connection and keeps that nowhere (CO11).
 *
 *   → coordinator:hello   ← coordinator:welcome, then `snapshot` with CoordinatorOrders, then events such as stop-ordered
 *   → coordinator:sign-in ← coordinator:credential, for a push; or error `not_found`
 *   → coordinator:holds   behind the snapshot: which launches it has
 *                         ← coordinator:offer, by itself: a launch that was begun
 *   → coordinator:take    ← coordinator:launch, or error `launch_withdrawn`: of the build before
 *   → coordinator:facts   ← coordinator:taken, or error `fenced`: it was replaced, clears up and greets anew
 *
 * What is said about agents that are prompted over ACP is in turns/link.ts; what it can be asked,
 * in coordinator-requests.ts.
 *
 * CO12: a server speaks with coordinators of its own build and of the one before, a coordinator
 * with servers of its own build. A field that coordinators stop to read is sent for one build
 * more, and a field that they begin to send is needed one build later.
 */
import * as z from 'zod'
import type { Allowed, Isolation } from '../../domain/agents/isolation.ts'
import { maxLabels } from '../../domain/processes/lifecycle.ts'
import type { AgentReport } from '../agents/report.ts'
import { SentNotice } from '../notices.ts'
import { Label, storable } from '../text.ts'
import {
  type AcpParticulars,
  type ConfigureOrder,
  type RunningTurn,
  type SettledPermission,
  turnFacts,
} from '../turns/link.ts'
import { tokenCounts } from '../turns/model-usage.ts'
import { coordinatorRequestFacts, type OpenCoordinatorRequest } from './coordinator-requests.ts'
import { type Process, type ProcessEndReason, UnknownSent } from './process.ts'
import type { SandboxLimits } from './sandbox-limits.ts'

/** Version of this protocol; `up` replaces a coordinator with another. */
export const linkVersion = 2

/** Per message, to stay below the message limit. */
export const maxFactsPerMessage = 256
export const maxFactsBytes = 512 * 1024
export const maxOutputPiece = 16 * 1024
/** Facts, or an empty message, are sent at least this often, as a heartbeat. */
export const heartbeatMs = 10_000

const Id = z.string().min(1).max(200)
const RequestId = z.string().min(1).max(200).optional()
const Epoch = z.int().min(1)
const FactNumber = z.int().min(1)

export const CoordinatorHello = z.object({
  type: z.literal('coordinator:hello'),
  /** Made at its start. Another instance of the same coordinator is its successor. */
  instance: Id,
  linkVersion: z.int(),
  version: z.string().max(100),
  machine: z.string().min(1).max(255),
  bootId: z.string().max(100),
  pid: z.int().min(1),
  labels: z.array(Label).max(maxLabels).optional(),
  capacity: z.int().min(1).max(10_000).nullish(),
  /** SN10: makes the place of a session for an agent that pulls, too; left out: a build before. */
  threads: z.boolean().optional(),
  /** The epoch it was given; null in an instance's first hello. */
  epoch: Epoch.nullable(),
  requestId: RequestId,
})
export type CoordinatorHello = z.output<typeof CoordinatorHello>

/** CO12: sent by coordinators of the build before. */
export const CoordinatorTake = z.object({
  type: z.literal('coordinator:take'),
  launchId: Id,
  epoch: Epoch,
  requestId: RequestId,
})
export type CoordinatorTake = z.output<typeof CoordinatorTake>

/** More than a machine can run. */
const maxHeld = 10_000

/** Sent when it has its orders: what else was begun for it is sent again. */
export const CoordinatorHolds = z.object({
  type: z.literal('coordinator:holds'),
  launchIds: z.array(Id).max(maxHeld),
})
export type CoordinatorHolds = z.output<typeof CoordinatorHolds>

/** LD7: for the step of a landing that has begun. Neither is stored. */
export const CoordinatorSignIn = z.object({
  type: z.literal('coordinator:sign-in'),
  landingId: Id,
  n: z.int().min(0),
  epoch: Epoch,
  requestId: RequestId,
})
export type CoordinatorSignIn = z.output<typeof CoordinatorSignIn>

export interface CoordinatorCredential {
  readonly type: 'coordinator:credential'
  readonly credential: {
    readonly username: string
    readonly password: string
    /** Instead of an ssh address. */
    readonly address?: string | undefined
  } | null
}

const about = { n: FactNumber, launchId: Id }
const ofRequest = { turnId: Id.nullable(), model: z.string().max(200).overwrite(storable) }

export const LinkFact = z.discriminatedUnion('type', [
  z.object({
    ...about,
    type: z.literal('process-started'),
    pid: z.int().min(1),
    /** The kernel's start time, which identifies the process together with pid and boot id. */
    birth: z.string().max(100),
  }),
  z.object({
    ...about,
    type: z.literal('start-failed'),
    error: z.string().max(4000),
    notice: SentNotice,
  }),
  z.object({
    ...about,
    type: z.literal('process-exited'),
    exitCode: z.int().nullable(),
    signal: z.string().max(40).nullable(),
    /** Set when the coordinator did not observe the end: ended as an orphan, or already gone. */
    found: z.enum(['leftover', 'gone']).nullable(),
    /** The coordinator ended it, by order or because it was itself stopped. */
    stopped: z.boolean(),
  }),
  /**
   * Standard error (and output, where that carries no protocol), masked, at most one piece a
   * second.
   */
  z.object({
    ...about,
    type: z.literal('process-output'),
    text: z.string().max(maxOutputPiece),
    /**
     * AC10: what the text says of what an ACP agent sent and nobody knows, counted since it was
     * last told.
     */
    unknown: UnknownSent.nullish(),
  }),
  /**
   * GW5: a request through the gateway has begun, or is over; both count once. One never over was
   * cut with its coordinator.
   */
  z.object({ ...about, ...ofRequest, type: z.literal('model-asked') }),
  z.object({
    ...about,
    ...ofRequest,
    type: z.literal('model-answered'),
    ...tokenCounts,
    finished: z.boolean(),
  }),
  ...turnFacts,
  ...coordinatorRequestFacts,
  /** The last fact of an instance, when everything has ended. */
  z.object({ n: FactNumber, type: z.literal('goodbye') }),
])
export type LinkFact = z.output<typeof LinkFact>

export const CoordinatorFacts = z.object({
  type: z.literal('coordinator:facts'),
  epoch: Epoch,
  /** In order. Empty: a heartbeat. */
  facts: z.array(LinkFact).max(maxFactsPerMessage),
  requestId: RequestId,
})
export type CoordinatorFacts = z.output<typeof CoordinatorFacts>

export interface CoordinatorWelcome {
  readonly type: 'coordinator:welcome'
  readonly coordinatorId: string
  readonly epoch: number
  /** The last number the server has. Facts up to it are not sent again, and the next is higher. */
  readonly lastFact: number
  readonly maxConcurrent: number
  readonly aloneMinutes: number
  /** null: no takeover by time. */
  readonly takeoverMinutes: number | null
  /** SB13 */
  readonly sandboxLimits: SandboxLimits
}

export interface CoordinatorTaken {
  readonly type: 'coordinator:taken'
  readonly through: number
}

/** A launch in the snapshot of the coordinator's stream. */
export interface LaunchOrder {
  readonly launchId: string
  readonly state: Exclude<Process['state'], 'held' | 'ended'>
  readonly stopReason: ProcessEndReason | null
  /** For coordinators of the build before, which have a queue. */
  readonly agentId: string
  readonly projectId: string
  readonly maxProcesses: number | null
}

export interface CoordinatorOrders {
  /** Oldest first. */
  readonly launches: readonly LaunchOrder[]
  readonly turns: readonly RunningTurn[]
  /** Decided permissions of these turns; already delivered ones change nothing. */
  readonly permissions: readonly SettledPermission[]
  readonly configures: readonly ConfigureOrder[]
  readonly questions: readonly OpenCoordinatorRequest[]
}

/** A launch that the server has begun. */
export interface LaunchBegun {
  readonly type: 'coordinator:offer'
  /** For coordinators of the build before. */
  readonly order: LaunchOrder & { readonly offered: true }
  readonly launch: LaunchParticulars
}

export interface LaunchSecrets {
  readonly environment: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
}

/**
 * SB12: whose the transcripts of a sandboxed agent are: `person-…` or `project-…`, with the ACP
 * sessions that are theirs.
 */
export interface TranscriptOwner {
  readonly id: string
  readonly acpSessions: readonly string[]
}

/** How to start a launch. Contains secrets, so it is never logged, stored or put into an event. */
export interface LaunchParticulars {
  readonly type: 'coordinator:launch'
  readonly launchId: string
  readonly agentId: string
  readonly projectId: string
  readonly protocol: 'acp' | 'mcp'
  /** `holdfast` stands for this program. */
  readonly command: string
  readonly args: readonly string[]
  /** From the agent's entry; added to the allowlist (SE4) and the variables of CO4. */
  readonly env: Readonly<Record<string, string>>
  /**
   * The project's secrets for this agent (SR3): variables, and files, whose paths are in variables
   * that end in _FILE.
   */
  readonly secrets: LaunchSecrets
  /** The project's folder on this machine; null: a folder for this launch only. */
  readonly folder: string | null
  /** The bearer for `/mcp`, valid while the launch runs. */
  readonly launchToken: string
  readonly acp: AcpParticulars | null
  /** SN10: where a session of an agent that pulls works; left out: the project's folder. */
  readonly workspace?: NonNullable<AcpParticulars['workspace']>
  /**
   * SB1: how it is isolated, also where it has secrets. `command`: by which what the agent needs in
   * a sandbox is known; the build before starts it by this one.
   */
  readonly isolation?: Omit<Isolation, 'allow'> & {
    readonly allow: Allowed
    readonly command: string
    /** AG17: what it answered when it was tried. */
    readonly agentInfo?: NonNullable<AgentReport['agentInfo']>
    /** SB7: what a person has allowed always, hosts among it, by the likeness of the question. */
    readonly remembered?: readonly string[]
    /** SB12: left out where there is no sandbox. */
    readonly owner?: TranscriptOwner
  }
  /** GW1: the key that is added to its requests on the way out. The agent never has it. */
  readonly gatewayKey?: string
}
