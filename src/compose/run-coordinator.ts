/**
 * Runs a coordinator as this process until a signal stops it, or it has been without a server for
 * too long (CO1).
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Coordinator } from '../coordinator/coordinator.ts'
import { boundYoungHeap, collectSooner } from '../platform/config/engine-flags.ts'
import { removeCoordinatorFile, writeCoordinatorFile } from '../platform/files/coordinator-file.ts'
import { prepareDataFolder, runFolder } from '../platform/files/data-folder.ts'
import { lockDataFolder } from '../platform/files/data-lock.ts'
import { findPackageRoot } from '../platform/files/package-root.ts'
import { isAlive, readRunFile } from '../platform/files/run-file.ts'
import { logFile } from '../platform/log/log-file.ts'
import { createLogger, type Logger } from '../platform/log/logger.ts'
import { folderIdOf } from '../platform/processes/launch-mark.ts'
import { type ProcessSource, processes } from '../platform/processes/processes.ts'
import { stopOnSignal } from '../platform/processes/signals.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import { thisProgram } from '../platform/processes/this-program.ts'
import { systemClock } from '../platform/time/clock.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { linkVersion } from '../protocol/processes/link.ts'

export interface CoordinatorSettings {
  readonly config: ConfigValues
  /** The server of the data folder at its current address when left out. */
  readonly server: string | undefined
  readonly token: () => Promise<string>
  /** Labels of this machine, and the number of processes it can run (SC4). */
  readonly labels: readonly string[]
  readonly capacity: number | undefined
  /** Standard error when left out. */
  readonly logTo: string | undefined
}

/**
 * Young generation in bytes. Small, because a large process takes longer to spawn another (RE8,
 * SP4).
 */
const youngHeapBytes = 6 * 1024 * 1024

/** Never resolves: the process ends by a signal, or after too long without a server. */
export async function runCoordinator({
  config,
  server,
  token,
  labels,
  capacity,
  logTo,
}: CoordinatorSettings): Promise<never> {
  boundYoungHeap(youngHeapBytes)
  collectSooner()
  const { data } = config
  const source = thisMachine()
  const destination = logTo === undefined ? undefined : logFile(logTo)
  const logger = createLogger({
    level: config['log.level'],
    format: config['log.format'],
    destination,
  })
  await prepareDataFolder(data, (message) => logger.warn(message))
  const lock = lockDataFolder(data, 'coordinator')
  const { pid } = process
  const { version } = findPackageRoot()
  const bootId = source.bootId()
  const birth = source.birthOf(pid) ?? ''
  await writeCoordinatorFile(data, {
    pid,
    birth,
    bootId,
    linkVersion,
    version,
    startedAt: new Date().toISOString(),
  })
  const leave = async (): Promise<void> => {
    await removeCoordinatorFile(data, pid)
    lock.release()
  }
  const coordinator = new Coordinator({
    find: async () => server ?? (await serverOf(data)),
    token,
    about: {
      version,
      machine: hostname(),
      bootId,
      pid,
      labels: [...labels],
      capacity: capacity ?? null,
    },
    newInstance: randomUUID,
    random: Math.random,
    folderId: await folderIdOf(data),
    program: thisProgram(),
    env: process.env,
    launchesFolder: join(data, 'launches'),
    worktreesFolder: join(data, 'worktrees'),
    source,
    spoolFile: join(runFolder(data), 'coordinator-spool.jsonl'),
    aloneMinutes: config['coordinator.alone_minutes'],
    clock: systemClock,
    logger,
    onOfflineTooLong: () => void leave().finally(() => process.exit(0)),
  })
  stopOnSignal({
    stop: async (signal) => {
      logger.info({ signal }, 'stopping all agents')
      await coordinator.stop()
      await leave()
    },
    hurry: () => {
      coordinator.killAll()
      return 'wait'
    },
    onTrouble: (message, error) =>
      logger.error({ error: error === undefined ? undefined : String(error) }, message),
  })
  logCrash(logger)
  logger.info({ data }, 'coordinator running')
  coordinator.start()
  // Keeps the process alive; its other timers do not.
  return new Promise(() => setInterval(() => {}, 2 ** 30))
}

/**
 * Returns the address of a running server. The port in a stale file may belong to another program,
 * so it is not used.
 */
async function serverOf(data: string): Promise<string | undefined> {
  const found = await readRunFile(data)
  return found && isAlive(found) ? found.url : undefined
}

function thisMachine(): ProcessSource {
  if (processes) return processes
  throw new StartFailure(
    'Agents cannot be run on this system yet: their processes cannot be told apart here.',
    'Run the coordinator on Linux or macOS, under Windows in WSL.',
  )
}

function logCrash(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'coordinator crashed')
    process.exit(1)
  })
}
