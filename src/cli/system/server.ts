/**
 * `holdfast up`, and `holdfast server`: without a coordinator, for machines that run no agents.
 * Their flags are the settings.
 */
import type { ConfigFlags } from '../../platform/config/config.ts'
import { type ConfigKey, configRules } from '../../protocol/config.ts'
import { type CommandOption, command, type Given, type Options, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { serve } from './serve.ts'
import { flagKeys, isSwitch, optionName } from './server-flags.ts'

const serverOptions = (): Options =>
  Object.fromEntries(
    flagKeys.filter((key) => key !== 'data').map((key) => [optionName(key), optionOf(key)]),
  )

function optionOf(key: ConfigKey): CommandOption {
  const about = `${choicesOf(key)}${lowerFirst(configRules[key].about)}${fallbackOf(key)}`
  if (isSwitch(key)) return option.flag(about)
  const offers = allowed(key)
  return option.text(`<${placeholder(key)}>`, about, offers ? { offers } : {})
}

/** Takes the settings from the options of the command and the shared ones. */
function settingsFrom({ shared }: CommandContext, given: Given<Options>): ConfigFlags {
  const { data, config } = shared
  const settings = Object.fromEntries(flagKeys.map((key) => [key, given[optionName(key)]]))
  return { ...settings, data, config }
}

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
  'app-token': 'token',
  'api-root': 'url',
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

export const server = command({
  summary: 'Start the server alone, without agents on this machine',
  options: serverOptions(),
  examples: [
    ['server', 'start on http://127.0.0.1:4747'],
    [
      'server --host 0.0.0.0 --behind-proxy --public-url https://holdfast.example.com',
      'behind a proxy that ends TLS',
    ],
  ],
  local: true,
  run: (context, given) => serve('server', settingsFrom(context, given), context.terminal),
})

/** `holdfast up`: server and coordinator on this machine. The default command. */
export const up = command({
  summary: 'Start Holdfast and print a sign-in link (the default)',
  options: serverOptions(),
  examples: [
    ['up', 'start on http://127.0.0.1:4747'],
    ['up --port 0 --data ./tmp', 'a free port, and a data folder of its own'],
    ['up --log-level debug', 'say more'],
  ],
  local: true,
  run: (context, given) => serve('up', settingsFrom(context, given), context.terminal),
})
