/** Files that follow streams. What a feature mirrors is one of these; mirror.ts says when, a target says what and where. */
import type { StreamKind, StreamName } from '../domain/stream-name.ts'
import type { Store } from '../store/store.ts'

/** What files are made from: a store, or one snapshot of it. */
export type MirrorSource = Pick<Store, 'incarnation' | 'read' | 'eventsAfter'>

export interface MirroredStream {
  readonly store: MirrorSource
  /** The data folder. */
  readonly data: string
  readonly stream: StreamName
  /** What the stream's name says after its kind. */
  readonly id: string
}

export interface MirrorTarget {
  readonly kind: StreamKind
  /** Whether this stream has files at all. */
  readonly covers: (id: string) => boolean
  /**
   * Makes the files what the store says, however they are. Done twice, or after a crash at any byte of it, the same comes out.
   * Answers for how many milliseconds they are to rest before they are written again.
   */
  readonly write: (mirrored: MirroredStream) => Promise<number>
  /** Whether nothing has moved since they were written. */
  readonly isCurrent: (mirrored: MirroredStream, head: number) => Promise<boolean>
}
