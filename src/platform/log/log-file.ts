/**
 * A log file of limited size: when it is full, it replaces the previous one, and a new one is
 * begun.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs'
import type { DestinationStream } from 'pino'

const maxLogBytes = 4 * 1024 * 1024

/** Ignores write errors, for example of a full disk. */
export function logFile(path: string, most = maxLogBytes): DestinationStream {
  let bytes = sizeOf(path)
  return {
    write(line) {
      try {
        if (bytes > 0 && bytes + line.length > most) {
          renameSync(path, before(path))
          bytes = 0
        }
        appendFileSync(path, line, { mode: 0o600 })
        bytes += Buffer.byteLength(line)
      } catch {}
    },
  }
}

/** The bytes that the log and the previous one use, and the most they can use. */
export const useOfLog = (path: string): { bytes: number; atMostBytes: number } => ({
  bytes: sizeOf(path) + sizeOf(before(path)),
  atMostBytes: 2 * maxLogBytes,
})

const before = (path: string): string => `${path}.before`

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
