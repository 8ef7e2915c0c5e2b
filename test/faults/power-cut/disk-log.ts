/**
 * What disk-shim.c wrote down: everything a process did to its files, in order, and what it
 * reported in between.
 */

export type DiskRecord =
  | { readonly type: 'created' | 'opened'; readonly inode: bigint; readonly path: string }
  | {
      readonly type: 'wrote'
      readonly inode: bigint
      readonly offset: number
      readonly bytes: Buffer
    }
  | { readonly type: 'truncated'; readonly inode: bigint; readonly length: number }
  | { readonly type: 'synced' | 'sync-failed'; readonly inode: bigint }
  | {
      readonly type: 'folder-synced' | 'unlinked' | 'made-folder' | 'removed-folder'
      readonly path: string
    }
  | { readonly type: 'renamed' | 'linked'; readonly path: string; readonly to: string }
  | { readonly type: 'reported'; readonly text: string }
  /** A change that went past the shim: nothing built from this log would prove anything. */
  | { readonly type: 'blind'; readonly path: string }
  | { readonly type: 'faulted'; readonly call: string; readonly path: string }

const headBytes = 32
/** In the order of `enum record` in disk-shim.c, from 1. */
const types = [
  'created',
  'wrote',
  'truncated',
  'synced',
  'folder-synced',
  'renamed',
  'unlinked',
  'linked',
  'made-folder',
  'removed-folder',
  'reported',
  'blind',
  'sync-failed',
  'opened',
  'faulted',
] as const

export function parseDiskLog(log: Buffer): DiskRecord[] {
  const records: DiskRecord[] = []
  // A killed process may leave half a record behind: what was not finished did not happen.
  for (let at = 0; at + headBytes <= log.length; ) {
    const [aLength, bLength] = [log.readUInt32LE(at + 4), log.readUInt32LE(at + 8)]
    const end = at + headBytes + aLength + bLength
    if (end > log.length) break
    const a = log.subarray(at + headBytes, at + headBytes + aLength)
    const b = log.subarray(at + headBytes + aLength, end)
    records.push(
      recordOf(
        log.readUInt32LE(at),
        log.readBigUInt64LE(at + 16),
        Number(log.readBigUInt64LE(at + 24)),
        a,
        b,
      ),
    )
    at = end
  }
  return records
}

/** A report as the shim would have written it, for a reporter that is not the process watched. */
export function reportRecord(text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(types.indexOf('reported') + 1, 0)
  head.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

function recordOf(number: number, inode: bigint, offset: number, a: Buffer, b: Buffer): DiskRecord {
  const type = types[number - 1]
  switch (type) {
    case 'created':
    case 'opened':
      return { type, inode, path: a.toString() }
    case 'wrote':
      return { type, inode, offset, bytes: a }
    case 'truncated':
      return { type, inode, length: offset }
    case 'synced':
    case 'sync-failed':
      return { type, inode }
    case 'folder-synced':
    case 'unlinked':
    case 'made-folder':
    case 'removed-folder':
    case 'blind':
      return { type, path: a.toString() }
    case 'renamed':
    case 'linked':
      return { type, path: a.toString(), to: b.toString() }
    case 'reported':
      return { type, text: a.toString() }
    case 'faulted':
      return { type, call: String.fromCharCode(Number(inode)), path: a.toString() }
    default:
      throw new Error(`The log holds a record of the unknown type ${number}`)
  }
}
