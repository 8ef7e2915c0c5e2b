/**
 * Resumes interrupted work (RS1): a child work session, and its agent in its role if there is a
 * console.
 */
import { type Caller, theServer } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { childOf, type Resumed } from '../../protocol/work/resume.ts'
import { resumeWorkSession } from '../../services/work/resume-work-session.ts'
import type { ReceiptKey } from '../../store/store.ts'
import type { ServerDependencies } from '../dependencies.ts'

interface WorkLocation {
  readonly projectId: string
  readonly workSessionId: string
}

/** `begun`: a new work session was created; otherwise one was already running. */
export async function resumeWork(
  deps: ServerDependencies,
  who: Caller,
  place: WorkLocation,
  receipt?: ReceiptKey,
  acting: Caller = who,
): Promise<{ begun: boolean; resumed: Resumed }> {
  const outcome = await deps.app.run(resumeWorkSession, { ...place, by: who.id }, acting, receipt)
  if (outcome.outcome === 'failed') throw notResumed(outcome)
  const { outcome: became, resumed } = outcome
  if (became === 'same') return { begun: false, resumed }
  const role = await deps.userSessions.takeUp(who, place.workSessionId, childOf(resumed), receipt)
  if (!role) return { begun: true, resumed }
  const notRestored = [...resumed.notRestored, ...role.notRestored]
  return {
    begun: true,
    resumed: { ...resumed, notRestored, missing: role.missing ?? resumed.missing },
  }
}

/** CK7: resumes from files at a path on the server's machine; needs the scope `manage`. */
export async function resumeFromFile(
  deps: ServerDependencies,
  who: Caller,
  path: string,
): Promise<{ begun: boolean; resumed: Resumed }> {
  const { notRestored, ...place } = await deps.files.bringBack(path, who.id)
  const { begun, resumed } = await resumeWork(deps, who, place, undefined, theServer)
  return { begun, resumed: { ...resumed, notRestored: [...notRestored, ...resumed.notRestored] } }
}

const notResumed = ({ setAside }: { setAside: string | null }): Refusal =>
  new Refusal('resume_failed', setAside ?? refusalText('workUnreadable'), { setAside })
