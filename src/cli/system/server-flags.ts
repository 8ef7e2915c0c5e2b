/**
 * Flags of `up` and `server`: every configuration value without a secret. Parsed with Node's own parser; anything else is left
 * to the command-line parser, which reports errors.
 */
import { parseArgs } from 'node:util'
import type { ConfigFlags } from '../../platform/config/config.ts'
import { type ConfigKey, configKeys, configRules, flagName } from '../../protocol/config.ts'
import type { Given } from '../command.ts'

export const flagKeys = configKeys.filter((key) => !('secret' in configRules[key]))
export const isSwitch = (key: ConfigKey): boolean => configRules[key].kind === 'switch'

/** Returns undefined when the arguments are not plainly a start of the server. `up` is the default command. */
export function parseServerFlags(
  argv: readonly string[],
): { kind: 'up' | 'server'; flags: ConfigFlags } | undefined {
  const [first = 'up'] = argv
  const named = first === 'up' || first === 'server'
  if (!named && !first.startsWith('--')) return undefined
  const options = Object.fromEntries([
    ...flagKeys.map((key) => [flagName(key), { type: isSwitch(key) ? 'boolean' : 'string' }]),
    ['config', { type: 'string' }],
  ]) as Record<string, { type: 'string' | 'boolean' }>
  try {
    const { values } = parseArgs({
      args: named ? argv.slice(1) : [...argv],
      options,
      strict: true,
      allowPositionals: false,
    })
    return {
      kind: first === 'server' ? 'server' : 'up',
      flags: byKey((name) => values[name] as string | boolean | undefined),
    }
  } catch {
    return undefined
  }
}

export const flagsOf = (given: Given): ConfigFlags => byKey((name) => given.raw(name))

const byKey = (read: (name: string) => string | boolean | undefined): ConfigFlags => ({
  ...Object.fromEntries(flagKeys.map((key) => [key, read(flagName(key))])),
  config: read('config'),
})
