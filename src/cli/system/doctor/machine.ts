/** What the machine must have: Node and git. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bad, type Check, good, warning } from './check.ts'

const oldestNode = 24
const gitTimeoutMs = 5_000

export function checkNode(version: string = process.versions.node): Check {
  const major = Number(version.split('.')[0])
  return major >= oldestNode
    ? good('Node', version)
    : bad('Node', `${version} is too old`, `Install Node ${oldestNode} or later; in a clone \`npm start\` brings its own.`)
}

/** Checkpoints and worktrees need it; the server itself does not. */
export async function checkGit(env: NodeJS.ProcessEnv): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: gitTimeoutMs, env })
    return good('git', stdout.trim().replace(/^git version /, ''))
  } catch {
    return warning('git', 'cannot be run', 'Install git: agents work in git worktrees.')
  }
}
