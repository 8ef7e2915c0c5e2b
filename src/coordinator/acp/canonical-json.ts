/** Serializes a value with sorted keys, so that equal values have equal digests (AP4). Pure. */
import { createHash } from 'node:crypto'
import { fieldsOf } from './read-fields.ts'

/** Values nested deeper can be neither shown nor compared. */
const maxDepth = 64

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Undefined when the value is nested too deep. */
export function canonicalJson(value: unknown, depth = 0): string | undefined {
  if (depth > maxDepth) return undefined
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const parts: string[] = []
  const fields = fieldsOf(value)
  const entries = Array.isArray(value)
    ? value.map((each) => ['', each] as const)
    : Object.keys(fields)
        .sort()
        .filter((key) => fields[key] !== undefined)
        .map((key) => [`${JSON.stringify(key)}:`, fields[key]] as const)
  for (const [key, each] of entries) {
    const part = canonicalJson(each, depth + 1)
    if (part === undefined) return undefined
    parts.push(key + part)
  }
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`
}
