/** `--set chat.soft_timeout_minutes=0.5` and `--unset chat.soft_timeout_minutes`, as the change they mean. The server knows the ranges. */
import type { CommandOption, Given } from './command.ts'
import { usage } from './failure.ts'

export const settingOptions: readonly CommandOption[] = [
  { flags: '--set <key=value>', about: 'change a setting', many: true },
  { flags: '--unset <key>', about: 'take a setting back to its default', many: true },
]

export function settingChange(given: Given): Record<string, number | string | null> | undefined {
  const change: Record<string, number | string | null> = {}
  for (const text of given.list('set')) {
    const at = text.indexOf('=')
    if (at < 1 || at === text.length - 1)
      throw usage(`--set ${text} has no value.`, 'Write --set KEY=VALUE; --unset KEY takes it back to its default.')
    const value = text.slice(at + 1)
    change[text.slice(0, at)] = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : value
  }
  for (const key of given.list('unset')) change[key] = null
  return Object.keys(change).length > 0 ? change : undefined
}
