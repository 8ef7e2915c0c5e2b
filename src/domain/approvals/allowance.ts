/**
 * "Allow always" (AG6, AP4): allowances, and whether a new request is covered. An allowance covers
 * only what it names: commands must match exactly, and paths are compared by segment. Requests that
 * cannot be compared, above all calls without input, go to a person. Pure.
 */
import { type NoticeText, notice } from '../notices.ts'

/**
 * The same request; files below a folder with the same kind of tool; the same kind of tool, if it
 * changes nothing.
 */
export const allowanceScopes = ['request', 'folder', 'tool'] as const
export type AllowanceScope = (typeof allowanceScopes)[number]

/** Active allowances of one agent in one project. More could not be told apart by people. */
export const maxAllowances = 200
export const allowanceMinutes = { min: 1, max: 90 * 24 * 60, default: 8 * 60 } as const

export interface AllowanceRule {
  readonly scope: AllowanceScope
  readonly toolKind: string
  readonly likeness: string | null
  readonly folder: string | null
}

/** A request, as far as allowances compare it. */
export interface AskedCall {
  readonly toolKind: string
  /** The digest of the call; null: it cannot be compared. */
  readonly likeness: string | null
  readonly input: string | null
  readonly locations: readonly { readonly path: string }[]
  readonly content: readonly { readonly type: string; readonly path?: string }[]
  readonly cut: boolean
}

const ofFiles: ReadonlySet<string> = new Set(['read', 'edit', 'delete', 'move', 'search'])
const harmless: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch'])

/** Applies to all files of a call or none: a list at its maximum length may be incomplete. */
const maxCompared = 100

export function covers(rule: AllowanceRule, call: AskedCall): boolean {
  if (rule.toolKind !== call.toolKind || call.input === null) return false
  if (rule.scope === 'request') return rule.likeness !== null && rule.likeness === call.likeness
  const input = inputOf(call)
  if (input === undefined || runsSomething(input)) return false
  if (rule.scope === 'tool') return harmless.has(call.toolKind)
  return rule.folder !== null && ofFiles.has(call.toolKind) && allInside(rule.folder, call, input)
}

/** Why this rule cannot be made from this question; undefined: it can. */
export function refusedRule(rule: AllowanceRule, call: AskedCall): NoticeText | undefined {
  if (call.input === null || (rule.scope === 'request' && call.likeness === null))
    return notice(
      'sameUnknown',
      {},
      'The agent does not say exactly what it would do, so the same request cannot be recognised again',
    )
  if (rule.scope === 'tool' && !harmless.has(call.toolKind))
    return notice('onlyHarmless', {}, 'Only read-only kinds of tools can be always allowed')
  if (rule.scope === 'folder') {
    if (!ofFiles.has(call.toolKind))
      return notice(
        'notAboutFiles',
        {},
        'The request is not about files, so it cannot be allowed for a folder',
      )
    if (rule.folder === null || (segmentsOf(rule.folder)?.length ?? 0) === 0)
      return notice('folderBelowRoot', {}, 'folder must be an absolute path below the root')
  }
  return covers(rule, call)
    ? undefined
    : notice('notCovered', {}, 'It would not cover the current request')
}

/** Scopes that can be chosen for a request, narrowest first. */
export const scopesFor = (call: AskedCall): AllowanceScope[] =>
  allowanceScopes.filter((scope) => {
    const rule = {
      scope,
      toolKind: call.toolKind,
      likeness: call.likeness,
      folder: folderOf(call),
    }
    return refusedRule(rule, call) === undefined
  })

/** The folder of a call's first file, which is offered. */
export function folderOf(call: AskedCall): string | null {
  const path = call.locations[0]?.path ?? call.content.find((each) => each.path !== undefined)?.path
  const end = path?.replaceAll('\\', '/').lastIndexOf('/') ?? -1
  return path !== undefined && end > 0 ? path.slice(0, end) : null
}

/**
 * Keys whose values differ each time: a model's remarks, ids that an agent gives to its requests,
 * times. In small letters.
 */
