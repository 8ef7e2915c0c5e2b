/**
 * Rights stand with what is done: each use case, query and stream says which scope it needs and
 * whose it is. services/app.ts is the one place that compares them with a caller. Pure.
 */
import type { Needed } from './scopes.ts'
import type { Viewer } from './visibility.ts'

/** What something may be done to, with the field of the input that names it. */
interface Named {
  readonly conversation: { readonly key: string }
  readonly 'user-session': { readonly userSessionId: string }
  readonly approval: { readonly approvalId: number }
  readonly worktree: { readonly worktreeId: string }
  readonly process: { readonly launchId: string }
  readonly project: { readonly projectId: string }
  readonly 'work-session': { readonly workSessionId: string }
  readonly agent: { readonly agentId: string }
  readonly person: { readonly personId: string }
  readonly channel: { readonly channel: string }
  readonly coordinator: { readonly coordinatorId: string }
  /** The answer has what its reader may see, and more of nothing. */
  readonly viewer: { readonly viewer: Viewer }
}

/**
 * `caller`: the caller itself, its session or what it has signed in with; `nobody`: nobody's in
 * particular.
 */
export type Subject = keyof Named | 'caller' | 'nobody'

/** What an input has to name, for what it is done to. */
export type InputOn<On extends Subject> = On extends keyof Named ? Named[On] : unknown

export interface Rights<On extends Subject = Subject> {
  /**
   * The scope that it needs. `anybody`: any credential, or a look-up inside an operation that has
   * checked its own scope; `nobody`: none; `server`: no caller has it, it is the server's upkeep.
   */
  readonly scope: Needed | 'anybody' | 'nobody'
  /** Whose it is. */
  readonly on: On
}
