/**
 * All configuration values (CF1): name, type, default and meaning. The file's JSON schema, the environment variables and the
 * flags are derived from this table. Keys are snake_case, with a dot behind the group. Does not use zod, because every command reads the configuration and must start fast.
 */
import { nearest } from '../domain/nearest.ts'

interface Shared {
  readonly about: string
  /** Contains a password: never a flag, which other users could read, and masked when printed. */
  readonly secret?: true
}
interface TextRule extends Shared {
  readonly kind: 'text' | 'address' | 'timezone' | 'host' | 'hosts' | 'database' | 'bot-token'
  readonly fallback: string | null
}
interface NumberRule extends Shared {
  readonly kind: 'number'
  readonly fallback: number
  readonly min: number
  readonly max: number
}
/** A number, or `off`. */
interface OptionalNumberRule extends Shared {
  readonly kind: 'number-or-off'
  readonly fallback: number | null
  readonly min: number
  readonly max: number
}
interface ChoiceRule extends Shared {
  readonly kind: 'choice'
  readonly fallback: string | null
  readonly allowed: readonly string[]
}
interface SwitchRule extends Shared {
  readonly kind: 'switch'
  readonly fallback: boolean
}
/** Absolute paths. Several in one text are separated as in PATH. */
interface FoldersRule extends Shared {
  readonly kind: 'folders'
  readonly fallback: null
}
type ConfigRule = FoldersRule | TextRule | NumberRule | OptionalNumberRule | ChoiceRule | SwitchRule

export const configRules = {
  host: { kind: 'host', fallback: '127.0.0.1', about: 'Address to listen on; anything but loopback needs behind_proxy' },
  port: { kind: 'number', fallback: 4747, min: 0, max: 65_535, about: 'Port to listen on; 0 takes a free one' },
  data: { kind: 'text', fallback: null, about: 'Folder everything is kept in' },
  public_url: { kind: 'address', fallback: null, about: 'The address other devices use, such as https://holdfast.example.com' },
  behind_proxy: { kind: 'switch', fallback: false, about: 'A proxy in front ends TLS, so a non-loopback host is accepted' },
  database_url: {
    kind: 'database',
    fallback: null,
    secret: true,
    about: 'postgres://…; SQLite in the data folder when left out',
  },
  sealing_key_file: {
    kind: 'text',
    fallback: null,
    about:
      'File with the key that agents’ keys are sealed with, the same on every node; secrets/sealing-key in the data folder when left out',
  },
  drain_seconds: {
    kind: 'number',
    fallback: 1,
    min: 0,
    max: 4,
    about: 'With database_url: how long a node that is stopped still answers, so that balancers turn away from it first',
  },
  'metrics.hosts': {
    kind: 'hosts',
    fallback: null,
    about: 'Addresses of this node, with port and comma-separated, under which /metrics answers too, such as 10.0.0.11:4747',
  },
  'log.level': {
    kind: 'choice',
    fallback: 'info',
    allowed: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    about: 'What is written to the log',
  },
  'log.format': {
    kind: 'choice',
    fallback: null,
    allowed: ['json', 'text'],
    about: 'Form of the log; text on a terminal when left out, otherwise json',
  },
  'cutover.hour': {
    kind: 'number-or-off',
    fallback: 4,
    min: 0,
    max: 23,
    about: 'Hour at which a new day of conversation begins; off: days are not closed',
  },
  'cutover.timezone': {
    kind: 'timezone',
    fallback: 'Asia/Tokyo',
    about: 'Time zone of that hour: an IANA name, or local for that of this machine',
  },
  'coordinator.max_concurrent': {
    kind: 'number',
    fallback: 64,
    min: 1,
    max: 10_000,
    about: 'Agent processes at once on one machine',
  },
  'coordinator.unreachable_seconds': {
    kind: 'number',
    fallback: 30,
    min: 5,
    max: 300,
    about: 'Silence after which a coordinator is shown as unreachable',
  },
  'coordinator.takeover_minutes': {
    kind: 'number-or-off',
    fallback: null,
    min: 1,
    max: 10_080,
    about: 'Silence after which the work of a coordinator is taken over without asking; off: never',
  },
  'coordinator.alone_minutes': {
    kind: 'number',
    fallback: 30,
    min: 1,
    max: 1440,
    about: 'How long a coordinator works on without a server',
  },
  'projects.roots': {
    kind: 'folders',
    fallback: null,
    about: 'Folders that projects may be in, with colons between (semicolons on Windows); anywhere when left out',
  },
  'telegram.token': {
    kind: 'bot-token',
    fallback: null,
    secret: true,
    about: 'Token of a bot, from @BotFather: connects Telegram; without one nothing of it is even loaded',
  },
  'telegram.api_root': {
    kind: 'address',
    fallback: null,
    about: 'Address of a Bot API server of your own; that of Telegram when left out',
  },
} as const satisfies Record<string, ConfigRule>

export type ConfigKey = keyof typeof configRules
export const configKeys = Object.keys(configRules) as ConfigKey[]

type ValueOf<Rule> = Rule extends { kind: 'number' }
  ? number
  : Rule extends { kind: 'number-or-off' }
    ? number | null
    : Rule extends { kind: 'folders' }
      ? readonly string[] | null
      : Rule extends { kind: 'switch' }
        ? boolean
        : Rule extends { kind: 'choice'; allowed: readonly (infer Word)[]; fallback: infer Fallback }
          ? Word | (Fallback extends null ? null : never)
          : Rule extends { fallback: null }
            ? string | null
            : string

/** The effective values, after the folder and the terminal were considered. */
export type ConfigValues = {
  readonly [Key in ConfigKey]: Key extends 'data' | 'log.format'
    ? NonNullable<ValueOf<(typeof configRules)[Key]>>
    : ValueOf<(typeof configRules)[Key]>
}

