/**
 * What a request for leave is about (UI25), read from the call itself: an agent's title may say
 * anything. What is found here chooses the words around a request and their order; it decides
 * nothing. Pure.
 */
import { isIncidental } from './allowance-scopes.ts'

/** A request, as far as it says what would be done. */
export interface WantedCall {
  readonly title: string
  readonly toolKind: string
  readonly input: string | null
  readonly command?: string | undefined
  readonly locations: readonly { readonly path: string }[]
  readonly content: readonly {
    readonly type: string
    readonly path?: string
    readonly oldText?: string | null
  }[]
}

/** `run`: what stands in `about` is a command. `other`: it is the agent's title. */
export interface Wanted {
  readonly what: (typeof wantedKinds)[number]
  readonly about: string
  /** How many files besides the one in `about`. */
  readonly more: number
}

export const wantedKinds = [
  'run',
  'edit',
  'create',
  'delete',
  'move',
  'read',
  'search',
  'fetch',
  'host',
  'folder',
  'plan',
  'other',
] as const

type Input = Readonly<Record<string, unknown>>

export function wantedOf(call: WantedCall): Wanted {
  const input = inputOf(call)
  const ours = askedByServer(call.title, input)
  if (ours) return ours
  const command = commandOf(call, input)
  const diffs = call.content.filter(({ type }) => type === 'diff')
  // A command is never shown as something milder.
  if (command !== undefined && (call.toolKind === 'execute' || diffs.length === 0))
    return { what: 'run', about: command, more: 0 }
  const paths = pathsOf(call, input)
  const [path] = paths
  const about = { about: path ?? '', more: Math.max(0, paths.length - 1) }
  switch (call.toolKind) {
    case 'edit':
      if (path === undefined) break
      return diffs.length > 0 && diffs.every(({ oldText }) => oldText === null)
        ? { what: 'create', ...about }
        : { what: 'edit', ...about }
    case 'delete':
    case 'move':
    case 'read':
      if (path !== undefined) return { what: call.toolKind, ...about }
      break
    case 'search':
    case 'fetch': {
      const sought = textIn(input, call.toolKind === 'fetch' ? ['url'] : ['pattern', 'query'])
      if (sought !== undefined) return { what: call.toolKind, about: sought, more: 0 }
      break
    }
    case 'switch_mode':
      if (textIn(input, ['plan']) !== undefined || call.content.some(({ type }) => type === 'text'))
        return { what: 'plan', about: '', more: 0 }
  }
  return { what: 'other', about: call.title, more: 0 }
}

/** Why the agent wants it, in its own words. */
export function reasonOf(call: WantedCall): string | undefined {
  const remark = textIn(inputOf(call), ['description', 'explanation', 'justification', 'reason'])
  if (remark !== undefined) return remark
  const { what, about } = wantedOf(call)
  const title = call.title.trim()
  const isSaid = what === 'other' || what === 'host' || what === 'folder' || title === ''
  // “Edit src/a.ts” says no more than the path of the whole.
  const namesIt = title.split(/\s+/).some((word) => word.includes('.') && about.endsWith(word))
  return isSaid || namesIt || sameWords(title, about) || title.includes(about) ? undefined : title
}

const sameWords = (one: string, other: string): boolean =>
  one.replaceAll(/[\s`]+/g, ' ').trim() === other.replaceAll(/[\s`]+/g, ' ').trim()

/**
 * What makes one look twice: a name that looks like a file with secrets, or something that is gone
 * afterwards. Nothing found is no promise.
 */
export function cautionOf(call: WantedCall): 'secrets' | 'deletes' | undefined {
  const input = inputOf(call)
  const wanted = wantedOf(call)
  const command = wanted.what === 'run' ? wanted.about : ''
  const named = [
    ...pathsOf(call, input),
    ...(wanted.what === 'folder' ? [wanted.about] : []),
    ...command.split(/[\s'"`=;|&<>()]+/),
  ]
  if (named.some(looksSecret)) return 'secrets'
  return call.toolKind === 'delete' || deletingCommands.some((form) => form.test(command))
    ? 'deletes'
    : undefined
}

const secretSegments = [
  /^\.env(\..+)?$/,
  /^\.(netrc|npmrc|pypirc|pgpass|git-credentials|ssh|aws|gnupg|kube)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)$/,
  /\.(pem|key|p12|pfx|kdbx|keystore|jks)$/,
  /^(credentials?|secrets?|tokens?|passwords?)(\.(json|ya?ml|toml|ini|txt|env))?$/,
]
const samples = /\.(example|sample|template|dist|pub)$/

const looksSecret = (path: string): boolean =>
  !samples.test(path) &&
  path
    .toLowerCase()
    .split(/[\\/]/)
    .some((segment) => secretSegments.some((form) => form.test(segment)))

const deletingCommands = [
  /(^|[\s;&|(`'"/])(rm|rmdir|shred|unlink|remove-item)\s/i,
  /\bgit\s+(clean\b|reset\s+--hard\b|branch\s+-D\b|stash\s+(drop|clear)\b|worktree\s+remove\b)/,
  /\bgit\s+push\s.*(--force\b|--force-with-lease\b|--delete\b|\s-f\b)/,
  /\s-delete\b/,
  /\b(drop|truncate)\s+(table|database|schema)\b/i,
]

/** What else it is called with: never left out, because a person decides by it (AP4). */
export function restOf(call: WantedCall): readonly (readonly [string, unknown])[] | undefined {
  const input = inputOf(call)
  const isCommand = (key: string): boolean => key === 'command' || key === 'cmd'
  return (
    input &&
    Object.entries(input).filter(
      ([key, value]) => !isCommand(key) && !isIncidental(key, value) && value !== null,
    )
  )
}

/** Hosts and folders that a sandbox keeps shut are asked about by the server (SB7, SB9). */
function askedByServer(title: string, input: Input | undefined): Wanted | undefined {
  const [, verb, what = ''] = /^(Reach|Read) (.+) from the sandbox$/s.exec(title) ?? []
  const { host, folder } = input ?? {}
  if (verb === 'Reach' && typeof host === 'string' && what.startsWith(host))
    return { what: 'host', about: what, more: 0 }
  if (verb === 'Read' && folder === what) return { what: 'folder', about: what, more: 0 }
}

function inputOf({ input }: WantedCall): Input | undefined {
  try {
    const value: unknown = JSON.parse(input ?? '')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Input)
      : undefined
  } catch {
    return undefined
  }
}

function commandOf({ command }: WantedCall, input: Input | undefined): string | undefined {
  const given = input?.['command'] ?? input?.['cmd'] ?? command
  if (Array.isArray(given) && given.every((word) => typeof word === 'string'))
    return given.join(' ')
  return typeof given === 'string' && given.trim() !== '' ? given : undefined
}

function pathsOf({ locations, content }: WantedCall, input: Input | undefined): string[] {
  const changed = content.flatMap(({ type, path }) =>
    type === 'diff' && path !== undefined ? [path] : [],
  )
  const stated = changed.length > 0 ? changed : locations.map(({ path }) => path)
  const meant = textIn(input, ['file_path', 'filePath', 'path', 'abs_path'])
  const all = stated.length > 0 || meant === undefined ? stated : [meant]
  return [...new Set(all)]
}

/** The first of the fields that is a text. */
function textIn(input: Input | undefined, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = input?.[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
}
