/** Coordinators as readers see them: one on each machine that runs agents (CO1, CO6). */
import * as z from 'zod'
import { Time } from '../text.ts'

/**
 * connected: heard of lately · unreachable: silent for `coordinator.unreachable_seconds`; its processes are neither replaced nor
 * killed · stopped: said goodbye, nothing of it runs.
 */
export const coordinatorStates = ['connected', 'unreachable', 'stopped'] as const

export const Coordinator = z.object({
  id: z.string(),
  /** The machine's name. */
  machine: z.string(),
  state: z.enum(coordinatorStates),
  /** Raised whenever another instance takes its place; reports of an older one are refused. */
  epoch: z.int(),
  version: z.string(),
  pid: z.int(),
  joinedAt: Time,
  lastHeardAt: Time,
  /** What it is like, in words of its own (SC4): agents and projects may ask for one. */
  labels: z.array(z.string()),
  /** Processes at once; null: `coordinator.max_concurrent`. */
  capacity: z.int().nullable(),
  /** Processes of its that have not ended. */
  processes: z.int(),
})
export type Coordinator = z.output<typeof Coordinator>
