/** Input checked by its schema; what is wrong with it is said in words that name the field. */
import type * as z from 'zod'
import { Refusal } from '../domain/errors.ts'

export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.map(String).join('.') ?? ''
  const message = issue?.message ?? 'is not valid'
  throw new Refusal('invalid_request', field ? `${field}: ${message}` : message, field ? { field } : {})
}
