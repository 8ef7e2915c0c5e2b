/** The flags of `up` and `server` as the parser and --help show them; --data and --config are on every command. */
import { type ConfigKey, configRules, flagName } from '../protocol/config.ts'
import type { CommandOption } from './command.ts'
import { flagKeys, isSwitch } from './server-flags.ts'

export const serverOptions = (): CommandOption[] =>
  flagKeys
    .filter((key) => key !== 'data')
    .map((key) => ({
      flags: isSwitch(key) ? `--${flagName(key)}` : `--${flagName(key)} <${placeholder(key)}>`,
      about: `${lowerFirst(configRules[key].about)}${fallbackOf(key)}`,
    }))

function placeholder(key: ConfigKey): string {
  const rule = configRules[key]
  if (rule.kind === 'choice') return rule.allowed.join('|')
  return rule.kind === 'number' || rule.kind === 'number-or-off' ? 'number' : rule.kind === 'address' ? 'url' : 'text'
}

function fallbackOf(key: ConfigKey): string {
  const { fallback, kind } = configRules[key]
  return fallback === null || kind === 'switch' ? '' : ` (${fallback})`
}

/** Not for JSON and other words in capitals. */
const lowerFirst = (text: string): string => (/^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)
