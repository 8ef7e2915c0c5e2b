/** The interface between the mirror (mirror.ts), which decides when to write, and its targets, which decide what and where. */
import type { StreamKind, StreamName } from '../domain/stream-name.ts'
import type { Store } from '../store/store.ts'

/** The source of the files: a store, or one snapshot of it. */
export type MirrorSource = Pick<Store, 'incarnation' | 'read' | 'eventsAfter'>

export interface MirroredStream {
  readonly store: MirrorSource
  /** The data folder. */
  readonly data: string
  readonly stream: StreamName
  /** The part of the stream's name after its kind. */
  readonly id: string
}

export interface MirrorTarget {
  readonly kind: StreamKind
  /** Whether this stream has files at all. */
  readonly covers: (id: string) => boolean
  /**
   * Writes the files from the store, whatever their current state. Repeating it, also after a crash, gives the same files. Returns
   * for how many milliseconds they should not be written again.
   */
  readonly write: (mirrored: MirroredStream) => Promise<number>
  /** Whether the files are up to date. */
  readonly isCurrent: (mirrored: MirroredStream, head: number) => Promise<boolean>
}
