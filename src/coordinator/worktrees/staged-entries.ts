/**
 * Reads git's index as data: the one of a checkout can be written by agents, so no git of ours
 * reads it (SE19). It tells what is staged, what conflicts, and what a sparse checkout leaves away.
 * Also checks one before the person's own git is given it (SB6): git takes names as they are, and
 * would write one that begins with `../` outside of the workplace. Pure.
 */
import { hash } from 'node:crypto'

const headerBytes = 12
/** Times, device, inode, mode, owner, size. */
const [modeAt, statBytes] = [24, 40]
const [assumeUnchanged, extended, longName, stageAt] = [0x8000, 0x4000, 0xfff, 12]
const [skipped, intended] = [0x4000, 0x2000]
const modes = new Set([0o100644, 0o100755, 0o120000, 0o160000])
const folderMode = 0o040000
export const gitlinkMode = 0o160000
const leadsElsewhere = /(^|\/)(\.{0,2}|\.git|git~\d+)(\/|$)|\0/i

export interface IndexEntry {
  readonly name: Buffer
  readonly mode: number
  readonly id: Buffer
  /** 0; others are the sides of a conflict. */
  readonly stage: number
  readonly isAssumed: boolean
  /** Left away by a sparse checkout, or said to be. */
  readonly isSkipped: boolean
  readonly isIntended: boolean
}

interface Parsed {
  readonly entries: readonly (IndexEntry & {
    readonly flagsAt: number
    readonly startsAt: number
  })[]
  /** Where the entries end. */
  readonly end: number
}

/**
 * Undefined for forms that are not known here. `idBytes`: the length of an object's id, 20 or 32.
 */
export function entriesOf(index: Buffer, idBytes: number): readonly IndexEntry[] | undefined {
  try {
    const { entries, end } = parsed(index, idBytes)
    // The names of a split index are in another file.
    return index.toString('latin1', end, end + 4) === 'link' ? undefined : entries
  } catch {
    return undefined
  }
}

/**
 * The entries of an index that an agent can have written, without names that lead out of the
 * workplace.
 */
export const theirEntriesOf = (index: Buffer, idBytes: number): readonly IndexEntry[] | undefined =>
  entriesOf(index, idBytes)?.filter(
    ({ name }) => !leadsElsewhere.test(name.toString('latin1').replace(/\/$/, '')),
  )

/** False also for forms that are not known here. */
export function isPlainIndex(index: Buffer, idBytes: number): boolean {
  try {
    const { entries, end } = parsed(index, idBytes)
    if (
      !entries.every(
        ({ mode, name }) => modes.has(mode) && !leadsElsewhere.test(name.toString('latin1')),
      )
    )
      return false
    const last = index.length - idBytes
    let at = end
    for (; at < last; at += 8 + index.readUInt32BE(at + 4)) {
      const part = index.subarray(at + 8, at + 8 + index.readUInt32BE(at + 4))
      if (!isPlainPart(index.toString('latin1', at, at + 4), part, entries, end)) return false
    }
    return at === last
  } catch {
    return false
  }
}

/**
 * The index with its flags cleared that hide changes: `assume-unchanged` always, `skip-worktree`
 * where the file is there. What a sparse checkout leaves away stays away.
 */
export function withoutHiding(
  index: Buffer,
  idBytes: number,
  isThere: (name: Buffer) => boolean,
): Buffer {
  const { entries } = parsed(index, idBytes)
  const hiding = entries.filter(
    ({ isAssumed, isSkipped, name }) => isAssumed || (isSkipped && isThere(name)),
  )
  if (hiding.length === 0) return index
  const shown = Buffer.from(index)
  for (const { flagsAt, isSkipped, name } of hiding) {
    shown.writeUInt16BE(shown.readUInt16BE(flagsAt) & ~assumeUnchanged, flagsAt)
    if (isSkipped && isThere(name))
      shown.writeUInt16BE(shown.readUInt16BE(flagsAt + 2) & ~skipped, flagsAt + 2)
  }
  const body = shown.subarray(0, -idBytes)
  hash(idBytes === 20 ? 'sha1' : 'sha256', body, 'buffer').copy(shown, body.length)
  return shown
}

