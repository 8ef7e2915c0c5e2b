/**
 * The write-ahead log that a process left behind which did not close. After a sync that failed, the system reads bytes back
 * that are not on the disk, and no later sync puts them there. SQLite would fold such a log into the database, and a power
 * cut before the log is gone would lay its older half over the newer pages. So, before SQLite sees it, every byte is written
 * once more in its own place and synced: what can be read is then also there (RE3).
 */
import { closeSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'

const chunkBytes = 1024 * 1024

export function writeLogAgain(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return
  const log = openSync(path, 'r+')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    for (let at = 0, length = 0; ; at += length) {
      const found = readSync(log, chunk, 0, chunkBytes, at)
      if (found === 0) break
      length = writeSync(log, chunk, 0, found, at)
    }
    fsyncSync(log)
  } finally {
    closeSync(log)
  }
}
