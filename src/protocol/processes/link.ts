/**
 * The coordinator's link: what it and the server say to each other on `/ws` (CO1, CO6). Orders are events of the stream
 * `coordinator:ID`, which the server follows for it after the greeting, beginning with a snapshot; facts are numbered by the
 * coordinator, stored with their number in the same commit, and dropped when they come again. No secret is in an order: the
 * particulars of a launch are asked for when its turn has come, or said behind the order and kept nowhere.
 *
 *   → coordinator:hello   ← coordinator:welcome, then `snapshot` with CoordinatorOrders, then events launch-ordered, stop-ordered
 *   → coordinator:take    ← coordinator:launch, or error `launch_withdrawn`
 *                         ← coordinator:offer, by itself: a launch that was begun together with its order, and need not be taken
 *   → coordinator:facts   ← coordinator:taken, or error `fenced`: it was replaced, clears up and greets anew
 *
 * What is said about agents that are spoken to over ACP is in link-turns.ts; what it can be asked, in link-questions.ts.
 */
import * as z from 'zod'
import { maxLabels } from '../../domain/processes/placement.ts'
import { Label } from '../text.ts'
import { type AcpParticulars, type ConfigureOrder, type RunningTurn, type SettledPermission, turnFacts } from '../turns/link.ts'
import { coordinatorRequestFacts, type OpenCoordinatorRequest } from './coordinator-requests.ts'
import { processEndReasons, processStates } from './process.ts'

/** Of this protocol; `up` replaces a coordinator that speaks another. */
export const linkVersion = 2

/** In one message, so that it stays under the door's limit for messages. */
export const maxFactsPerMessage = 256
export const maxFactsBytes = 512 * 1024
/** In one piece of output. */
export const maxOutputPiece = 16 * 1024
/** Facts, or an empty message of them, come at least this often: that is how a coordinator is heard of. */
export const heartbeatMs = 10_000

const Id = z.string().min(1).max(200)
const RequestId = z.string().min(1).max(200).optional()
const Epoch = z.int().min(1)
/** The coordinator's next number. */
const FactNumber = z.int().min(1)

export const CoordinatorHello = z.object({
  type: z.literal('coordinator:hello'),
  /** Made at its start: another instance of the same coordinator is its successor. */
  instance: Id,
  linkVersion: z.int(),
  version: z.string().max(100),
  machine: z.string().min(1).max(255),
  bootId: z.string().max(100),
  pid: z.int().min(1),
  /** What its machine is like, and how many processes it takes (SC4). */
  labels: z.array(Label).max(maxLabels).optional(),
  capacity: z.int().min(1).max(10_000).nullish(),
  /** It can hold several contexts in one process; left out by builds before that. */
  contexts: z.boolean().optional(),
  /** The epoch it was given; null in an instance's first greeting. */
  epoch: Epoch.nullable(),
  requestId: RequestId,
})
export type CoordinatorHello = z.output<typeof CoordinatorHello>

export const CoordinatorTake = z.object({
  type: z.literal('coordinator:take'),
  launchId: Id,
  epoch: Epoch,
  requestId: RequestId,
})
export type CoordinatorTake = z.output<typeof CoordinatorTake>

const about = { n: FactNumber, launchId: Id }

export const LinkFact = z.discriminatedUnion('type', [
  z.object({
    ...about,
    type: z.literal('process-started'),
    pid: z.int().min(1),
    /** With pid and boot id what tells this process from any other: the kernel's own word for when it began. */
    birth: z.string().max(100),
  }),
  z.object({ ...about, type: z.literal('start-failed'), error: z.string().max(4000) }),
  z.object({
    ...about,
    type: z.literal('process-exited'),
    exitCode: z.int().nullable(),
    signal: z.string().max(40).nullable(),
    /** Set when the coordinator did not see it end: it was found and ended as a leftover, or was not there any more. */
    found: z.enum(['leftover', 'gone']).nullable(),
    /** The coordinator itself ended it: as it was ordered, or, where nothing was, because it was stopped on purpose. */
    stopped: z.boolean(),
  }),
  /** What it wrote to standard error (and output, where that carries no protocol), masked, pieces joined to at most one a second. */
  z.object({ ...about, type: z.literal('process-output'), text: z.string().max(maxOutputPiece) }),
  ...turnFacts,
  ...coordinatorRequestFacts,
  /** Everything of its is over and it goes: the last fact of an instance. */
  z.object({ n: FactNumber, type: z.literal('goodbye') }),
])
export type LinkFact = z.output<typeof LinkFact>

export const CoordinatorFacts = z.object({
  type: z.literal('coordinator:facts'),
  epoch: Epoch,
  /** In order. None: a sign of life. */
  facts: z.array(LinkFact).max(maxFactsPerMessage),
  requestId: RequestId,
})
export type CoordinatorFacts = z.output<typeof CoordinatorFacts>

export interface CoordinatorWelcome {
  readonly type: 'coordinator:welcome'
  readonly coordinatorId: string
  readonly epoch: number
  /** The last number the server has: what is spooled up to it need not be sent again, and the next is higher. */
  readonly lastFact: number
  readonly maxConcurrent: number
  readonly aloneMinutes: number
  /** null: nobody takes over by the clock. */
  readonly takeoverMinutes: number | null
}

export interface CoordinatorTaken {
  readonly type: 'coordinator:taken'
  readonly through: number
}

/** A launch the coordinator should know of: the state of its stream's snapshot. */
export const LaunchOrder = z.object({
  launchId: z.string(),
  agentId: z.string(),
  projectId: z.string(),
  /** The agent's, none when null; orders beyond it wait, oldest first (CO2). */
  maxProcesses: z.int().nullable(),
  state: z.enum(processStates).exclude(['held', 'ended']),
  stopReason: z.enum(processEndReasons).nullable(),
  /** Its coordinator:offer is about to follow; when none comes, it is taken as any other. */
  offered: z.boolean().optional(),
})
export type LaunchOrder = z.output<typeof LaunchOrder>

export interface CoordinatorOrders {
  /** Oldest first. */
  readonly launches: readonly LaunchOrder[]
  /** Of launches that live. */
  readonly turns: readonly RunningTurn[]
  /** Answers to what these turns have asked; those that were given to the agent already change nothing. */
  readonly permissions: readonly SettledPermission[]
  /** What is to be set of agents that live, and was not answered. */
  readonly configures: readonly ConfigureOrder[]
  /** That it has not answered, and that somebody still waits for. */
  readonly questions: readonly OpenCoordinatorRequest[]
}

/** Behind its order or before it; said once, to whoever is connected. */
export interface LaunchOffer {
  readonly type: 'coordinator:offer'
  readonly order: LaunchOrder
  readonly launch: LaunchParticulars
}

/** How to start it; holds secrets, so it is never logged, stored or put into an event. */
export interface LaunchParticulars {
  readonly type: 'coordinator:launch'
  readonly launchId: string
  readonly agentId: string
  readonly projectId: string
  readonly protocol: 'acp' | 'mcp'
  /** `holdfast` means this program itself. */
  readonly command: string
  readonly args: readonly string[]
  /** From the agent's entry; added to the allow-list (SE4) and the variables of CO4. */
  readonly env: Readonly<Record<string, string>>
  /** The project's folder on this machine; null when it has none: then a folder of the launch's own. */
  readonly folder: string | null
  /** The bearer for `/mcp`, dead when the launch is. */
  readonly launchToken: string
  /** null: it pulls its work by itself. */
  readonly acp: AcpParticulars | null
}
