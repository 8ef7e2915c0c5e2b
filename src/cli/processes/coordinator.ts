/**
 * `holdfast coordinator`: runs agents on this machine for a local or remote server (CO1). Uses a
 * coordinator's token, never the owner's, and never as an argument, which other users could read.
 */
import { resolve } from 'node:path'
import { maxLabels } from '../../domain/processes/lifecycle.ts'
import { labelForm } from '../../domain/projects/settings.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { readSecret } from '../../platform/files/secret-files.ts'
import { logLevels } from '../../platform/log/logger.ts'
import { tokenFromEnvironment } from '../../platform/secrets/owner-token.ts'
import { command, option } from '../command.ts'
import { serverAddress, tokenIn } from '../connect.ts'
import { refused, usage } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

function labelsIn(labels: readonly string[] = []): readonly string[] {
  const wrong = labels.find((label) => !labelForm.test(label))
  if (wrong !== undefined)
    throw usage(
      `--label ${wrong} is no label.`,
      'Use small letters, digits, . _ and -, such as --label gpu.',
    )
  if (labels.length > maxLabels)
    throw usage(`A machine has at most ${maxLabels} labels.`, 'Leave some out.')
  return labels
}

/**
 * Returns a function that reads the file each time, because the token may be replaced while the
 * coordinator runs.
 */
async function tokenFor(
  terminal: Terminal,
  file: string | undefined,
  data: string,
): Promise<() => Promise<string>> {
  const given = file === undefined ? tokenFromEnvironment(terminal.env) : undefined
  if (given !== undefined) return async () => given
  if (file === '-') {
    const typed = await tokenIn(terminal, file)
    return async () => typed
  }
  return () => (file === undefined ? keptToken(data) : tokenIn(terminal, file))
}

async function keptToken(data: string): Promise<string> {
  const token = (await readSecret(data, 'coordinator-token'))?.text
  if (token) return token
  throw refused(
    `There is no token for a coordinator in ${data}.`,
    'Make one with `token create --kind coordinator` on the server, and use --token-file FILE or HOLDFAST_TOKEN.',
  )
}

const about = `${logLevels.join('|')}: what is written to the log (info)`
const logLevel = option.text('<word>', about, { offers: logLevels })

export const coordinator = command({
  summary: 'Run agents on this machine for a server elsewhere; `up` does it by itself',
  options: {
    label: option.list('<word>', 'what this machine is like; agents and projects may ask for it'),
    capacity: option.wholeNumber(
      '<number>',
      'agent processes at once on this machine, rather than what the server says',
      9999,
    ),
    logLevel,
    logFile: option.text('<file>', 'write the log there, rather than to standard error'),
  },
  examples: [
    [
      'coordinator --server https://holdfast.example.com --token-file token.txt',
      'join this machine; make the token with `token create --kind coordinator`',
    ],
    [
      'coordinator --server https://holdfast.example.com --token-file token.txt --label gpu --capacity 8',
      'a machine with a label, and a limit of its own',
    ],
    ['coordinator', 'for a server of this data folder that was started with `server`'],
  ],
  async run(context, given) {
    context.end()
    const { terminal } = context
    const { env, cwd, stderr } = terminal
    const flags = {
      data: context.shared.data,
      config: context.shared.config,
      'log.level': given.logLevel,
    }
    const { values: config } = loadConfig({ flags, env, cwd, logToTerminal: stderr.isTTY === true })
    const named = context.shared.server
    const server = named ?? (env['HOLDFAST_URL'] || undefined)
    const token = await tokenFor(terminal, context.shared.tokenFile, config.data)
    // Reports a wrong setting now instead of in the log.
    await token()
    const logTo = given.logFile
    const { runCoordinator } = await import('../../compose/run-coordinator.ts')
    await runCoordinator({
      config,
      server: server && serverAddress(server, named ? '--server' : 'HOLDFAST_URL'),
      token,
      labels: labelsIn(given.label),
      capacity: given.capacity,
      logTo: logTo && resolve(cwd, logTo),
    })
  },
})