function parsed(index: Buffer, idBytes: number): Parsed {
  const version = index.readUInt32BE(4)
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new RangeError('no index')
  const entries: Parsed['entries'][number][] = []
  let at = headerBytes
  let name: Buffer = Buffer.of()
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const startsAt = at
    const mode = index.readUInt32BE(at + modeAt)
    const flagsAt = at + statBytes + idBytes
    const flags = index.readUInt16BE(flagsAt)
    const more = flags & extended ? index.readUInt16BE(flagsAt + 2) : 0
    let from = flagsAt + (flags & extended ? 4 : 2)
    let keptLength = 0
    if (version === 4) {
      const { value, next } = variable(index, from)
      if (value > name.length) throw new RangeError('no name')
      keptLength = name.length - value
      from = next
    }
    const length = flags & longName
    const end = length === longName ? index.indexOf(0, from) : from + length - keptLength
    if (end < from || end > index.length - idBytes) throw new RangeError('no end')
    name =
      keptLength === 0
        ? index.subarray(from, end)
        : Buffer.concat([name.subarray(0, keptLength), index.subarray(from, end)])
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
    entries.push({
      name,
      mode,
      id: index.subarray(flagsAt - idBytes, flagsAt),
      stage: (flags >> stageAt) & 3,
      isAssumed: (flags & assumeUnchanged) !== 0,
      isSkipped: (more & skipped) !== 0,
      isIntended: (more & intended) !== 0,
      flagsAt,
      // One that does not need the name before it.
      startsAt: keptLength === 0 ? startsAt : -1,
    })
  }
  return { entries, end: at }
}

/**
 * Some parts make git read names elsewhere: in another file, or by offsets, which must be those of
 * the entries.
 */
function isPlainPart(name: string, part: Buffer, all: Parsed['entries'], end: number): boolean {
  if (name === 'EOIE') return part.readUInt32BE(0) === end
  let entries = 0
  if (name === 'IEOT')
    for (let at = 4; at < part.length; at += 8) {
      if (part.readUInt32BE(at) !== all[entries]?.startsAt) return false
      entries += part.readUInt32BE(at + 4)
    }
  // Those that git must understand have a small letter: the names are in another file, or are
  // folders.
  return /^[A-Z]/.test(name) && entries <= all.length
}

/** A number in as many bytes as it needs, as git writes it. */
function variable(bytes: Buffer, from: number): { value: number; next: number } {
  let at = from
  let byte = bytes.readUInt8(at++)
  let value = byte & 127
  while (byte & 128) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 127)
  }
  return { value, next: at }
}

export interface IndexFacts {
  /**
   * By name as latin1: how what is staged differs from the other index. Gitlinks are in neither.
   */
  readonly staged: ReadonlyMap<string, 'added' | 'modified' | 'conflicted'>
  readonly skipped: ReadonlySet<string>
  readonly gitlinks: ReadonlySet<string>
}

export const noFacts: IndexFacts = { staged: new Map(), skipped: new Set(), gitlinks: new Set() }

/**
 * What a checkout's index says beside ours, which has the files of HEAD. Both are sorted by name.
 */
export function compareIndexes(
  theirs: readonly IndexEntry[],
  ours: readonly IndexEntry[],
): IndexFacts {
  const staged = new Map<string, 'added' | 'modified' | 'conflicted'>()
  const away = new Set<string>()
  const gitlinks = new Set<string>()
  let at = 0
  for (const entry of theirs) {
    const { name, mode } = entry
    let order = -1
    for (; at < ours.length; at++) {
      order = Buffer.compare(ours[at]?.name ?? name, name)
      if (order >= 0) break
    }
    const other = order === 0 ? ours[at] : undefined
    if (entry.isSkipped) away.add(name.toString('latin1'))
    if (mode === gitlinkMode) gitlinks.add(name.toString('latin1'))
    if (mode === gitlinkMode || mode === folderMode) continue
    if (entry.stage !== 0) staged.set(name.toString('latin1'), 'conflicted')
    else if (!other || other.mode === gitlinkMode || entry.isIntended)
      staged.set(name.toString('latin1'), 'added')
    else if (other.mode !== mode || !other.id.equals(entry.id))
      staged.set(name.toString('latin1'), 'modified')
  }
  return { staged, skipped: away, gitlinks }
}
