/**
 * The bytes of one file as a disk might have them: what is safe, and what was written since and may
 * be lost or torn.
 */

/** What a disk writes whole or not at all. */
const sectorBytes = 512
/** What the kernel keeps and writes in one piece. */
const pageBytes = 4096

export type Unsynced =
  | {
      readonly kind: 'write'
      readonly order: number
      readonly offset: number
      readonly bytes: Buffer
    }
  | { readonly kind: 'length'; readonly order: number; readonly length: number }

export class FileBytes {
  /** On the disk for certain. */
  #safe = new Bytes()
  /** As the running system sees it. */
  readonly #seen = new Bytes()
  #unsynced: Unsynced[] = []
  /**
   * Pages written before a sync that failed: the system takes them for clean, so no later sync
   * writes them.
   */
  readonly #abandoned = new Map<number, Unsynced>()

  change(change: Unsynced): void {
    applyTo(this.#seen, change)
    this.#unsynced.push(change)
  }

  sync(): void {
    if (this.#abandoned.size > 0) this.#syncPages()
    else for (const change of this.#unsynced) applyTo(this.#safe, change)
    this.#unsynced = []
  }

  failSync(): void {
    for (const change of this.#unsynced) {
      if (change.kind === 'length') this.#forgetBeyond(change.length)
      for (const page of pagesOf(change)) {
        const bytes = Buffer.from(
          this.#seen.slice(page, Math.min(this.#seen.length, page + pageBytes)),
        )
        if (bytes.length > 0)
          this.#abandoned.set(page, { kind: 'write', order: change.order, offset: page, bytes })
      }
    }
    this.#unsynced = []
  }

  get open(): readonly Unsynced[] {
    return this.#abandoned.size > 0
      ? [...this.#abandoned.values(), ...this.#unsynced]
      : this.#unsynced
  }

  get seen(): Buffer {
    return this.#seen.slice(0, this.#seen.length)
  }

  /** What is left when of the unsynced changes only these arrived. */
  left(arrived: Iterable<Unsynced>): Buffer {
    const bytes = new Bytes(this.#safe)
    for (const change of arrived) applyTo(bytes, change)
    return bytes.slice(0, bytes.length)
  }

  /** After a failed sync only pages that were touched again reach the disk, each one whole. */
  #syncPages(): void {
    for (const change of this.#unsynced) {
      if (change.kind === 'length') {
        applyTo(this.#safe, change)
        this.#forgetBeyond(change.length)
      }
      for (const page of pagesOf(change)) {
        const end = Math.min(this.#seen.length, page + pageBytes)
        if (end > page) this.#safe.write(page, this.#seen.slice(page, end))
        this.#abandoned.delete(page)
      }
    }
  }

  #forgetBeyond(length: number): void {
    for (const page of this.#abandoned.keys()) if (page >= length) this.#abandoned.delete(page)
  }
}

function pagesOf(change: Unsynced): number[] {
  if (change.kind === 'length') return []
  const first = Math.floor(change.offset / pageBytes)
  const last = Math.floor((change.offset + change.bytes.length - 1) / pageBytes)
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * pageBytes)
}

function applyTo(bytes: Bytes, change: Unsynced): void {
  if (change.kind === 'write') bytes.write(change.offset, change.bytes)
  else bytes.setLength(change.length)
}

/** A write cut into sectors, as a disk may tear it. */
export function sectorsOf(change: Unsynced): Unsynced[] {
  if (change.kind === 'length') return [change]
  const { order, offset, bytes } = change
  const pieces: Unsynced[] = []
  for (let at = offset; at < offset + bytes.length; ) {
    const end = Math.min(offset + bytes.length, (Math.floor(at / sectorBytes) + 1) * sectorBytes)
    pieces.push({
      kind: 'write',
      order,
      offset: at,
      bytes: bytes.subarray(at - offset, end - offset),
    })
    at = end
  }
  return pieces
}

/** Bytes that grow; holes are zero. */
class Bytes {
  length = 0
  #buffer: Buffer

  constructor(like?: Bytes) {
    this.#buffer = Buffer.from(like ? like.#buffer.subarray(0, like.length) : [])
    this.length = like?.length ?? 0
  }

  write(offset: number, bytes: Buffer): void {
    this.#reserve(offset + bytes.length)
    bytes.copy(this.#buffer, offset)
    this.length = Math.max(this.length, offset + bytes.length)
  }

  setLength(length: number): void {
    this.#reserve(length)
    if (length < this.length) this.#buffer.fill(0, length, this.length)
    this.length = length
  }

  slice(from: number, to: number): Buffer {
    return this.#buffer.subarray(from, to)
  }

  #reserve(length: number): void {
    if (length <= this.#buffer.length) return
    const larger = Buffer.alloc(Math.max(length, this.#buffer.length * 2, 64 * 1024))
    this.#buffer.copy(larger, 0, 0, this.length)
    this.#buffer = larger
  }
}
