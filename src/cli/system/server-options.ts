/** Flags of `up` and `server` for the parser and --help; --data and --config are on every command. */
import { type ConfigKey, configRules, flagName } from '../../protocol/config.ts'
import type { CommandOption } from '../command.ts'
import { flagKeys, isSwitch } from './server-flags.ts'

export const serverOptions = (): CommandOption[] =>
  flagKeys
    .filter((key) => key !== 'data')
    .map((key) => ({
      flags: isSwitch(key) ? `--${flagName(key)}` : `--${flagName(key)} <${placeholder(key)}>`,
      about: `${choicesOf(key)}${lowerFirst(configRules[key].about)}${fallbackOf(key)}`,
      ...(allowed(key) ? { offers: allowed(key) } : {}),
    }))

const placeholders = {
  number: 'n',
  'number-or-off': 'n|off',
  address: 'url',
  host: 'host',
  hosts: 'hosts',
  timezone: 'zone',
  choice: 'word',
  text: 'text',
  folders: 'folders',
  database: 'url',
  'bot-token': 'token',
  switch: '',
} as const

const placeholder = (key: ConfigKey): string => placeholders[configRules[key].kind]

/** Values offered in the help; the configuration itself validates them. */
function allowed(key: ConfigKey): readonly string[] | undefined {
  const rule = configRules[key]
  return rule.kind === 'choice' ? rule.allowed : undefined
}

const choicesOf = (key: ConfigKey): string => (allowed(key) ? `${allowed(key)?.join('|')}: ` : '')

function fallbackOf(key: ConfigKey): string {
  const { fallback, kind } = configRules[key]
  return fallback === null || kind === 'switch' ? '' : ` (${fallback})`
}

/** Lowers the first letter, except in words in capitals such as JSON. */
const lowerFirst = (text: string): string => (/^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)
