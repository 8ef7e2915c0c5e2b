/** Coordinators as readers see them: one on each machine that runs agents (CO1, CO6). */
import * as z from 'zod'
import { Time } from '../text.ts'

/**
 * connected: recently active · unreachable: silent for `coordinator.unreachable_seconds`; its
 * processes are neither replaced nor killed · stopped: said goodbye, and runs nothing.
 */
export const coordinatorStates = ['connected', 'unreachable', 'stopped'] as const

export const Coordinator = z.object({
  id: z.string(),
  machine: z.string(),
  state: z.enum(coordinatorStates),
  /** Raised when another instance takes over; reports of older ones are refused. */
  epoch: z.int(),
  version: z.string(),
  pid: z.int(),
  joinedAt: Time,
  lastHeardAt: Time,
  /** Labels of the machine (SC4), which agents and projects may require. */
  labels: z.array(z.string()),
  /** Maximum processes; null: `coordinator.max_concurrent`. */
  capacity: z.int().nullable(),
  processes: z.int(),
})
export type Coordinator = z.output<typeof Coordinator>
