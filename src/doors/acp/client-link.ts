/** What the door's parts know of the editor that they serve. */
import type { AgentContext } from '@agentclientprotocol/sdk/unstable'
import type { Who } from '../../domain/access/caller.ts'
import type { AcpUpdate, Shows } from './updates.ts'

/** The connection underneath. */
export interface ClientLink {
  /** Whose credential it is, as it was with the newest message. */
  who(): Who
  isFull(): boolean
  /** Resolves when the editor can take more, or is gone. */
  drained(): Promise<void>
  /** Called once the answer to this request is sent. */
  afterAnswer(id: string | number | null, then: () => void): void
  /** Ends the connection, because the log cannot be read; the editor's tunnel comes back. */
  fail(error: unknown): void
  /** Names the connection in the log. */
  readonly requestId: string
}

/** An editor that has said what it can. */
export interface Editor {
  readonly link: ClientLink
  readonly context: AgentContext
  readonly shows: Shows
  /** Shows options that are on or off. */
  readonly showsBooleans: boolean
  /** Which forms of question it can ask. */
  readonly asksForms: boolean
  readonly asksUrls: boolean
  /** Marks what it has sent: one editor, over all connections that its tunnel makes. */
  readonly mark: string
  /** `at`: where the update stands, for a tunnel. Resolves once it is sent. */
  tell(key: string, update: AcpUpdate, at: string): Promise<void>
}
