/** Launches as readers see them: one supervised process of an agent each, from its order to its end (CO2, CO7). */

import * as z from 'zod'
import { Notice } from '../notices.ts'
import { Time } from '../text.ts'

/**
 * waiting: ordered, its turn has not come · starting: taken by the coordinator, not seen to run · running · held: too many
 * failed starts, a person or a new message lifts it · ended.
 */
export const processStates = ['waiting', 'starting', 'running', 'held', 'ended'] as const

/** Why a process is no more. What it said last is in `detail`. */
export const processEndReasons = [
  /** By itself, without an error. */
  'exited',
  /** By itself, with an error, by a signal that was not ours, or in the middle of its work. */
  'crashed',
  /** It could not be started at all, or went away without ever signing in. */
  'start_failed',
  /** It did not sign in within `agent.start_timeout_seconds`. */
  'start_timeout',
  /** NA6: a chat process that nobody heard of for too long. */
  'idle',
  /** Its agent session was over and it did not go by itself. */
  'finished',
  'stopped_by_person',
  /** Holdfast itself was stopped on purpose. */
  'shutdown',
  /** CO5: left behind by a coordinator that died, and ended by the next. */
  'leftover',
  /** CO6: somebody took over from its coordinator. */
  'coordinator_lost',
  /** Not needed any more before it was started. */
  'withdrawn',
] as const

export const Process = z.object({
  launchId: z.string(),
  agentId: z.string(),
  projectId: z.string(),
  coordinatorId: z.string(),
  /** Set when it was spawned into a role of a user session; null for one that pulls its work. */
  roleAgentId: z.string().nullable(),
  pid: z.int().nullable(),
  state: z.enum(processStates),
  orderedAt: Time,
  /** When it was taken; once it was seen to run, since when. */
  startedAt: Time.nullable(),
  /** A stop was ordered, and why; it goes on until its exit is reported. */
  stopReason: z.enum(processEndReasons).nullable(),
  endedAt: Time.nullable(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z.enum(processEndReasons).nullable(),
  /** In words: the error of a start that failed, or why it is held. */
  detail: z.string().nullable(),
  /** The code and parameters that `detail` was made from. */
  notice: Notice.nullish(),
})
export type Process = z.output<typeof Process>
export type ProcessEndReason = (typeof processEndReasons)[number]

/** With the last lines it wrote, masked; at most this many characters are kept. */
export const maxOutputKept = 32 * 1024
export const ProcessWithOutput = Process.extend({ output: z.string() })
export type ProcessWithOutput = z.output<typeof ProcessWithOutput>

/** How long what a launch wrote is kept after its end (CO4). */
export const outputKeptDays = 30
