/**
 * All configuration values (CF1): name, type, default and meaning. The file's JSON schema, the
 * environment variables and the flags are derived from this table. Keys are snake_case, with a dot
 * behind the group. Does not use zod, because every command reads the configuration and must start
 * fast.
 */
import { nearest } from '../domain/nearest.ts'

/** Texts of several forms; a list is comma-separated. */
type TextKind =
  | 'text'
  | 'address'
  | 'timezone'
  | 'host'
  | 'hosts'
  | 'networks'
  | 'origins'
  | 'database'
  | 'bot-token'

const text = <const Kind extends TextKind, const Fallback extends string | null>(
  kind: Kind,
  fallback: Fallback,
  about: string,
) => ({ kind, fallback, about })

/** Contains a password: never a flag, which other users could read, and masked when printed. */
const secret = <const Kind extends TextKind>(kind: Kind, about: string) => ({
  ...text(kind, null, about),
  secret: true as const,
})

const whole = (fallback: number, min: number, max: number, about: string) =>
  ({ kind: 'number', fallback, min, max, about }) as const

/** The fallback null is `off`. */
const wholeOrOff = (fallback: number | null, min: number, max: number, about: string) =>
  ({ kind: 'number-or-off', fallback, min, max, about }) as const

const choice = <const Word extends string, const Fallback extends string | null>(
  allowed: readonly Word[],
  fallback: Fallback,
  about: string,
) => ({ kind: 'choice', fallback, allowed, about }) as const

const toggle = (fallback: boolean, about: string) => ({ kind: 'switch', fallback, about }) as const

/** Absolute paths. Several in one text are separated as in PATH. */
const folders = (about: string) => ({ kind: 'folders', fallback: null, about }) as const

export const configRules = {
  host: text('host', '127.0.0.1', 'Address to listen on; anything but loopback needs behind_proxy'),
  port: whole(4747, 0, 65_535, 'Port to listen on; 0 takes a free one'),
  data: text('text', null, 'Folder that holds all data'),
  public_url: text(
    'address',
    null,
    'The address other devices use, such as https://holdfast.example.com',
  ),
  behind_proxy: toggle(false, 'A proxy in front ends TLS, so a non-loopback host is accepted'),
  trusted_proxies: text(
    'networks',
    null,
    'Addresses and networks of trusted proxies, comma-separated, whose X-Forwarded-For ' +
      'is used, such as 127.0.0.1,10.0.0.0/8; none when left out',
  ),
  allowed_origins: text(
    'origins',
    null,
    'Other origins that may send requests to this server, comma-separated, such as ' +
      'https://panel.example.com; none when left out',
  ),
  'sign_in.idle_days': whole(30, 1, 365, 'After how many days without use a browser is signed out'),
  'sign_in.most_days': whole(90, 1, 365, 'After how many days a browser is signed out in any case'),
  database_url: secret('database', 'postgres://…; SQLite in the data folder when left out'),
  sealing_key_file: text(
    'text',
    null,
    'File with the key that seals the keys of agents, the same on every node; ' +
      'secrets/sealing-key in the data folder when left out',
  ),
  drain_seconds: whole(
    1,
    0,
    4,
    'With database_url: how long a stopping node still answers, so that load balancers ' +
      'can take it out first',
  ),
  'metrics.hosts': text(
    'hosts',
    null,
    'Further addresses of this node that serve /metrics, with port, comma-separated, ' +
      'such as 10.0.0.11:4747',
  ),
  'log.level': choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Least severe level that is logged',
  ),
  'log.format': choice(
    ['json', 'text'],
    null,
    'Format of the log; text on a terminal when left out, otherwise json',
  ),
  'cutover.hour': wholeOrOff(
    4,
    0,
    23,
    'Hour at which chapters are closed and a new day begins; off: never',
  ),
  'cutover.timezone': text(
    'timezone',
    'Asia/Tokyo',
    'Time zone of that hour: an IANA name, or local for that of this machine',
  ),
  'coordinator.max_concurrent': whole(64, 1, 10_000, 'Agent processes at once on one machine'),
  'coordinator.unreachable_seconds': whole(
    30,
    5,
    300,
    'Silence after which a coordinator is shown as unreachable',
  ),
  'coordinator.takeover_minutes': wholeOrOff(
    null,
    1,
    10_080,
    'Silence after which the work of a coordinator is taken over automatically; off: ' + 'never',
  ),
  'coordinator.alone_minutes': whole(
    30,
    1,
    1440,
    'How long a coordinator continues without a server',
  ),
  'sandbox.max_processes': whole(
    4096,
    16,
    1_000_000,
    'Limit of processes and threads in the sandbox of one agent',
  ),
  'sandbox.max_memory_mb': whole(
    16_384,
    64,
    16_777_216,
    'Memory limit of the sandbox of one agent; at most four fifths of the machine’s ' + 'memory',
  ),
  'sandbox.max_file_mb': whole(
    8192,
    1,
    16_777_216,
    'Size limit of a single file that a sandboxed agent writes',
  ),
  'sandbox.max_tmp_mb': whole(
    4096,
    1,
    16_777_216,
    'Size limit of each temporary folder of a sandbox, held in memory',
  ),
  'sandbox.max_workplace_mb': whole(
    32_768,
    1,
    16_777_216,
    'How much one process of a sandboxed agent may add to its workplace',
  ),
  'projects.roots': folders(
    'Folders that projects may be in, separated by colons (semicolons on Windows); ' +
      'anywhere when left out',
  ),
  'telegram.token': secret('bot-token', 'Token of a bot, from @BotFather: connects Telegram'),
  'telegram.api_root': text(
    'address',
    null,
    'Address of your own Bot API server; Telegram’s when left out',
  ),
}

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
        : Rule extends {
              kind: 'choice'
              allowed: readonly (infer Word)[]
              fallback: infer Fallback
            }
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

