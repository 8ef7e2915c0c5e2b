/**
 * Limits how often an agent may fail in a project before it is held (CO7). Each new message allows one more try, so that neither
 * restarts nor waiting go on for ever. Pure.
 */

import type { Instant } from '../instant.ts'
import type { Detail } from '../notices.ts'
import type { ProjectSettings } from '../projects/settings.ts'
import { statusNotice } from '../status-texts.ts'
import type { LaunchEndReason } from './lifecycle.ts'

/** Ends that count as failures. Ordered stops, shutdowns, orphans and lost coordinators say nothing about the agent. */
export const failedEnds = ['start_failed', 'start_timeout', 'crashed'] as const satisfies readonly LaunchEndReason[]

export interface Failures {
  /** Within the window of the settings. */
  readonly count: number
  /** What the last of them said. */
  readonly lastDetail: Detail | null
}

export interface HeldLaunch {
  readonly since: Instant
  readonly because: Detail
  /** A message came after it was held. */
  readonly newMessage: boolean
}

/** With a limit of 0 the first failure is too many. */
export const failuresAllowed = (settings: ProjectSettings): number => Math.max(1, Number(settings['restart.max']))

/** Why the agent is not started now; null when it may be. */
export function heldBecause(held: HeldLaunch | null, { count, lastDetail }: Failures, settings: ProjectSettings): Detail | null {
  if (held) return held.newMessage ? null : held.because
  if (count < failuresAllowed(settings)) return null
  const seconds = Number(settings['restart.window_seconds'])
  if (lastDetail === null)
    return count === 1 ? statusNotice('failedOnce', { seconds }) : statusNotice('failedOften', { count, seconds })
  const last = lastDetail
  return count === 1
    ? statusNotice('failedOnceLast', { seconds, last })
    : statusNotice('failedOftenLast', { count, seconds, last })
}
