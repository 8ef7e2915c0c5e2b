/**
 * Launches as readers see them: one supervised process of an agent each, from its order to its end
 * (CO2, CO7).
 */

import * as z from 'zod'
import { Notice } from '../notices.ts'
import { storable, Time } from '../text.ts'

/**
 * waiting: ordered · starting: taken by the coordinator, not seen running · running · held: too
 * many failed starts, until a person or a new message releases it · ended.
 */
export const processStates = ['waiting', 'starting', 'running', 'held', 'ended'] as const

/** Why a process ended. `detail` has its last output. */
export const processEndReasons = [
  'exited',
  /** By itself with an error, by a signal that was not ours, or during its work. */
  'crashed',
  'start_failed',
  /** The process did not sign in within `agent.start_timeout_seconds`. */
  'start_timeout',
  /** NA6: a chat process that was silent for too long. */
  'idle',
  /** The agent session ended and the process did not exit. */
  'finished',
  'stopped_by_person',
  'shutdown',
  /** CO5: an orphan of a dead coordinator, ended by the next. */
  'leftover',
  /** CO6: another instance took over from its coordinator. */
  'coordinator_lost',
  /** No longer needed before it was started. */
  'withdrawn',
] as const

export const Process = z.object({
  launchId: z.string(),
  agentId: z.string(),
  projectId: z.string(),
  coordinatorId: z.string(),
  conversationKey: z.string().optional().describe('The begun session that it alone serves'),
  /** Set for an agent in a role of a user session; null for pulling agents. */
  roleAgentId: z.string().nullable(),
  pid: z.int().nullable(),
  state: z.enum(processStates),
  orderedAt: Time,
  /** When it was taken; when it was seen running, once it was. */
  startedAt: Time.nullable(),
  /** Why a stop was ordered; it stays until its exit is reported. */
  stopReason: z.enum(processEndReasons).nullable(),
  endedAt: Time.nullable(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z.enum(processEndReasons).nullable(),
  detail: z.string().nullable(),
  notice: Notice.nullish(),
})
export type Process = z.output<typeof Process>
export type ProcessEndReason = (typeof processEndReasons)[number]

/** Characters kept, with the last lines of output, masked. */
export const maxOutputKept = 32 * 1024

/** AC10: what an ACP agent sent that nobody knows: the kind of it, its name, and how often. */
export const UnknownSent = z.object({
  kind: z.string().max(100).overwrite(storable),
  name: z.string().max(200).overwrite(storable),
  count: z.int().min(0),
})
export type UnknownSent = z.output<typeof UnknownSent>

export const ProcessWithOutput = Process.extend({
  output: z.string(),
  unknown: z
    .array(UnknownSent)
    .describe('What an ACP agent sent that Holdfast does not know, and how often'),
  tools: z
    .enum(['connected', 'missing'])
    .nullable()
    .describe(
      'Whether an ACP agent has connected to Holdfast’s tools; missing: a person was told that it has not',
    ),
})
export type ProcessWithOutput = z.output<typeof ProcessWithOutput>
