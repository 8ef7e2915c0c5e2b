/** `holdfast up`, and `holdfast server`: without a coordinator, for machines that run no agents. Their flags are the settings. */
import { type ConfigKey, configRules, flagName } from '../../protocol/config.ts'
import { type CommandOption, localCommand } from '../command.ts'
import { serve } from './serve.ts'
import { flagKeys, flagsOf, isSwitch } from './server-flags.ts'

const serverOptions = (): CommandOption[] =>
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
  networks: 'addresses',
  origins: 'origins',
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
const lowerFirst = (text: string): string =>
  /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

export const server = localCommand(
  (context) => serve('server', flagsOf(context), context.terminal),
  ...serverOptions(),
)`
  Start the server alone, without agents on this machine
  $ server  start on http://127.0.0.1:4747
  $ server --host 0.0.0.0 --behind-proxy --public-url https://holdfast.example.com  behind a proxy that ends TLS`

/** `holdfast up`: server and coordinator on this machine. The default command. */
export const up = localCommand(
  (context) => serve('up', flagsOf(context), context.terminal),
  ...serverOptions(),
)`
  Start Holdfast and print a sign-in link (the default)
  $ up  start on http://127.0.0.1:4747
  $ up --port 0 --data ./tmp  a free port, and a data folder of its own
  $ up --log-level debug  say more`
