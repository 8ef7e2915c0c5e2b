/**
 * Composition root of the server. Locks the folder before opening anything in it, listens before
 * loading anything that can wait (SP1), and undoes all steps in reverse order on stop. Heavy
 * modules are loaded by assemble.ts.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  CoordinatorSupervisor,
  CoordinatorSupervisorOptions,
} from '../coordinator/coordinator-supervisor.ts'
import { prepareDataFolder } from '../platform/files/data-folder.ts'
import { lockDataFolder } from '../platform/files/data-lock.ts'
import { findPackageRoot } from '../platform/files/package-root.ts'
import { removeRunFile, writeRunFile } from '../platform/files/run-file.ts'
import { prepareSecrets } from '../platform/files/secret-files.ts'
import { createLogger } from '../platform/log/logger.ts'
import { processes } from '../platform/processes/processes.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import { loadOwnerToken } from '../platform/secrets/owner-token.ts'
import { systemClock } from '../platform/time/clock.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { listed } from '../protocol/config-parsing.ts'
import { HttpListener } from '../server/http/http-listener.ts'
import type { Tails } from '../server/live/tail.ts'
import type { Store } from '../store/store.ts'

const answerFirstMs = 5

export interface RunningHoldfast {
  readonly url: string
  /** Creates a one-time sign-in code for the owner. */
  signInCode(): Promise<string>
  stop(): Promise<void>
  /** Kills the coordinator and its agents at once, because this process is about to end. */
  hurry(): void
}

/** `up` runs the server with a coordinator beside it; `server` runs it alone. */
export type Kind = 'up' | 'server'

/** Steps done so far, undone in reverse order by a stop or a failed start. */
export type Undo = (() => void | Promise<void>)[]

/** `signal` aborts a start that waits for the database. */
export async function startServer(
  config: ConfigValues,
  env: NodeJS.ProcessEnv,
  kind: Kind,
  signal: AbortSignal,
): Promise<RunningHoldfast> {
  const logger = createLogger({ level: config['log.level'], format: config['log.format'] })
  const { data } = config
  const { folder: packageFolder, version } = findPackageRoot()
  const undo: Undo = []
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  // CF2: files created in the folder are readable by their owner only.
  const umask = process.umask(0o077)
  try {
    await prepareDataFolder(data, (message) => logger.warn(message))
    const lock = lockDataFolder(data)
    undo.push(() => lock.release())
    await prepareSecrets(data, {
      warn: (message) => logger.warn(message),
      coordinatorRuns: () => coordinatorRuns(data),
    })
    const ownerToken = await loadOwnerToken(data, env)
    const listener = new HttpListener({
      logger,
      listen: { host: config.host, port: config.port },
      publicUrl: config.public_url,
      metricsHosts: config['metrics.hosts']?.split(',') ?? [],
      behindProxy: config.behind_proxy,
      trustedProxies: listed(config.trusted_proxies),
      allowedOrigins: listed(config.allowed_origins),
      version,
      pageFolder: join(packageFolder, 'dist', 'web'),
    })
    if (config.behind_proxy && !config.trusted_proxies)
      logger.warn('trusted_proxies is empty, so rate limits count all clients of the proxy as one')
    await listener.listen()
    undo.push(() => listener.close())
    // Lets the first requests be answered: loading the endpoints blocks this thread for a while
    // (SP1).
    await pause(answerFirstMs)
    const { boundYoungHeap, collectSooner, compileSooner, withSmallYoungHeap } = await import(
      '../platform/config/engine-flags.ts'
    )
    const { assemble } = await withSmallYoungHeap(() => import('./assemble.ts'))
    const { openStore } = await import('./open-store.ts')
    const { openSealedStore } = await import('./open-sealed-store.ts')
    // Outside of withSmallYoungHeap: the store's thread would compile Node's modules again
    // (engine-flags.ts).
    const { store, seals } = await openSealedStore(config, logger, () =>
      openStore(config, logger, signal),
    )
    undo.push(() => store.close())
    const { signInCode, tails } = await withSmallYoungHeap(() =>
      assemble({
        config,
        ownerToken,
        listener,
        logger,
        clock: systemClock,
        env,
        undo,
        store,
        seals,
        expectsCoordinator: kind === 'up' && processes !== undefined,
      }),
    )
    boundYoungHeap()
    collectSooner()
    compileSooner()
    await writeRunFile(data, {
      pid: process.pid,
      url: listener.url,
      startedAt: new Date().toISOString(),
      version,
    })
    undo.push(() => removeRunFile(data, process.pid))
    if (kind === 'server') return { url: listener.url, signInCode, stop, hurry: () => {} }
    let supervisor: CoordinatorSupervisor | undefined
    const starting = superviseCoordinator({ config, logger, umask, store, tails }).then(
      (started) => {
        supervisor = started
      },
      (error: unknown) =>
        logger.error(
          { error: String(error) },
          'coordinator could not be started; agents are not started',
        ),
    )
    undo.push(async () => {
      await starting
      await supervisor?.stop()
    })
    return { url: listener.url, signInCode, stop, hurry: () => supervisor?.kill() }
  } catch (error) {
    await stop()
    throw explain(error, config)
  }
}

async function coordinatorRuns(data: string): Promise<boolean> {
  const { findCoordinator } = await import('../platform/files/coordinator-file.ts')
  return processes !== undefined && (await findCoordinator(data, processes)) !== undefined
}

type SupervisedSettings = Pick<CoordinatorSupervisorOptions, 'config' | 'logger' | 'umask'> & {
  readonly store: Store
  readonly tails: Tails
}

/** Starts the coordinator in the background, so that the server is ready sooner (SP1). */
async function superviseCoordinator({
  store,
  tails,
  ...options
}: SupervisedSettings): Promise<CoordinatorSupervisor | undefined> {
  await pause(answerFirstMs)
  const { CoordinatorSupervisor } = await import('../coordinator/coordinator-supervisor.ts')
  if (!processes) {
    options.logger.warn(
      'agents cannot be run on this system yet; join a coordinator from another machine',
    )
    return undefined
  }
  const prepare = async (): Promise<() => void> => {
    const { maintainCoordinatorToken } = await import('../jobs/coordinator-token.ts')
    return maintainCoordinatorToken({
      store,
      tails,
      data: options.config.data,
      clock: systemClock,
      logger: options.logger,
    })
  }
  const supervisor = new CoordinatorSupervisor({
    ...options,
    source: processes,
    clock: systemClock,
    prepare,
  })
  supervisor.start()
  return supervisor
}

function explain(error: unknown, { host, port }: ConfigValues): unknown {
  const failure = (message: string, next: string): StartFailure =>
    new StartFailure(message, next, { cause: error })
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return failure(
        `Port ${port} on ${host} is in use by another program.`,
        'Stop that program, or choose another port with --port N (0 takes a free one).',
      )
    case 'EACCES':
      return failure(
        `Port ${port} on ${host} may not be opened by this user.`,
        'Choose a port above 1023 with --port N.',
      )
    case 'EADDRNOTAVAIL':
      return failure(`This machine has no address ${host}.`, 'Choose another one with --host.')
    case 'ENOSPC':
      return failure('The disk is full.', 'Free some space, then start again; nothing was lost.')
    default:
      return error
  }
}