const remarks: ReadonlySet<string> = new Set([
  'description',
  'explanation',
  'justification',
  'reason',
])
const requestIds: ReadonlySet<string> = new Set(
  [
    'call',
    'toolcall',
    'tooluse',
    'turn',
    'message',
    'request',
    'event',
    'item',
    'approval',
    'submission',
  ].map((of) => `${of}id`),
)
const times: ReadonlySet<string> = new Set(
  ['startedat', 'createdat', 'requestedat', 'timestamp'].flatMap((key) => [key, `${key}ms`]),
)
const isTime = (value: unknown): boolean =>
  typeof value === 'number' || /^\d{4}-\d\d-\d\d[T ][\d:.]{5,}/.test(String(value))

/**
 * Whether a field beside a command is no part of what is done. A value of another form than its key
 * promises is a part.
 */
export function isIncidental(key: string, value: unknown): boolean {
  const name = key.replaceAll(/[_-]/g, '').toLowerCase()
  if (remarks.has(key)) return typeof value === 'string'
  if (times.has(name)) return isTime(value)
  return (
    requestIds.has(name) &&
    (typeof value === 'number' || (typeof value === 'string' && /^[\w:.-]{1,200}$/.test(value)))
  )
}

/**
 * Describes an allowance in lists: the command or whole input, or the files and the kind of tool.
 */
export function ruleTitle(
  { scope, toolKind, folder }: AllowanceRule,
  call: AskedCall & { readonly title: string },
): string {
  if (scope === 'tool') return `${toolKind} *`
  if (scope === 'folder') return `${toolKind} ${folder}/**`
  const { command, ...rest } = inputOf(call) ?? {}
  if (command === undefined) return `${call.title} ${call.input}`
  const other = Object.entries(rest).filter(([key, value]) => !isIncidental(key, value))
  const text = typeof command === 'string' ? command : JSON.stringify(command)
  return other.length === 0 ? text : `${text} ${JSON.stringify(Object.fromEntries(other))}`
}

type Input = Readonly<Record<string, unknown>>

/** Undefined when the input is missing, cut or no object. */
function inputOf({ input, cut, locations, content }: AskedCall): Input | undefined {
  if (input === null || cut || locations.length > maxCompared || content.length > maxCompared)
    return undefined
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Input)
      : undefined
  } catch {
    return undefined
  }
}

/** A "read" tool that is called with a command is not trusted. */
const runsSomething = (input: Input): boolean =>
  Object.keys(input).some((key) => /^(cmd|command|commands|script|shell)$/i.test(key))

const namesPath = /path|file|folder|dir|uri|url|target|source|destination|cwd/i

function allInside(folder: string, { locations, content }: AskedCall, input: Input): boolean {
  const stated = [
    ...locations.map(({ path }) => path),
    ...content.flatMap(({ path }) => (path === undefined ? [] : [path])),
  ]
  if (stated.length === 0) return false
  const meant = Object.entries(input).flatMap(([key, value]) =>
    namesPath.test(key) ? [value].flat() : [],
  )
  return [...stated, ...meant].every(
    (path) => typeof path === 'string' && (isInside(folder, path) || isTailOf(path, stated)),
  )
}

/** A relative path adds nothing when it is the end of a listed absolute one. */
const isTailOf = (path: string, stated: readonly string[]): boolean =>
  segmentsOf(`/${path}`) !== undefined &&
  stated.some((whole) => whole !== path && whole.endsWith(`/${path}`))

const maxPath = 900

function isInside(folder: string, path: string): boolean {
  const inner = segmentsOf(path)
  const outer = segmentsOf(folder)
  if (!inner || !outer || outer.length === 0 || rootOf(path) !== rootOf(folder)) return false
  return outer.length < inner.length && outer.every((segment, index) => segment === inner[index])
}

const rootOf = (path: string): string => /^[A-Za-z]:/.exec(path)?.[0].toUpperCase() ?? '/'

/**
 * Segments of an absolute path; undefined for relative paths, paths with `..`, and ambiguous ones.
 */
function segmentsOf(path: string): string[] | undefined {
  const drive = /^[A-Za-z]:[\\/]/.test(path)
  if (
    path.length > maxPath ||
    (!drive && (!path.startsWith('/') || path.includes('\\'))) ||
    /\p{Cc}/u.test(path)
  )
    return undefined
  const rest = drive ? path.slice(3).replaceAll('\\', '/') : path.slice(1)
  const segments = rest.replace(/\/$/, '').split('/')
  if (rest === '') return []
  return segments.some((segment) => segment === '' || segment === '.' || segment === '..')
    ? undefined
    : segments
}