export const environmentName = (key: ConfigKey): string => `HOLDFAST_${key.replaceAll('.', '_').toUpperCase()}`
export const flagName = (key: ConfigKey): string => key.replaceAll(/[._]/g, '-')

/**
 * Parses a value, or says what is wrong with it and suggests the nearest valid one. Flags and variables are text (`'8080'`,
 * `'true'`).
 */
export function parseConfigValue(key: ConfigKey, given: unknown): { value: unknown } | { problem: string } {
  const rule: ConfigRule = configRules[key]
  switch (rule.kind) {
    case 'number':
      return parseNumber(key, rule, given)
    case 'number-or-off':
      return given === 'off' || given === null || given === false ? { value: null } : parseNumber(key, rule, given)
    case 'switch':
      return parseSwitch(key, given)
    case 'choice':
      return rule.allowed.includes(given as string) ? { value: given } : { problem: notAllowed(key, given, rule.allowed) }
    case 'timezone':
      return isTimezone(given) ? { value: given } : { problem: notAllowed(key, given, Intl.supportedValuesOf('timeZone')) }
    case 'address':
      return parseAddress(key, given)
    case 'host':
      return typeof given === 'string' && /^[\w.:-]{1,255}$/.test(given)
        ? { value: given }
        : { problem: `${key} must be an address or host name, such as 127.0.0.1; it is ${shown(given)}` }
    case 'hosts':
      return typeof given === 'string' && given.length <= 4096 && given.split(',').every((each) => isHostWithPort(each.trim()))
        ? { value: given.toLowerCase().replaceAll(' ', '') }
        : { problem: `${key} must be addresses with a port, such as 10.0.0.11:4747,[fd00::11]:4747; it is ${shown(given)}` }
    case 'database':
      // Never shown, because it contains a password.
      return typeof given === 'string' && /^postgres(?:ql)?:\/\/\S+$/.test(given)
        ? { value: given }
        : { problem: `${key} must begin with postgres://` }
    case 'bot-token':
      // Never shown.
      return typeof given === 'string' && /^\d{1,20}:[\w-]{10,200}$/.test(given.trim())
        ? { value: given.trim() }
        : { problem: `${key} must look like 123456:ABC…, as @BotFather gives it` }
    case 'folders':
      return parseFolders(key, given)
    case 'text':
      return typeof given === 'string' && given.trim() !== '' && !given.includes('\0') && given.length <= 4096
        ? { value: given }
        : { problem: `${key} must be text of 1 to 4096 characters` }
  }
}

function parseNumber(
  key: ConfigKey,
  { min, max }: NumberRule | OptionalNumberRule,
  given: unknown,
): { value: number } | { problem: string } {
  const number = typeof given === 'string' && /^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : given
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return { value: number }
  const close = typeof number === 'number' && !Number.isNaN(number) ? Math.min(max, Math.max(min, Math.round(number))) : undefined
  const hint = close === undefined ? '' : `; the nearest is ${close}`
  return { problem: `${key} must be a whole number from ${min} to ${max}; it is ${shown(given)}${hint}` }
}

function parseSwitch(key: ConfigKey, given: unknown): { value: boolean } | { problem: string } {
  if (given === true || given === 'true' || given === '1') return { value: true }
  if (given === false || given === 'false' || given === '0') return { value: false }
  return { problem: notAllowed(key, given, ['true', 'false']) }
}

/** A list, or one text with separators. The colon of a drive letter does not separate. */
function parseFolders(key: ConfigKey, given: unknown): { value: string[] } | { problem: string } {
  const list: unknown[] =
    typeof given === 'string' ? given.split(given.includes(';') ? ';' : /(?<!^[a-z]|:[a-z]):/i) : [given].flat()
  const isFolder = (each: unknown): each is string =>
    typeof each === 'string' && each.trim() !== '' && !each.includes('\0') && each.length <= 4096
  return list.length > 0 && list.length <= maxFolders && list.every(isFolder)
    ? { value: list.map((each) => each.trim()) }
    : { problem: `${key} must be 1 to ${maxFolders} folders; it is ${shown(given)}` }
}

const maxFolders = 100

/** An origin as browsers send it: nothing may follow the host. */
function parseAddress(key: ConfigKey, given: unknown): { value: string } | { problem: string } {
  const url = typeof given === 'string' ? URL.parse(given) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return { problem: `${key} must be an address such as https://holdfast.example.com; it is ${shown(given)}` }
  }
  if (url.username || url.password || url.pathname !== '/' || url.search || url.hash) {
    return { problem: `${key} must have nothing after the host; the nearest is ${url.origin}` }
  }
  return { value: url.origin }
}

const isHostWithPort = (given: string): boolean => /^(?:[\w.-]{1,255}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/i.test(given)

/** The machine's time zone. */
export const localZone = 'local'

export function isTimezone(given: unknown): boolean {
  if (given === localZone) return true
  if (typeof given !== 'string' || !/^[A-Za-z]/.test(given)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: given })
    return true
  } catch {
    return false
  }
}

function notAllowed(key: ConfigKey, given: unknown, allowed: readonly string[]): string {
  const close = typeof given === 'string' ? nearest(given, allowed) : undefined
  if (close) return `${key} cannot be ${shown(given)}; did you mean ${close}?`
  const some = allowed.length <= 10 ? allowed.join(', ') : `${allowed.slice(0, 3).join(', ')} …`
  return `${key} must be one of ${some}; it is ${shown(given)}`
}

const shown = (given: unknown): string => (JSON.stringify(given) ?? String(given)).slice(0, 80)
