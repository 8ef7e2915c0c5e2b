/**
 * Checks an index that a sandboxed agent has written, before git outside reads it (SB6): git takes the names in it as they are, and
 * would write one that begins with `../` outside of the workplace. Pure.
 */
const headerBytes = 12
/** Times, device, inode, mode, owner, size. */
const [modeAt, statBytes] = [24, 40]
const [extended, longName] = [0x4000, 0xfff]
const modes = new Set([0o100644, 0o100755, 0o120000, 0o160000])
const leadsElsewhere = /(^|\/)(\.{0,2}|\.git|git~\d+)(\/|$)|\0/i

/** `idBytes`: the length of an object's id, 20 or 32. False also for forms that are not known here. */
export function isPlainIndex(index: Buffer, idBytes: number): boolean {
  try {
    const version = index.readUInt32BE(4)
    if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return false
    let at = headerBytes
    let name = ''
    /** Where entries begin that do not need the one before; -1 for others. */
    const starts: number[] = []
    for (let left = index.readUInt32BE(8); left > 0; left--) {
      if (!modes.has(index.readUInt32BE(at + modeAt))) return false
      const flags = index.readUInt16BE(at + statBytes + idBytes)
      let from = at + statBytes + idBytes + (flags & extended ? 4 : 2)
      let kept = ''
      if (version === 4) {
        const { value, next } = variable(index, from)
        if (value > name.length) return false
        kept = name.slice(0, name.length - value)
        from = next
      }
      starts.push(kept === '' ? at : -1)
      const length = flags & longName
      const end = length === longName ? index.indexOf(0, from) : from + length - kept.length
      if (end < from) return false
      name = kept + index.toString('latin1', from, end)
      if (leadsElsewhere.test(name)) return false
      at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
    }
    const last = index.length - idBytes
    for (const end = at; at < last; at += 8 + index.readUInt32BE(at + 4)) {
      const part = index.subarray(at + 8, at + 8 + index.readUInt32BE(at + 4))
      if (!isPlainPart(index.toString('latin1', at, at + 4), part, starts, end)) return false
    }
    return at === last
  } catch {
    return false
  }
}

/** Some parts make git read names elsewhere: in another file, or by offsets, which must be those of the entries. */
function isPlainPart(name: string, part: Buffer, starts: readonly number[], end: number): boolean {
  if (name === 'EOIE') return part.readUInt32BE(0) === end
  let entries = 0
  if (name === 'IEOT')
    for (let at = 4; at < part.length; at += 8) {
      if (part.readUInt32BE(at) !== starts[entries]) return false
      entries += part.readUInt32BE(at + 4)
    }
  // Those that git must understand have a small letter: the names are in another file, or are folders.
  return /^[A-Z]/.test(name) && entries <= starts.length
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
