/** Input checked by its schema; what is wrong with it is said in words that name the field. */
import type * as z from 'zod'
import { Refusal } from '../domain/errors.ts'

/** `inside` names the file or message that it came in. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, inside?: string): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.map(String).join('.') ?? ''
  const message = issue?.message ?? 'is not valid'
  const detail = [inside, field, message].filter(Boolean).join(': ')
  throw new Refusal('invalid_request', detail, field ? { field } : {})
}
