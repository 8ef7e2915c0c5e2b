/** The JSON schema of `holdfast.config.json`, for editors (CF1). Made from the table in config.ts; docs/reference keeps the result. */
import { type ConfigKey, configKeys, configRules } from './config.ts'

type JsonSchema = Record<string, unknown>

export function configJsonSchema(): JsonSchema {
  const properties: Record<string, JsonSchema> = { $schema: { type: 'string', description: 'Where this schema lies' } }
  for (const key of configKeys) {
    const schema = schemaOf(key)
    properties[key] = schema
    const [group, name] = key.split('.')
    if (group && name) nest(properties, group, name, schema)
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'holdfast.config.json',
    description:
      'Configuration of Holdfast. Every value may be left out. Grouped values may be written "log.level": … or "log": {"level": …}.',
    type: 'object',
    additionalProperties: false,
    properties,
  }
}

function nest(properties: Record<string, JsonSchema>, group: string, name: string, schema: JsonSchema): void {
  const whole = properties[group] ?? { type: 'object', additionalProperties: false, properties: {} }
  properties[group] = { ...whole, properties: { ...(whole['properties'] as JsonSchema), [name]: schema } }
}

function schemaOf(key: ConfigKey): JsonSchema {
  const rule = configRules[key]
  const shared = { description: rule.about, ...(rule.fallback === null ? {} : { default: rule.fallback }) }
  switch (rule.kind) {
    case 'number':
      return { ...shared, type: 'integer', minimum: rule.min, maximum: rule.max }
    case 'number-or-off':
      return { ...shared, anyOf: [{ type: 'integer', minimum: rule.min, maximum: rule.max }, { const: 'off' }] }
    case 'switch':
      return { ...shared, type: 'boolean' }
    case 'choice':
      return { ...shared, type: 'string', enum: rule.allowed }
    case 'address':
      return { ...shared, type: 'string', format: 'uri' }
    case 'database':
      return { ...shared, type: 'string', pattern: '^postgres(?:ql)?://' }
    case 'bot-token':
      return { ...shared, type: 'string', pattern: '^\\d+:[\\w-]+$' }
    case 'folders':
      return { ...shared, type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 }
    case 'host':
    case 'hosts':
    case 'text':
    case 'timezone':
      return { ...shared, type: 'string', minLength: 1 }
  }
}
