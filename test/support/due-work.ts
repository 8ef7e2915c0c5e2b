/** Looks for due work by hand, as the server's clock does by itself. */
import { dueChapters } from '../../src/jobs/cutover.ts'
import { dueAgentSessions } from '../../src/jobs/due-agent-sessions.ts'
import { duePanels } from '../../src/jobs/due-panels.ts'
import { dueUserSessions } from '../../src/jobs/due-user-sessions.ts'
import { type DueWork, handleDue } from '../../src/jobs/due-work.ts'
import { Hearing, type HearingOptions } from '../../src/jobs/hearing.ts'
import { forEachSettled } from '../../src/platform/for-each-settled.ts'
import type { LastSeen } from '../../src/server/agent-sessions/agent-calls.ts'

export interface Looks {
  /** One look for each, in their order. */
  run(): Promise<void>
  /** What a server does when it stops. */
  end(): Promise<void>
}

export function looksFor(
  options: HearingOptions,
  worksWith: (hearing: Hearing) => readonly DueWork[],
): Looks {
  const hearing = new Hearing(options)
  const works = worksWith(hearing)
  return {
    run: () => forEachSettled(works, (work) => handleDue(work, { ...options, hearing })),
    end: () => hearing.record(),
  }
}

export const agentSessionLooks = (
  options: HearingOptions & { readonly lastSeen: LastSeen },
): Looks => looksFor(options, () => dueAgentSessions(options))

export const userSessionLooks = (options: HearingOptions): Looks =>
  looksFor(options, (hearing) => dueUserSessions({ ...options, hearing }))

export const panelLooks = (options: HearingOptions): Looks =>
  looksFor(options, () => [duePanels(options.store)])

export const chapterLooks = (options: HearingOptions): Pick<Looks, 'run'> => ({
  run: () => forEachSettled(dueChapters(options), (work) => handleDue(work, options)),
})
