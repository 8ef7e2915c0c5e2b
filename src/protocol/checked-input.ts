/** Checks input against a schema. Problems name the field. */
import type * as z from 'zod'
import { Refusal } from '../domain/errors.ts'
import { type Detail, inField, type Notice } from '../domain/notices.ts'

/** `inside` names the file or message it came in. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  inside?: string,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.map(String).join('.') ?? ''
  const why = issue ? detailOf(issue, value) : 'is not valid'
  const detail = [field, inside].reduce<Detail>(
    (detail, name) => (name ? inField(name, detail) : detail),
    why,
  )
  throw new Refusal('invalid_request', detail, field ? { field } : {})
}

/** The words of the schema or its library, with the notice of what the issue itself says. */
function detailOf(issue: z.core.$ZodIssue, value: unknown): Detail {
  const [code, params] = noticeIn(issue, value) ?? []
  if (code) return { text: issue.message, notice: { code, params: params ?? {} } }
  const refined =
    issue.code === 'custom' ? (issue.params?.['notice'] as Notice | undefined) : undefined
  return refined ? { text: issue.message, notice: refined } : issue.message
}

const units: Readonly<Record<string, string>> = {
  string: 'Characters',
  array: 'Items',
  set: 'Items',
}

function noticeIn(issue: z.core.$ZodIssue, value: unknown): [string, Notice['params']] | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(value, issue.path) === undefined ? ['isMissing', {}] : ['otherType', {}]
    case 'too_small': {
      const unit = units[issue.origin]
      return [unit ? `tooFew${unit}` : 'tooSmall', { least: Number(issue.minimum) }]
    }
    case 'too_big': {
      const unit = units[issue.origin]
      return [unit ? `tooMany${unit}` : 'tooBig', { most: Number(issue.maximum) }]
    }
    case 'invalid_value':
      return [
        'noSuchChoice',
        { allowed: issue.values.map((each) => JSON.stringify(each)).join('|') },
      ]
    case 'unrecognized_keys':
      return ['unknownFields', { keys: issue.keys.map((each) => JSON.stringify(each)).join(', ') }]
    case 'invalid_format':
      return issue.format === 'regex'
        ? ['otherForm', { pattern: String(issue.pattern) }]
        : [issue.format === 'datetime' ? 'noTime' : 'invalidInput', {}]
    case 'invalid_union':
      return ['invalidInput', {}]
    default:
      return undefined
  }
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (within, key) => (within as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  )
