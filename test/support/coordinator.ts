/**
 * A coordinator in the test's own process: its agents are real, its server is a stand-in. Nothing
 * of it outlives the test.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Coordinator, type CoordinatorDependencies } from '../../src/coordinator/coordinator.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { LinkServer } from './link-server.ts'
import { machine } from './script-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface TestCoordinator {
  readonly coordinator: Coordinator
  readonly folder: string
  readonly folderId: string
  readonly alone: Promise<void>
  log(): string
}

export interface CoordinatorOptions extends Partial<CoordinatorDependencies> {
  /** The folder of an earlier coordinator. */
  readonly folder?: string
}

export function startCoordinator(
  server: Pick<LinkServer, 'url' | 'token'>,
  options: CoordinatorOptions = {},
): TestCoordinator {
  const { folder = temporaryFolder(), folderId = `keeper-${randomUUID()}`, ...changes } = options
  const lines: string[] = []
  const logger = createLogger({
    level: 'debug',
    format: 'json',
    destination: { write: (line) => void lines.push(line) },
  })
  const { promise: alone, resolve: onAlone } = Promise.withResolvers<void>()
  const coordinator = new Coordinator({
    find: async () => server.url,
    token: async () => server.token,
    about: { version: '0.0.0-test', machine: 'test', bootId: machine.bootId(), pid: process.pid },
    newInstance: randomUUID,
    random: () => 0,
    folderId,
    program: [process.execPath, '-e', ''],
    env: process.env,
    launchesFolder: join(folder, 'launches'),
    worktreesFolder: join(folder, 'worktrees'),
    source: machine,
    spoolFile: join(folder, 'spool.jsonl'),
    aloneMinutes: 30,
    clock: systemClock,
    logger,
    onOfflineTooLong: onAlone,
    ...changes,
  })
  coordinator.start()
  onTestFinished(async () => {
    const stopped = coordinator.stop()
    coordinator.killAll()
    await stopped
  })
  return { coordinator, folder, folderId, alone, log: () => lines.join('') }
}

export async function startLinkServer(): Promise<LinkServer> {
  const server = await new LinkServer().start()
  onTestFinished(() => server.vanish())
  return server
}