export const environmentName = (key: ConfigKey): string =>
  `HOLDFAST_${key.replaceAll('.', '_').toUpperCase()}`
export const flagName = (key: ConfigKey): string => key.replaceAll(/[._]/g, '-')

/**
 * Parses a value, or says what is wrong and what is nearest. Flags and variables are text
 * (`'8080'`, `'true'`).
 */
export function parseConfigValue(key: ConfigKey, given: unknown): Parsed<unknown> {
  const rule = configRules[key]
  switch (rule.kind) {
    case 'number':
      return parseNumber(key, rule, given)
    case 'number-or-off':
      return given === 'off' || given === null || given === false
        ? { value: null }
        : parseNumber(key, rule, given)
    case 'switch':
      return parseSwitch(key, given)
    case 'choice':
      return (rule.allowed as readonly unknown[]).includes(given)
        ? { value: given }
        : { problem: notAllowed(key, given, rule.allowed) }
    case 'timezone':
      return isTimezone(given)
        ? { value: given }
        : { problem: notAllowed(key, given, Intl.supportedValuesOf('timeZone')) }
    case 'address':
      return parseAddress(key, given)
    case 'folders':
      return parseFolders(key, given)
    default: {
      const { isValid, clean = (text: string) => text, problem } = textForms[rule.kind]
      return typeof given === 'string' && isValid(given)
        ? { value: clean(given) }
        : { problem: `${key} ${problem(given)}` }
    }
  }
}

interface TextForm {
  readonly isValid: (text: string) => boolean
  readonly clean?: (text: string) => string
  /** A database's address and a token are never shown. */
  readonly problem: (given: unknown) => string
}

/** The entries of a list with commas between. */
export const listed = (text: string | null): string[] =>
  (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)

function isNetwork(given: string): boolean {
  const { address = '', bits } =
    /^(?<address>[\d.]{7,15}|[\da-f:.]{2,45})(?:\/(?<bits>\d{1,3}))?$/i.exec(given)?.groups ?? {}
  const isOld =
    /^\d{1,3}(\.\d{1,3}){3}$/.test(address) &&
    address.split('.').every((each) => Number(each) < 256)
  return (isOld || URL.canParse(`http://[${address}]`)) && Number(bits ?? 0) <= (isOld ? 32 : 128)
}

/** As browsers send it. */
function originIn(given: string): string | undefined {
  const url = URL.parse(given)
  const isWhole =
    url?.pathname === '/' &&
    !url.search &&
    !url.hash &&
    !url.username &&
    !url.password &&
    !given.endsWith('/')
  return isWhole && ['http:', 'https:'].includes(url.protocol) ? url.origin : undefined
}

