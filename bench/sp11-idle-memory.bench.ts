/**
 * SP11: the memory of a server that was started, has shown its page and has nothing to do, beside
 * Node's bare HTTP server.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { holdfastCommand, startProcess } from './harness/server-process.ts'

const bareServer = join(import.meta.dirname, 'bare', 'http-server.cjs')
/** Until what is done after a start is done, and its garbage is noticed. */
const idleMs = 3000

function residentMiB(pid: number): number {
  if (process.platform !== 'linux')
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) / 1024
}

const idles = (name: string, command: (port: number) => string[]): Contender => ({
  name,
  round: async () => {
    const server = await startProcess(command, { path: '/' })
    await pause(idleMs)
    const memory = residentMiB(server.pid)
    await server.stop()
    return memory
  },
})

export const idleMemory: readonly Comparison[] = [
  {
    title: '[SP11] memory of an idle server',
    unit: 'MiB',
    goal: { kind: 'cost', limit: 2.5 },
    prepare: async () => {
      const folder = benchFolder()
      return {
        ours: idles('holdfast up', holdfastCommand(folder.path)),
        yardstick: idles('bare node:http', (port) => [bareServer, String(port)]),
        close: async () => folder.remove(),
      }
    },
  },
]
