/** Which work sessions the events of a project are about: those whose files have to be looked at again. */
import { aboutWorkSession } from '../protocol/work/about-work-session.ts'
import type { StoredEvent } from '../store/store.ts'

export interface Touched {
  readonly workSessionIds: Set<string>
  /** What was learned there is in the files of others, too (AR2). */
  readonly learnedIn: Set<string>
  /** CK6: those it came from say where the work was completed. */
  readonly endedIn: Set<string>
  /** Names of artifacts that were stored or deleted, by work session. */
  readonly artifacts: Map<string, Set<string>>
}

export const nothingTouched = (): Touched => ({
  workSessionIds: new Set(),
  learnedIn: new Set(),
  endedIn: new Set(),
  artifacts: new Map(),
})

export function touch(touched: Touched, { type, data }: StoredEvent): void {
  if (data === null) return
  const about = aboutWorkSession(type, data)
  if (!about) return
  const { workSessionId, learned, artifact } = about
  touched.workSessionIds.add(workSessionId)
  if (learned) touched.learnedIn.add(workSessionId)
  if (type === 'work-session-ended') touched.endedIn.add(workSessionId)
  if (artifact === undefined) return
  const names = touched.artifacts.get(workSessionId) ?? new Set()
  touched.artifacts.set(workSessionId, names.add(artifact))
}
