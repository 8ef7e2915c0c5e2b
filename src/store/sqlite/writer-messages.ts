/** The messages between the server's thread and the writer thread, as JSON except for the start. */
import type { ErrorCode, ErrorFields } from '../../domain/errors.ts'
import type { Detail } from '../../domain/notices.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import type { Job } from '../log/run-use-case.ts'
import type { Identity } from '../migrate.ts'

export interface WriterStart {
  readonly file: string
  readonly now: string
  /** The number of messages posted to the writer (mailbox.ts). */
  readonly posted: Int32Array<SharedArrayBuffer>
}

export interface WriterThread {
  postMessage(text: string): void
  on(event: 'message', listener: (reply: string) => void): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
  /** Emitted when the thread has ended and the database is closed. */
  on(event: 'exit', listener: () => void): unknown
}

export type StartWriter = (entry: URL, start: WriterStart) => WriterThread

export interface WriterRequest extends Job<unknown> {
  readonly useCase: string
}

export type WriterResult =
  /** `answer` is missing when the use case returns nothing. */
  | { readonly answer?: unknown }
  | { readonly refusal: { code: ErrorCode; detail: Detail; fields: ErrorFields } }
  /** A programming error: for the log, never for the caller. */
  | { readonly fault: string }

export type WriterReply =
  | { readonly type: 'opened'; readonly identity: Identity }
  | {
      readonly type: 'open-failed'
      readonly name: string
      readonly message: string
      readonly errcode: number | null
    }
  /**
   * One commit: results in the order of the requests, the moved heads, and the number of repeated
   * runs.
   */
  | {
      readonly type: 'done'
      readonly results: readonly WriterResult[]
      readonly heads: readonly (readonly [StreamName, number])[]
      readonly retried: number
      /** The reason of a failed commit, of which nothing was written. */
      readonly failure: Detail | null
      /** The database can no longer be trusted; nothing is written from now on. */
      readonly broken: boolean
    }
