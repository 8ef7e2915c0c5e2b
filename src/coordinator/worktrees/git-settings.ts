/**
 * Settings of git as data (SE19): no git of ours runs under the configuration of a repository or a
 * person. What is needed of it, such as line ends, is read, checked, and handed to git one by one.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Git, GitPlace } from './git.ts'

/** By key in lower case, the last value of each. */
export type Settings = ReadonlyMap<string, string>

const personsKeys = '^(user\\.(name|email)|core\\.(excludesfile|autocrlf|eol)|safe\\.directory)$'
const personsMs = 60_000

export interface PersonsSettings {
  readonly settings: Settings
  /** Folders of others that the person trusts; `*`: all. */
  readonly trusted: ReadonlySet<string>
}

/** Where git runs that needs no repository. */
function nowhere(git: Git): GitPlace {
  const dir = join(git.folder, 'none')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return { dir, project: '' }
}

const persons = new WeakMap<
  Git,
  { readonly found: Promise<PersonsSettings>; readonly until: number }
>()

/**
 * The person's own settings and the machine's, with what they include. Kept for a while: asking
 * costs a process.
 */
export function personsSettings(git: Git): Promise<PersonsSettings> {
  const person = persons.get(git)
  if (person && performance.now() < person.until) return person.found
  const found = readPersons(git)
  persons.set(git, { found, until: performance.now() + personsMs })
  found.catch(() => persons.delete(git))
  return found
}

async function readPersons(git: Git): Promise<PersonsSettings> {
  const env = {
    GIT_CONFIG_GLOBAL: undefined,
    GIT_CONFIG_NOSYSTEM: undefined,
    GIT_CONFIG_COUNT: undefined,
  }
  const args = ['config', '--show-scope', '--includes', '--null', '--get-regexp', personsKeys]
  const { stdout } = await git.try(nowhere(git), args, { env })
  const settings = new Map<string, string>()
  let trusted = new Set<string>()
  const words = stdout.split('\0')
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [key = '', value = ''] = splitEntry(words[at + 1] ?? '')
    // An empty one forgets those before it.
    if (key === 'safe.directory') trusted = value === '' ? new Set() : trusted.add(value)
    else settings.set(key, value)
  }
  const excludes = settings.get('core.excludesfile')
  if (excludes?.startsWith('~/') && git.home)
    settings.set('core.excludesfile', join(git.home, excludes.slice(2)))
  return { settings, trusted }
}

/** A key without a value is true. */
const splitEntry = (entry: string): [string, string] => {
  const at = entry.indexOf('\n')
  return at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)]
}

/** The configuration of a repository, given as bytes. What it includes is not followed. */
export async function settingsIn(git: Git, file: Buffer): Promise<Settings> {
  const args = ['config', '--file', '-', '--no-includes', '--null', '--list']
  const listed = await git.run(nowhere(git), args, { input: file })
  return new Map(listed.split('\0').flatMap((entry) => (entry === '' ? [] : [splitEntry(entry)])))
}

const truths = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, 'true'] as const),
  ...['false', 'no', 'off', '0', ''].map((word) => [word, 'false'] as const),
])
export const isTrue = (value: string | undefined): boolean =>
  truths.get(value?.toLowerCase() ?? '') === 'true'

/** What the disk can do, as `git init` found it. */
const abilities = ['core.filemode', 'core.symlinks', 'core.ignorecase', 'core.precomposeunicode']

/**
 * Checked values for git: line ends, what the disk can do, and the person's list of ignored files.
 */
export function checkedSettings(
  repository: Settings,
  { settings: persons }: PersonsSettings,
): Record<string, string> {
  const checked: Record<string, string> = { 'core.safecrlf': 'false' }
  for (const key of abilities) {
    const value = truths.get(repository.get(key)?.toLowerCase() ?? 'unset')
    if (value !== undefined) checked[key] = value
  }
  const either = (key: string): string =>
    (repository.get(key) ?? persons.get(key) ?? '').toLowerCase()
  const crlf = either('core.autocrlf')
  checked['core.autocrlf'] = crlf === 'input' ? crlf : (truths.get(crlf) ?? 'false')
  const eol = either('core.eol')
  if (['lf', 'crlf', 'native'].includes(eol)) checked['core.eol'] = eol
  const excludes = persons.get('core.excludesfile')
  if (excludes) checked['core.excludesFile'] = excludes
  return checked
}
