/** What a feature says to have its files mirrored: which streams move them, where they lie, what is in them. */
import type { StreamKind } from '../domain/stream/name.ts'
import type { Reader } from '../store/store.ts'

export interface MirrorFolder {
  readonly kind: StreamKind
  /** Below the data folder. */
  readonly path: (id: string) => string
  /** Every file by name, whole, as JSON; null for one that is to be gone. Read from one snapshot. */
  readonly contents: (reader: Reader, id: string) => Promise<Readonly<Record<string, unknown>>>
}
