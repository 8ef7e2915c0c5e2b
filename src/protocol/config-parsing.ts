/**
 * Parses configuration values (CF1): from a file, a variable or a flag. What is wrong is said with
 * what is nearest. Does not use zod, because every command reads the configuration.
 */
import { nearest } from '../domain/nearest.ts'
import { type ConfigKey, configRules } from './config.ts'

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
  Record<
    | 'text'
    | 'host'
    | 'hosts'
    | 'networks'
    | 'origins'
    | 'database'
    | 'bot-token'
    | 'app-token'
    | 'api-root',
    TextForm
  >
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
  'app-token': {
    isValid: (text) => /^[\w.-]{3,400}$/.test(text.trim()),
    clean: (text) => text.trim(),
    problem: () => 'must be the token as the platform shows it, without anything around it',
  },
  'api-root': {
    isValid: isApiRoot,
    clean: (text) => text.replace(/\/+$/, ''),
    problem: (given) =>
      `must be an address such as https://slack.example.com; it is ${shown(given)}`,
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

/** A path is taken as it is; without one the platform's own is added. */
function isApiRoot(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false
  return !url.username && !url.password && !url.search && !url.hash
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
