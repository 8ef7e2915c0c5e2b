/** When a conversation day begins, as it is read and changed (DC1). */
import * as z from 'zod'
import { isTimezone } from '../config-parsing.ts'

export const Cutover = z.object({
  hour: z.union([z.int().min(0).max(23), z.literal('off')]).describe('off: days are not closed'),
  timezone: z.string().describe('An IANA name'),
  source: z
    .enum(['usual', 'chosen', 'configuration'])
    .describe(
      'usual: nobody has chosen yet · configuration: the configuration says it, and nothing else can',
    ),
})
export type Cutover = z.output<typeof Cutover>

/** Unnamed fields stay. */
export const CutoverChange = z.strictObject({
  hour: Cutover.shape.hour.optional(),
  timezone: z
    .string()
    .max(100)
    .refine(isTimezone, 'must be an IANA name such as Europe/Berlin, or local')
    .optional()
    .describe('An IANA name, or local for that of the server’s machine'),
})
