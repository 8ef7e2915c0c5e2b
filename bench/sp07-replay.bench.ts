/**
 * SP7: a client that comes back after 100,000 events and reads them all, from the real server,
 * beside a server that has the very bytes ready as blobs and only moves them.
 */
import { join } from 'node:path'
import { databaseFile } from '../src/platform/files/data-folder.ts'
import { encodeCursor } from '../src/store/page-cursor.ts'
import type { Comparison, Contender, Contest } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import {
  holdfastCommand,
  ownerTokenIn,
  type ServerProcess,
  startProcess,
} from './harness/server-process.ts'
import { flat } from './harness/verdict.ts'
import { addHistory, makeBlobs } from './replay/history.ts'
import { getRequest, type Replay, readUntil, socketRequest } from './replay/reader.ts'

const bareServer = join(import.meta.dirname, 'bare', 'blob-server.cjs')
const stream = 'project:history'
const blobBytes = 64 * 1024

type Transport = 'SSE' | 'WebSocket'

interface Ours {
  readonly server: ServerProcess
  readonly replay: () => Promise<Replay>
}

async function startOurs(data: string, events: number, transport: Transport): Promise<Ours> {
  const start = (): Promise<ServerProcess> =>
    startProcess(holdfastCommand(data), { path: '/readyz' })
  // Once, so that the tables are there.
  await (await start()).stop()
  const incarnation = addHistory(databaseFile(data), stream, events)
  const server = await start()
  const after = encodeCursor(incarnation, new Map([[stream, 0]]))
  const token = ownerTokenIn(data)
  const request =
    transport === 'SSE'
      ? getRequest(server.port, `/api/events?streams=${stream}&after=${after}`, token)
      : socketRequest(
          server.port,
          token,
          JSON.stringify({ type: 'subscribe', streams: [stream], after }),
        )
  return { server, replay: () => readUntil(server.port, request, `"seq":${events},`) }
}

const timeOf = (name: string, replay: () => Promise<Replay>, each = 1): Contender => ({
  name,
  round: async () => (await replay()).ms / each,
})

const replay = (transport: Transport): Comparison => ({
  title: `[SP7] replay of 100,000 events after a reconnect, ${transport}`,
  unit: 'ms',
  goal: { kind: 'cost', limit: 7.5 },
  prepare: async (): Promise<Contest> => {
    const folder = benchFolder()
    const ours = await startOurs(folder.path, 100_000, transport)
    const blobs = join(folder.path, 'blobs.db')
    const last = '"seq":100000,'
    makeBlobs(blobs, (await ours.replay()).bytes, blobBytes)
    const bare = await startProcess((port) => [bareServer, String(port), blobs], { path: '/' })
    return {
      ours: timeOf('holdfast', ours.replay),
      yardstick: timeOf('the same bytes as blobs', () =>
        readUntil(bare.port, getRequest(bare.port, '/replay'), last),
      ),
      close: async () => {
        await Promise.all([ours.server.stop(), bare.stop()])
        folder.remove()
      },
    }
  },
})

const growth: Comparison = {
  title: '[SP7] each of 100,000 events, beside each of 10,000',
  unit: 'µs',
  goal: flat,
  prepare: async () => {
    const folders = [benchFolder(), benchFolder()] as const
    const many = await startOurs(folders[0].path, 100_000, 'SSE')
    const few = await startOurs(folders[1].path, 10_000, 'SSE')
    return {
      ours: timeOf('100,000 events', many.replay, 100),
      yardstick: timeOf('10,000 events', few.replay, 10),
      close: async () => {
        await Promise.all([many.server.stop(), few.server.stop()])
        for (const folder of folders) folder.remove()
      },
    }
  },
}

export const replays: readonly Comparison[] = [replay('SSE'), replay('WebSocket'), growth]
