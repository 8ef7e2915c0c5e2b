/** The state a stream's events start from: what `event: snapshot` and `GET /api/snapshot` hand out, per stream. */
import type { Agent } from './agent.ts'
import type { Project } from './project.ts'

/** Lists in a snapshot hold at most this many, newest first; the rest is read page by page. */
export const snapshotListLimit = 200

export interface HomeState {
  readonly projects: readonly Project[]
  readonly agents: readonly Agent[]
}

export interface ProjectState {
  /** null: deleted, or never there. */
  readonly project: Project | null
  readonly agents: readonly Agent[]
}
