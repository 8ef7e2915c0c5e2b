/** Dependencies shared by all endpoints, built once by start-listeners.ts. */

import type { SignInRules } from '../domain/access/sign-in-rules.ts'
import type { Program } from '../domain/conversations/editor-settings.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { SampledLog } from '../platform/log/sampled-log.ts'
import type { Seals } from '../platform/secrets/seals.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { DetectedAgents } from '../protocol/agents/detected-agent.ts'
import type { AgentPreparation, PreparationStep } from '../protocol/agents/preparation.ts'
import type { SandboxProbe } from '../protocol/agents/sandbox-probe.ts'
import type { AgentInspection, SignInAttempt } from '../protocol/agents/sign-in.ts'
import type { NotRestored } from '../protocol/work/resume.ts'
import type { App } from '../services/app.ts'
import type { Store } from '../store/store.ts'
import type { AgentCalls } from './agent-sessions/agent-calls.ts'
import type { UserSessions } from './consoles/user-sessions.ts'
import type { SearchIndexer } from './conversations/indexer.ts'
import type { PastSessionsOfMachines } from './conversations/past-sessions.ts'
import type { Connections } from './live/connections.ts'
import type { Presence } from './live/presence.ts'
import type { Tails } from './live/tail.ts'
import type { Launches } from './processes/launches.ts'
import type { LinkedMachines } from './processes/linked-machines.ts'
import type { ProjectFolders } from './projects/project-folders.ts'
import type { Hosts } from './review/hosts.ts'
import type { Landings } from './review/landings.ts'
import type { Reviews } from './review/reviews.ts'
import type { ClientAddress } from './security/client-address.ts'
import type { Credentials } from './security/credentials.ts'
import type { RateLimit } from './security/rate-limit.ts'
import type { Figures } from './system/figures.ts'
import type { FileOperations } from './worktrees/file-operations.ts'
import type { Worktrees } from './worktrees/worktrees.ts'

/** How an agent is started on this machine. */
export interface AgentStart {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface SignIns {
  inspect(start: AgentStart, folder?: string): Promise<AgentInspection>
  signIn(agentId: string, start: AgentStart, method: string): Promise<SignInAttempt>
  attempt(agentId: string): SignInAttempt | undefined
  signOut(start: AgentStart): Promise<void>
}

export interface Preparations {
  begin(agent: string, step: PreparationStep): Promise<AgentPreparation>
  read(agent: string): AgentPreparation
  answer(agent: string, code: string): AgentPreparation
  cancel(agent: string): Promise<AgentPreparation>
}

/** Access to the files beside the database (CK2). */
export interface FilesBeside {
  checkpointPath(projectId: string, workSessionId: string): string
  /**
   * Resolves when everything committed so far is in the project's files; false when it cannot be
   * written now.
   */
  written(projectId: string): Promise<boolean>
  /**
   * CV1 `save`: resolves with the path when everything committed so far is in the file; throws
   * `file_not_written` otherwise.
   */
  saveConversation(key: string): Promise<string>
  /**
   * CK7: returns the work session whose files are at a path on this machine, and restores it into
   * the store if missing.
   */
  bringBack(
    path: string,
    by: string,
  ): Promise<{
    readonly projectId: string
    readonly workSessionId: string
    readonly notRestored: readonly NotRestored[]
  }>
  notePath(day: string): string
  /**
   * Resolves when the chapters closed so far are in the note; false when it cannot be written now
   * and is retried.
   */
  noteWritten(day: string): Promise<boolean>
  /**
   * Size of the log of the coordinator beside the server; older lines are removed automatically.
   */
  logs(): { readonly bytes: number; readonly atMostBytes: number }
}

export interface Basics {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export interface ServerDependencies extends Basics {
  readonly app: App
  readonly version: string
  /** Address that other devices use, if configured. */
  readonly publicUrl: string | null
  /** What editors on this machine start (EC11). */
  readonly editorProgram: Program
  /** Whether clients connect over TLS, through the proxy of `public_url`. */
  readonly https: boolean
  readonly credentials: Credentials
  readonly seals: Seals
  readonly loginLimit: RateLimit
  readonly addressOf: ClientAddress
  /** What the log says of sign-ins that failed; others may cause many. */
  readonly failedSignIns: SampledLog
  readonly signInRules: SignInRules
  readonly tails: Tails
  readonly connections: Connections
  /** Chat panels that are open (CH5). */
  readonly panels: Presence
  readonly agents: AgentCalls
  readonly launches: Launches
  readonly machines: LinkedMachines
  readonly files: FilesBeside
  readonly userSessions: UserSessions
  readonly worktrees: Worktrees
  readonly fileOperations: FileOperations
  readonly reviews: Reviews
  readonly landings: Landings
  readonly hosts: Hosts
  readonly pastSessions: PastSessionsOfMachines
  readonly folders: ProjectFolders
  /** User sessions that somebody is attached to (US3). */
  readonly attached: Presence
  readonly figures: Figures
  readonly search: SearchIndexer
  /** Detects the agents installed on this machine (AG5). */
  readonly detectAgents: () => Promise<DetectedAgents>
  /** Installs known agents on this machine, and signs them in by their own command (AG18). */
  readonly preparations: Preparations
  /** Signs agents of this machine in (AC13). */
  readonly signIns: () => Promise<SignIns>
  /** Tries an agent in a sandbox of this machine (SB8). */
  readonly probeSandbox: (agent: {
    command: string
    args: readonly string[]
    wrapper?: readonly string[] | null | undefined
  }) => Promise<SandboxProbe>
  /** True once the server has begun to stop. */
  closing: boolean
}
