/**
 * Starts the server for an editor that finds none (EC11): `up`, which outlives the editor. Two at
 * once are no harm: the data folder has one server, and the other one ends.
 */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { runFolder } from '../../platform/files/data-folder.ts'
import { type Clock, pause } from '../../platform/time/clock.ts'
import type { Connection } from '../connect.ts'
import { CommandFailure } from '../failure.ts'
import type { Environment } from '../terminal.ts'

/** A server that takes longer is found later, or never. */
const startWithinMs = 15_000
const lookEveryMs = 100

interface Background {
  readonly data: string
  /** The file of the configuration, where one was named. */
  readonly config: string | undefined
  readonly env: Environment
  readonly clock: Clock
  readonly note: (words: string) => void
  /** Throws while there is no server. */
  readonly find: () => Promise<Connection>
}

export async function startInBackground(options: Background): Promise<Connection> {
  const { data, config, env, clock, note, find } = options
  const log = join(runFolder(data), 'up.log')
  mkdirSync(runFolder(data), { recursive: true, mode: 0o700 })
  const file = openSync(log, 'a', 0o600)
  // The credential of a person is no owner's token.
  const { HOLDFAST_TOKEN: _, ...others } = env
  const main = process.argv[1] ?? ''
  const args = [main, 'up', '--data', data, ...(config === undefined ? [] : ['--config', config])]
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    detached: true,
    env: others,
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  let problem: string | undefined
  child.once('error', (error) => {
    problem = error.message
  })
  child.unref()
  note(`No server was running on ${data}; one is started, its output is in ${log}.`)
  const lateAt = clock.now() + startWithinMs
  for (;;) {
    try {
      return await find()
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    if (problem !== undefined || clock.now() > lateAt)
      throw new CommandFailure(
        'unreachable',
        `The server could not be started${problem === undefined ? '' : `: ${problem}`}.`,
        `See ${log}, or start it yourself with \`holdfast up\`.`,
      )
    await pause(clock, lookEveryMs)
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof CommandFailure && error.exit === 'unreachable'
