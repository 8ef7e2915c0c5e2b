/** Whether the credential works, and each agent's program is there to be started. Looks for files; starts nothing. */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import { ownProgram } from '../../domain/agent/own-program.ts'
import type { Environment } from '../terminal.ts'
import { bad, type Check, good } from './check.ts'

export async function checkCredential(client: Client): Promise<Check> {
  try {
    const me = await client.get('/api/me')
    return good('Credential', `${me.name}${me.role ? ` (${me.role})` : ''}`)
  } catch (error) {
    const next = error instanceof ProblemError ? error.problem.next : 'Try again.'
    return bad('Credential', error instanceof Error ? error.message : String(error), next)
  }
}

export async function checkAgents(client: Client, env: Environment): Promise<Check[]> {
  const checks: Check[] = []
  for await (const agent of client.pages('/api/agents', { query: { limit: 200 } })) {
    const name = `Agent ${agent.id}`
    if (!agent.command) checks.push(good(name, 'started by others'))
    else if (agent.command === ownProgram) checks.push(good(name, `${ownProgram} ${agent.args.join(' ')}`))
    else if (await findProgram(agent.command, env)) checks.push(good(name, agent.command))
    else
      checks.push(
        bad(
          name,
          `${agent.command} is not on this machine`,
          `Install it, or change it: holdfast agents edit ${agent.id} -- COMMAND`,
        ),
      )
  }
  return checks
}

/** The way the system finds a program: as a path, or in the folders of PATH. */
async function findProgram(command: string, env: Environment): Promise<string | undefined> {
  const extensions = process.platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD').split(';')] : ['']
  const folders = isAbsolute(command) || command.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  for (const folder of folders) {
    for (const extension of extensions) {
      const file = folder ? join(folder, command + extension) : command + extension
      if (await isProgram(file)) return file
    }
  }
  return undefined
}

const isProgram = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
