/**
 * The effective configuration (CF1): defaults, then the file, then the environment, then flags; the
 * last one wins, and each value has its origin. Unknown names and invalid values are all reported
 * at once, with suggestions.
 */
import { resolve } from 'node:path'
import {
  type ConfigKey,
  type ConfigValues,
  configKeys,
  configRules,
  environmentName,
  flagName,
} from '../../protocol/config.ts'
import { parseConfigValue } from '../../protocol/config-parsing.ts'
import { defaultDataFolder } from '../files/data-folder.ts'
import { findPackageRoot } from '../files/package-root.ts'
import { StartFailure } from '../processes/start-failure.ts'
import { folderOf, readConfigFile, suggestion } from './config-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>
/** The flags by key; `config` names the file. */
export type ConfigFlags = { readonly [Key in ConfigKey | 'config']?: string | boolean | undefined }

export interface ConfigSources {
  readonly flags: ConfigFlags
  readonly env: Environment
  readonly cwd: string
  /** The folder of the package; found when left out. */
  readonly packageFolder?: string
  /** Whether the log goes to a terminal, which decides its default format. */
  readonly logToTerminal?: boolean
}

export interface LoadedConfig {
  readonly values: ConfigValues
  /** For messages: `default`, the file's path, `HOLDFAST_PORT`, `--port`. */
  readonly origins: Readonly<Record<ConfigKey, string>>
  /** The file that was read, if any. */
  readonly file: string | null
}

export interface CheckedConfig extends LoadedConfig {
  /** One sentence for each problem, with its origin. */
  readonly problems: readonly string[]
}

interface Given {
  readonly key: ConfigKey
  readonly value: unknown
  readonly origin: string
  /** The base of relative paths. */
  readonly folder: string
}

/** Variables that are no configuration values: credentials, and what launched agents are given. */
const otherVariables = /^HOLDFAST_(?:TOKEN|URL|CONFIG|MCP_URL|AGENT_ID|PROJECT_ID|LAUNCH_.*)$/

/** Throws a StartFailure that lists all problems. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { problems, ...config } = checkConfig(sources)
  if (problems.length === 0) return config
  const list =
    problems.length === 1
      ? ` ${problems[0]}`
      : problems.map((problem) => `\n  · ${problem}`).join('')
  const next = '`holdfast doctor` shows every value and where it came from.'
  throw new StartFailure(`The configuration cannot be used:${list}`, next, { exitCode: 2 })
}

/** The same for `doctor`: returns the problems beside the values that apply without them. */
export function checkConfig(sources: ConfigSources): CheckedConfig {
  const { env, cwd, packageFolder = findPackageRoot().folder } = sources
  const problems: string[] = []
  const values = defaults(sources, packageFolder)
  const origins = Object.fromEntries(configKeys.map((key) => [key, 'default'])) as Record<
    ConfigKey,
    string
  >

  const apply = (given: readonly Given[]): void => {
    for (const { key, value, origin, folder } of given) {
      const parsed = parseConfigValue(key, value)
      if ('problem' in parsed) {
        problems.push(`${parsed.problem} (${origin})`)
        continue
      }
      values[key] = inFolder(key, parsed.value, folder)
      origins[key] = origin
    }
  }

  const typed = [...fromEnvironment(env, cwd, problems), ...fromFlags(sources.flags, cwd)]
  const data = typed.findLast(({ key }) => key === 'data')?.value ?? values['data']
  const named = sources.flags.config || env['HOLDFAST_CONFIG']
  const file = readConfigFile({
    named: typeof named === 'string' ? resolve(cwd, named) : undefined,
    data: resolve(cwd, String(data)),
    packageFolder,
  })
  problems.unshift(...file.problems)
  apply(
    file.entries.map(([key, value]) => ({
      key,
      value,
      origin: file.path ?? '',
      folder: folderOf(file),
    })),
  )
  apply(typed)
  return { values: values as ConfigValues, origins, file: file.path, problems }
}

/** Resolves a relative path against the folder in which it was set. */
function inFolder(key: ConfigKey, value: unknown, folder: string): unknown {
  if (configRules[key].kind === 'folders')
    return (value as string[]).map((each) => resolve(folder, each))
  return key === 'data' || key === 'sealing_key_file' ? resolve(folder, String(value)) : value
}

function defaults(
  { env, logToTerminal }: ConfigSources,
  packageFolder: string,
): Record<string, unknown> {
  const values: Record<string, unknown> = Object.fromEntries(
    configKeys.map((key) => [key, configRules[key].fallback]),
  )
  values['data'] = defaultDataFolder({ packageFolder, env })
  values['log.format'] = (logToTerminal ?? process.stderr.isTTY) ? 'text' : 'json'
  return values
}

/** An empty variable counts as unset. */
function fromEnvironment(env: Environment, folder: string, problems: string[]): Given[] {
  const keyOf = new Map(configKeys.map((key) => [environmentName(key), key]))
  const names = [...keyOf.keys(), 'HOLDFAST_TOKEN', 'HOLDFAST_URL', 'HOLDFAST_CONFIG']
  const found: Given[] = []
  // The common name is accepted as well; HOLDFAST_DATABASE_URL wins.
  if (env['DATABASE_URL'])
    found.push({ key: 'database_url', value: env['DATABASE_URL'], origin: 'DATABASE_URL', folder })
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('HOLDFAST_') || !value || otherVariables.test(name)) continue
    const key = keyOf.get(name)
    if (key) found.push({ key, value, origin: name, folder })
    else problems.push(`There is no variable ${name}${suggestion(name, names)}`)
  }
  return found
}

const fromFlags = (flags: ConfigFlags, folder: string): Given[] =>
  configKeys
    .filter((key) => flags[key] !== undefined)
    .map((key) => ({ key, value: flags[key], origin: `--${flagName(key)}`, folder }))
