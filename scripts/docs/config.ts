/**
 * docs/reference/config.md and the schema for editors: the configuration of a server and the
 * settings of a project.
 */
import { settingRules } from '../../src/domain/projects/settings.ts'
import { configKeys, configRules, environmentName, flagName } from '../../src/protocol/config.ts'
import { configJsonSchema } from '../../src/protocol/config-schema.ts'
import { code, page, table } from './markdown.ts'

interface Rule {
  readonly kind: string
  readonly fallback: unknown
  readonly min?: number
  readonly max?: number
  readonly allowed?: readonly string[]
  readonly whole?: true
  readonly secret?: true
}

function allowed(rule: Rule): string {
  if (rule.allowed) return rule.allowed.map(code).join(', ')
  const number = `${rule.whole || rule.kind !== 'number' ? 'whole ' : ''}number from ${rule.min} to ${rule.max}`
  const words: Record<string, string> = {
    number,
    'number-or-off': `${number}, or ${code('off')}`,
    switch: '`true`, `false`',
    timezone: 'an IANA time zone',
    address: 'an address: scheme, host, port',
    host: 'an address or host name',
    hosts: 'addresses with a port, comma-separated',
    database: '`postgres://…`',
    folders: 'folders',
    'bot-token': '`123456:ABC…`',
    'app-token': 'a token',
    'api-root': 'an address',
  }
  return words[rule.kind] ?? 'text'
}

const fallbackOf = ({ fallback }: Rule): string =>
  fallback === null ? '—' : code(String(fallback))

export function configPage(): string {
  const values = configKeys.map((key) => {
    const rule: Rule & { about: string } = configRules[key]
    const given = [code(environmentName(key)), ...(rule.secret ? [] : [code(`--${flagName(key)}`)])]
    return [
      code(key),
      rule.about,
      allowed({ ...rule, ...(rule.kind === 'number' ? { whole: true } : {}) }),
      fallbackOf(rule),
      given.join(', '),
    ]
  })
  const settings = Object.entries<Rule>(settingRules).map(([key, rule]) => [
    code(key),
    allowed(rule),
    fallbackOf(rule),
  ])
  return page(
    '# Configuration',
    [
      'Holdfast works with none. Values come from `holdfast.config.json`, then the environment, then flags; later wins.',
      '`holdfast doctor` prints each value and where it came from. Unknown names and bad values are refused, with the nearest valid one.',
      'Name the schema in the file and an editor completes it: `{"$schema": "…/docs/reference/holdfast.config.schema.json"}`.',
    ].join('\n'),
    '## Server',
    table(['key', 'what it is', 'allowed', 'default', 'also as'], values),
    '## Project settings',
    [
      'Set with `PATCH /api/projects/{projectId} {"settings": {"<key>": <value>}}` or on the page; `null` takes one back to its default.',
      '`chat.hard_timeout_minutes` must not be below `chat.soft_timeout_minutes`.',
    ].join('\n'),
    table(['key', 'allowed', 'default'], settings),
  )
}

export const configSchemaFile = (): string => `${JSON.stringify(configJsonSchema(), null, 2)}\n`