const isText = (text: string): boolean =>
  text.trim() !== '' && !text.includes('\0') && text.length <= 4096

const textForms: Readonly<
  Record<'text' | 'host' | 'hosts' | 'networks' | 'origins' | 'database' | 'bot-token', TextForm>
> = {
  text: { isValid: isText, problem: () => 'must be text of 1 to 4096 characters' },
  host: {
    isValid: (text) => /^[\w.:-]{1,255}$/.test(text),
    problem: (given) => `must be an address or host name, such as 127.0.0.1; it is ${shown(given)}`,
  },
  hosts: {
    isValid: (text) =>
      text.length <= 4096 && text.split(',').every((each) => isHostWithPort(each.trim())),
    clean: (text) => text.toLowerCase().replaceAll(' ', ''),
    problem: (given) =>
      `must be addresses with a port, such as 10.0.0.11:4747,[fd00::11]:4747; it is ${shown(given)}`,
  },
  networks: {
    isValid: (text) => text.length <= 4096 && listed(text).every(isNetwork),
    clean: (text) => listed(text).join(','),
    problem: (given) =>
      `must be addresses or networks, such as 127.0.0.1,10.0.0.0/8; it is ${shown(given)}`,
  },
  origins: {
    isValid: (text) =>
      text.length <= 4096 && listed(text).every((each) => originIn(each) !== undefined),
    clean: (text) => listed(text).map(originIn).join(','),
    problem: (given) =>
      `must be origins, such as https://panel.example.com, with nothing after the host; it is ${shown(given)}`,
  },
  database: {
    isValid: (text) => /^postgres(?:ql)?:\/\/\S+$/.test(text),
    problem: () => 'must begin with postgres://',
  },
  'bot-token': {
    isValid: (text) => /^\d{1,20}:[\w-]{10,200}$/.test(text.trim()),
    clean: (text) => text.trim(),
    problem: () => 'must look like 123456:ABC…, as @BotFather gives it',
  },
}

type Parsed<Value> = { readonly value: Value } | { readonly problem: string }
type Range = { readonly min: number; readonly max: number }

function parseNumber(key: ConfigKey, { min, max }: Range, given: unknown): Parsed<number> {
  const number =
    typeof given === 'string' && /^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : given
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max)
    return { value: number }
  const close =
    typeof number === 'number' && !Number.isNaN(number)
      ? Math.min(max, Math.max(min, Math.round(number)))
      : undefined
  const hint = close === undefined ? '' : `; the nearest is ${close}`
  return {
    problem: `${key} must be a whole number from ${min} to ${max}; it is ${shown(given)}${hint}`,
  }
}

function parseSwitch(key: ConfigKey, given: unknown): Parsed<boolean> {
  if (given === true || given === 'true' || given === '1') return { value: true }
  if (given === false || given === 'false' || given === '0') return { value: false }
  return { problem: notAllowed(key, given, ['true', 'false']) }
}

/** A list, or one text with separators. The colon of a drive letter does not separate. */
function parseFolders(key: ConfigKey, given: unknown): Parsed<string[]> {
  const list: unknown[] =
    typeof given === 'string'
      ? given.split(given.includes(';') ? ';' : /(?<!^[a-z]|:[a-z]):/i)
      : [given].flat()
  const isFolder = (each: unknown): each is string => typeof each === 'string' && isText(each)
  return list.length > 0 && list.length <= maxFolders && list.every(isFolder)
    ? { value: list.map((each) => each.trim()) }
    : { problem: `${key} must be 1 to ${maxFolders} folders; it is ${shown(given)}` }
}

const maxFolders = 100

/** An origin as browsers send it: nothing may follow the host. */
function parseAddress(key: ConfigKey, given: unknown): Parsed<string> {
  const url = typeof given === 'string' ? URL.parse(given) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return {
      problem: `${key} must be an address such as https://holdfast.example.com; it is ${shown(given)}`,
    }
  }
  if (url.username || url.password || url.pathname !== '/' || url.search || url.hash) {
    return { problem: `${key} must have nothing after the host; the nearest is ${url.origin}` }
  }
  return { value: url.origin }
}

const isHostWithPort = (given: string): boolean =>
  /^(?:[\w.-]{1,255}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/i.test(given)

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
