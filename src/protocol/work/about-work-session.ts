/** The work session that an event of a project concerns, and what changed in it. Pure. */
import type { EventBodies, EventType } from '../events.ts'

export interface AboutWorkSession {
  readonly workSessionId: string
  /** Approaches changed, which are shared with all work sessions resumed from it (AR2). */
  readonly learned?: true
  readonly artifact?: string
}

/** `data`: the event's body as stored. */
export function aboutWorkSession(type: string, data: string): AboutWorkSession | undefined {
  const about = abouts[type as EventType] as ((body: unknown) => About) | undefined
  const { workSessionId, ...rest } = about?.(JSON.parse(data)) ?? {}
  return workSessionId ? { workSessionId, ...rest } : undefined
}

/** A task may belong to no work session. */
type About = Omit<AboutWorkSession, 'workSessionId'> & { readonly workSessionId: string | null }

type Abouts = { readonly [Type in EventType]?: (body: EventBodies[Type]) => About }

const ofWorkSession = ({ workSession }: { workSession: { id: string } }): About => ({
  workSessionId: workSession.id,
})
const ofTask = ({ task }: EventBodies['task-changed']): About => ({ workSessionId: task.sessionId })
const ofApproval = ({ approval }: EventBodies['approval-asked']): About => ({
  workSessionId: approval.sessionId,
})
const ofApproach = ({ approach }: EventBodies['approach-changed']): About => ({
  workSessionId: approach.sessionId,
  learned: true,
})

const abouts: Abouts = {
  'work-session-started': ofWorkSession,
  'work-session-changed': ofWorkSession,
  'work-session-ended': ofWorkSession,
  'task-created': ofTask,
  'task-changed': ofTask,
  'approval-asked': ofApproval,
  'approval-decided': ofApproval,
  'approval-resubmitted': ofApproval,
  'approval-held': ofApproval,
  'approval-taken-back': ofApproval,
  'approach-recorded': ofApproach,
  'approach-changed': ofApproach,
  'checkpoint-saved': ({ workSessionId }) => ({ workSessionId }),
  'artifact-stored': ({ artifact }) => ({
    workSessionId: artifact.sessionId,
    artifact: artifact.name,
  }),
  'artifact-deleted': ({ workSessionId, name }) => ({ workSessionId, artifact: name }),
}
