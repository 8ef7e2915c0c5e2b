/**
 * The composition root: the only place that builds concrete things and puts them together. The order is the promise: the
 * folder is ours before anything in it is opened, the port answers before anything that can wait begins, and a stop undoes
 * it all backwards.
 */
import { join } from 'node:path'
import { ownerId } from '../domain/credential/who.ts'
import { Mirror } from '../mirror/mirror.ts'
import { projectFolder } from '../mirror/project-folder.ts'
import { systemClock } from '../platform/clock.ts'
import { prepareDataFolder } from '../platform/data-folder.ts'
import { lockDataFolder } from '../platform/data-lock.ts'
import { createLogger } from '../platform/logger.ts'
import { loadOwnerToken } from '../platform/owner-token.ts'
import { findPackageRoot } from '../platform/package-root.ts'
import { removeRunFile, writeRunFile } from '../platform/run-file.ts'
import { hashSecret } from '../platform/secrets.ts'
import { StartFailure } from '../platform/start-failure.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { createSignInCode } from '../services/create-sign-in-code.ts'
import { firstStart } from './first-start.ts'
import { openStore } from './open-store.ts'
import { startSweeper } from './sweeper.ts'

export interface RunningHoldfast {
  readonly url: string
  /** A one-time code for the owner; made when asked for. */
  signInCode(): Promise<string>
  stop(): Promise<void>
}

export async function startServer(config: ConfigValues, env: NodeJS.ProcessEnv): Promise<RunningHoldfast> {
  const logger = createLogger({ level: config['log.level'], format: config['log.format'], colours: process.stderr.isTTY })
  const { data } = config
  const clock = systemClock
  const undo: (() => void | Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  // CF2: whatever we or SQLite create in the folder is its owner's alone.
  process.umask(0o077)
  try {
    await prepareDataFolder(data, (message) => logger.warn(message))
    const lock = lockDataFolder(data)
    undo.push(() => lock.release())
    const ownerToken = await loadOwnerToken(data, env)
    // The writer's thread opens the database while this one loads the doors.
    const opening = openStore(data)
    opening.catch(() => {})
    const { createServer } = await import('../server/server.ts')
    const store = await opening
    undo.push(() => store.close())
    const mirror = new Mirror({ store, clock, logger, folder: data, folders: [projectFolder] })
    undo.push(() => mirror.stop())

    const { folder, version } = findPackageRoot()
    const server = await createServer({
      store,
      clock,
      logger,
      ownerTokenHash: hashSecret(ownerToken),
      listen: { host: config.host, port: config.port },
      publicUrl: config.public_url,
      behindProxy: config.behind_proxy,
      pageFolder: join(folder, 'dist', 'web'),
      version,
    })
    await server.listen()
    undo.push(() => server.close())
    await writeRunFile(data, { pid: process.pid, url: server.url, startedAt: new Date().toISOString(), version })
    undo.push(() => removeRunFile(data, process.pid))

    undo.push(startSweeper(store, clock, logger))
    firstStart(store, data, logger)
      .catch((error) => logger.error({ error: String(error) }, 'the demo project could not be made'))
      .then(() => mirror.start())
    return {
      url: server.url,
      signInCode: async () => (await store.run(createSignInCode, { by: ownerId })).code,
      stop,
    }
  } catch (error) {
    await stop()
    throw explain(error, config)
  }
}

function explain(error: unknown, { host, port }: ConfigValues): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartFailure(`Port ${port} on ${host} is in use by another program.`, 'Stop that program, or choose another port with --port N (0 takes a free one).', { cause: error })
    case 'EACCES':
      return new StartFailure(`Port ${port} on ${host} may not be opened by this user.`, 'Choose a port above 1023 with --port N.', { cause: error })
    case 'EADDRNOTAVAIL':
      return new StartFailure(`This machine has no address ${host}.`, 'Choose another one with --host.', { cause: error })
    case 'ENOSPC':
      return new StartFailure('The disk is full.', 'Free some space, then start again; nothing was lost.', { cause: error })
    default:
      return error
  }
}
