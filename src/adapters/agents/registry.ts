/**
 * Agents that only the registry names (its snapshot is `registry.json`, written by
 * `scripts/refresh-agents.ts`): how each is installed, and how one that is installed is started.
 * They speak ACP; nothing else is known of them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import type { DetectedAgents } from '../../protocol/agents/detected-agent.ts'
import { holdSeconds, type KnownAgent } from '../../protocol/agents/known-agent.ts'
import { agentFolder, markIn, programFolder } from './agent-folders.ts'
import snapshot from './registry.json' with { type: 'json' }
import { packageName, RegistryAgent } from './registry-form.ts'

export const registryAgents: readonly RegistryAgent[] = RegistryAgent.array().parse(snapshot)

const platforms: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' }
const systems: Readonly<Record<string, string>> = { win32: 'windows' }
const thisPlatform = [
  systems[process.platform] ?? process.platform,
  platforms[process.arch] ?? process.arch,
].join('-')

/** By npm, or by hand from its maker's address; undefined: there is none for this machine. */
export function installOf({ npm, archives }: RegistryAgent): KnownAgent['install'] | undefined {
  if (npm) return { npm: [npm.package] }
  const archive = archives[thisPlatform]
  return archive === undefined ? undefined : { command: `curl -LO ${archive}` }
}

/** The program of an installed package, as the package itself names it. */
export function programOfPackage(folder: string, given: string): string | undefined {
  const name = packageName(given)
  try {
    const file = join(folder, 'node_modules', name, 'package.json')
    const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin?: unknown }
    const names = typeof bin === 'object' && bin !== null ? Object.keys(bin) : []
    const own = basename(name)
    const program = names.length === 0 || names.includes(own) ? own : names[0]
    // A name with a path in it would lead elsewhere.
    return program !== undefined && basename(program) === program ? program : undefined
  } catch {
    return undefined
  }
}

/** Those that Holdfast has installed, and how each is added. */
export function installedFromRegistry(
  data: string,
  path: string | undefined,
): DetectedAgents['items'] {
  return registryAgents.flatMap(({ id, name, npm }) => {
    const folder = agentFolder(data, id)
    const program = npm && markIn(folder) && programOfPackage(folder, npm.package)
    const file = program && join(programFolder(folder), program)
    if (!file || !existsSync(file)) return []
    const env = { ...npm.env, PATH: [dirname(file), path ?? ''].join(delimiter) }
    const draft = { id, name, command: file, args: npm.args, env, holdSeconds }
    return {
      id,
      agent: id,
      name,
      file,
      version: versionIn(folder, npm.package),
      triedWith: null,
      draft: { ...draft, protocol: 'acp' as const },
      signedIn: null,
      signIn: file,
      keys: [],
      signsIn: null,
    }
  })
}

function versionIn(folder: string, given: string): string | null {
  try {
    const file = join(folder, 'node_modules', packageName(given), 'package.json')
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }
    return typeof version === 'string' ? version.slice(0, 40) : null
  } catch {
    return null
  }
}
