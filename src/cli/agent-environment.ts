/**
 * The variables an agent is to get. Their values are often keys, so they are never taken from the command line, where every user of the
 * machine can read them: they come from this environment, from a file, or from standard input.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import type { Given } from './command.ts'
import { usage } from './failure.ts'
import type { Terminal } from './terminal.ts'

export async function environmentToHandOver(terminal: Terminal, given: Given): Promise<Record<string, string> | undefined> {
  const env: Record<string, string> = {}
  const file = given.text('env-file')
  if (file !== undefined) Object.assign(env, parseEnv(await contentOf(terminal, file)))
  // Node itself reads what stands behind --env-file unless it is told where its own options end, as the scripts of a clone tell it.
  for (const name of given.list('env')) {
    if (name === '-') {
      Object.assign(env, parseEnv(await readAll(terminal.stdin)))
      continue
    }
    const at = name.indexOf('=')
    if (at >= 0) {
      const bare = name.slice(0, at)
      throw usage(
        `--env takes a name, not a value: others on this machine could read it.`,
        `Run \`export ${bare}=…\` and use --env ${bare}, or --env-file.`,
      )
    }
    const value = terminal.env[name]
    if (value === undefined)
      throw usage(`The variable ${name} is not set here.`, `Run \`export ${name}=…\` first, or use --env-file.`)
    env[name] = value
  }
  return Object.keys(env).length > 0 ? env : undefined
}

async function contentOf(terminal: Terminal, file: string): Promise<string> {
  if (file === '-') return readAll(terminal.stdin)
  const path = resolve(terminal.cwd, file)
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usage(`${path} cannot be read (${error.code}).`, 'Name a file with NAME=value lines.')
  })
}
