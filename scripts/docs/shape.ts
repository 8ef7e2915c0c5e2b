/**
 * Says a zod schema the way people write shapes: `{ name: string (1-200), path?: string | null }`.
 */
import * as z from 'zod'

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly default?: unknown
}

export function shapeOf(schema: z.ZodType, io: 'input' | 'output'): string {
  return shape(
    z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      target: 'draft-2020-12',
      reused: 'inline',
    }) as JsonSchema,
    '',
  )
}

function shape(schema: JsonSchema, indent: string): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map((each) => shape(each, indent)))].join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.type))
    return schema.type.map((type) => shape({ ...schema, type }, indent)).join(' | ')
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ')
  switch (schema.type) {
    case 'object':
      return objectShape(schema, indent)
    case 'array':
      return arrayShape(schema, indent)
    case 'string':
      return schema.format === 'date-time'
        ? 'time'
        : `string${range(schema.minLength, schema.maxLength)}`
    case 'integer':
    case 'number':
      return `${schema.type}${range(schema.minimum, schema.maximum)}`
    case undefined:
      return 'anything'
    default:
      return String(schema.type)
  }
}

function objectShape(schema: JsonSchema, indent: string): string {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) {
    const values = schema.additionalProperties
    return typeof values === 'object' ? `{ [name]: ${shape(values, indent)} }` : '{}'
  }
  const inner = `${indent}  `
  const lines = fields.map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : '?'
    const fallback = field.default === undefined ? '' : ` = ${JSON.stringify(field.default)}`
    return `${inner}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${optional}: ${shape(field, inner)}${fallback}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

function arrayShape(schema: JsonSchema, indent: string): string {
  const item = shape(schema.items ?? {}, indent)
  return `${item.includes(' | ') && !item.startsWith('{') ? `(${item})` : item}[]${range(undefined, schema.maxItems)}`
}

/** Limits of safe integers are no limits that anybody chose. */
function range(min: number | undefined, max: number | undefined): string {
  const low = min !== undefined && min > Number.MIN_SAFE_INTEGER ? min : undefined
  const high = max !== undefined && max < Number.MAX_SAFE_INTEGER ? max : undefined
  if (low === undefined && high === undefined) return ''
  if (high === undefined) return ` (from ${low})`
  return low === undefined ? ` (up to ${high})` : ` (${low}-${high})`
}
