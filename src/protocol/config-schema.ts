/**
 * The JSON schema of `holdfast.config.json`, for editors (CF1). Made from the table in config.ts;
 * docs/reference keeps the result.
 */
import { type ConfigKey, configKeys, configRules } from './config.ts'

type JsonSchema = Record<string, unknown>

export function configJsonSchema(): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    $schema: { type: 'string', description: 'Where this schema lies' },
  }
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

function nest(
  properties: Record<string, JsonSchema>,
  group: string,
  name: string,
  schema: JsonSchema,
): void {
  const whole = properties[group] ?? { type: 'object', additionalProperties: false, properties: {} }
  properties[group] = {
    ...whole,
    properties: { ...(whole['properties'] as JsonSchema), [name]: schema },
  }
}

const plainText = { type: 'string', minLength: 1 }

/** What the kind alone says. */
const schemas: Readonly<Record<string, JsonSchema>> = {
  switch: { type: 'boolean' },
  choice: { type: 'string' },
  address: { type: 'string', format: 'uri' },
  database: { type: 'string', pattern: '^postgres(?:ql)?://' },
  'bot-token': { type: 'string', pattern: '^\\d+:[\\w-]+$' },
  'app-token': { type: 'string', pattern: '^[\\w.-]+$' },
  'api-root': { type: 'string', format: 'uri' },
  folders: { type: 'array', items: plainText, minItems: 1 },
}

function schemaOf(key: ConfigKey): JsonSchema {
  const rule = configRules[key]
  const shared = {
    description: rule.about,
    ...(rule.fallback === null ? {} : { default: rule.fallback }),
  }
  const range = 'min' in rule && { type: 'integer', minimum: rule.min, maximum: rule.max }
  if (range)
    return rule.kind === 'number'
      ? { ...shared, ...range }
      : { ...shared, anyOf: [range, { const: 'off' }] }
  return {
    ...shared,
    ...(schemas[rule.kind] ?? plainText),
    ...('allowed' in rule && { enum: rule.allowed }),
  }
}
