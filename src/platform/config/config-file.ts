/**
 * Finds and reads `holdfast.config.json`. The first of these counts: the file named by --config or
 * HOLDFAST_CONFIG, the data folder, the root of the clone. Never the working directory: a foreign
 * repository must not configure anything because a command was run inside it (SE4).
 */
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nearest } from '../../domain/nearest.ts'
import { type ConfigKey, configKeys } from '../../protocol/config.ts'
import { isClone, mayEnter } from '../files/data-folder.ts'
import { isFields } from '../json.ts'

export const configFileName = 'holdfast.config.json'
const maxBytes = 1024 * 1024

export interface ConfigFile {
  readonly path: string | null
  readonly entries: readonly (readonly [key: ConfigKey, given: unknown])[]
  readonly problems: readonly string[]
}

export interface ConfigFileLocations {
  /** The file that was named explicitly; then no other is read. */
  readonly named: string | undefined
  readonly data: string
  readonly packageFolder: string
}

export function readConfigFile({ named, data, packageFolder }: ConfigFileLocations): ConfigFile {
  const inData = join(data, configFileName)
  const places = named
    ? [named]
    : [inData, ...(isClone(packageFolder) ? [join(packageFolder, configFileName)] : [])]
  for (const path of places) {
    const text = read(path)
    if (text === undefined) continue
    if (typeof text !== 'string') return { path, entries: [], problems: [text.problem] }
    const { entries, problems } = parse(path, text)
    const circular = path === inData && entries.some(([key]) => key === 'data')
    if (!circular) return { path, entries, problems }
    const problem = `data cannot be set in a file inside the data folder; use --data or HOLDFAST_DATA (${path})`
    return {
      path,
      entries: entries.filter(([key]) => key !== 'data'),
      problems: [...problems, problem],
    }
  }
  return {
    path: null,
    entries: [],
    problems: named ? [`There is no file ${named} (--config or HOLDFAST_CONFIG)`] : [],
  }
}

function read(path: string): string | { problem: string } | undefined {
  try {
    if (statSync(path).size > maxBytes)
      return { problem: `${path} is larger than ${maxBytes} bytes` }
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The folder may be another user's; using it later reports that it is not accessible.
    if (code === 'ENOENT' || code === 'ENOTDIR' || !mayEnter(dirname(path))) return undefined
    return { problem: `${path} cannot be read (${code})` }
  }
}

function parse(
  path: string,
  text: string,
): { entries: [ConfigKey, unknown][]; problems: string[] } {
  let whole: unknown
  try {
    whole = JSON.parse(text)
  } catch (error) {
    return { entries: [], problems: [`${path} is not JSON: ${(error as Error).message}`] }
  }
  if (!isFields(whole))
    return { entries: [], problems: [`${path} must hold an object: { "port": 4747 }`] }
  const entries: [ConfigKey, unknown][] = []
  const problems: string[] = []
  const seen = new Set<string>()
  for (const [name, given] of flatten(whole)) {
    if (name === '$schema') continue
    if (seen.has(name)) problems.push(`${name} is set twice (${path})`)
    seen.add(name)
    const key = configKeys.find((each) => each === name)
    if (key) entries.push([key, given])
    else problems.push(`There is no setting ${name}${suggestion(name, configKeys)} (${path})`)
  }
  return { entries, problems }
}

/** `{"log": {"level": "debug"}}` and `{"log.level": "debug"}` mean the same. */
function flatten(whole: Record<string, unknown>): [name: string, given: unknown][] {
  return Object.entries(whole).flatMap(([name, given]): [string, unknown][] =>
    isFields(given)
      ? Object.entries(given).map(([inner, value]) => [`${name}.${inner}`, value])
      : [[name, given]],
  )
}

export const suggestion = (typed: string, words: readonly string[]): string => {
  const close = nearest(typed, words)
  return close ? `; did you mean ${close}?` : ''
}

export const folderOf = (file: ConfigFile): string => (file.path ? dirname(file.path) : '.')
