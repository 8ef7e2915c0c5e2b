/**
 * SP1: from the start of the process to its first 200, on a data folder that is there already,
 * beside Node's bare HTTP server.
 */
import { join } from 'node:path'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { holdfastCommand, startProcess } from './harness/server-process.ts'

const bareServer = join(import.meta.dirname, 'bare', 'http-server.cjs')

const starts = (name: string, command: (port: number) => string[], path: string): Contender => ({
  name,
  round: async () => {
    const server = await startProcess(command, { path })
    await server.stop()
    return server.startedInMs
  },
})

const firstAnswer = (what: string, path: string): Comparison => ({
  title: `[SP1] cold start to the first 200 of ${what}`,
  unit: 'ms',
  goal: { kind: 'cost', limit: 2 },
  prepare: async () => {
    const folder = benchFolder()
    return {
      ours: starts('holdfast up', holdfastCommand(folder.path), path),
      yardstick: starts('bare node:http', (port) => [bareServer, String(port)], path),
      close: async () => folder.remove(),
    }
  },
})

export const coldStart: readonly Comparison[] = [
  firstAnswer('/healthz', '/healthz'),
  firstAnswer('the page', '/'),
]
