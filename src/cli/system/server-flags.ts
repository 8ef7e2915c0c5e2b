/**
 * The flags of `up` and `server`: every configuration value that holds no secret. Reads them with what Node has built in; whatever it
 * does not understand is left to the parser, which says what is wrong.
 */
import { parseArgs } from 'node:util'
import type { ConfigFlags } from '../../platform/config.ts'
import { type ConfigKey, configKeys, configRules, flagName } from '../../protocol/config.ts'
import type { Given } from '../command.ts'

export const flagKeys = configKeys.filter((key) => !('secret' in configRules[key]))
export const isSwitch = (key: ConfigKey): boolean => configRules[key].kind === 'switch'

/** Undefined when it is not plainly a start of the server. `up` is meant when no command is named. */
export function parseServerFlags(argv: readonly string[]): { kind: 'up' | 'server'; flags: ConfigFlags } | undefined {
  const [first = 'up'] = argv
  const named = first === 'up' || first === 'server'
  if (!named && !first.startsWith('--')) return undefined
  const options = Object.fromEntries([
    ...flagKeys.map((key) => [flagName(key), { type: isSwitch(key) ? 'boolean' : 'string' }]),
    ['config', { type: 'string' }],
  ]) as Record<string, { type: 'string' | 'boolean' }>
  try {
    const { values } = parseArgs({ args: named ? argv.slice(1) : [...argv], options, strict: true, allowPositionals: false })
    return { kind: first === 'server' ? 'server' : 'up', flags: byKey((name) => values[name] as string | boolean | undefined) }
  } catch {
    return undefined
  }
}

export const flagsOf = (given: Given): ConfigFlags => byKey((name) => given.raw(name))

const byKey = (read: (name: string) => string | boolean | undefined): ConfigFlags => ({
  ...Object.fromEntries(flagKeys.map((key) => [key, read(flagName(key))])),
  config: read('config'),
})
