/**
 * Flags of `up` and `server`: every configuration value without a secret. Parsed with Node's own
 * parser; anything else is left to the command-line parser, which reports errors.
 */
import { parseArgs } from 'node:util'
import type { ConfigFlags } from '../../platform/config/config.ts'
import { type ConfigKey, configKeys, configRules, flagName } from '../../protocol/config.ts'

export const flagKeys = configKeys.filter((key) => !('secret' in configRules[key]))
/** Name of its option: `public-url` is `publicUrl`. */
export const optionName = (key: ConfigKey): string =>
  flagName(key).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

export const isSwitch = (key: ConfigKey): boolean => configRules[key].kind === 'switch'

/**
 * Returns undefined when the arguments are not plainly a start of the server. `up` is the default
 * command.
 */
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
    const settings = Object.fromEntries(flagKeys.map((key) => [key, values[flagName(key)]]))
    return {
      kind: first === 'server' ? 'server' : 'up',
      flags: { ...settings, config: values['config'] as string | undefined },
    }
  } catch {
    return undefined
  }
}
