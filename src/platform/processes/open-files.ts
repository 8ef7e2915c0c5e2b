/** Which processes have a file open to write to it: of one's own user, and on Linux alone. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The lowest bits of the flags say how a file was opened; 0 is for reading alone. */
const accessBits = 0o3

/** Whether the process has a file open for writing whose path fits. */
export function writesTo(pid: number, fits: (path: string) => boolean): boolean {
  return numbersOf(pid).some((number) => {
    try {
      return fits(readlinkSync(`/proc/${pid}/fd/${number}`)) && isForWriting(pid, number)
    } catch {
      // The file was closed meanwhile.
      return false
    }
  })
}

function numbersOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`)
  } catch {
    // The process has ended, is another user's, or this system has no such folder.
    return []
  }
}

function isForWriting(pid: number, number: string): boolean {
  const [, flags = '0'] = /^flags:\s*([0-7]+)/m.exec(text(`/proc/${pid}/fdinfo/${number}`)) ?? []
  return (Number.parseInt(flags, 8) & accessBits) !== 0
}

const text = (file: string): string => readFileSync(file, 'utf8')
