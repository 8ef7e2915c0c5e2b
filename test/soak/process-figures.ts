/** What a process holds, as Linux tells it. */
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessFigures {
  readonly rssMiB: number
  readonly descriptors: number
}

const kibInMib = 1024

export function figuresOf(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const rss = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
  return { rssMiB: Number(rss) / kibInMib, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}
