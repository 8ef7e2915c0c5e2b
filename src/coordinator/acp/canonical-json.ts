/** One text for one value, in whatever order its fields came, so that two can be compared by a digest (AP4). Pure. */
import { createHash } from 'node:crypto'
import { fieldsOf } from './read-fields.ts'

/** Deeper than anything a tool is called with; what is deeper cannot be shown, or compared. */
const maxDepth = 64

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** undefined when it is nested too deep. */
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
