/**
 * What a tunnel (`holdfast acp`) tells in `_meta.holdfast`, private to the two: its options and
 * name with `initialize`, and a key with each request, for its receipt.
 */
import * as z from 'zod'
import { line } from '../../protocol/text.ts'
import type { Chosen } from './choose-place.ts'
import { type Position, parsePosition } from './shown-turns.ts'

const Options = z.object({
  tunnel: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
  project: line(200).optional(),
  agent: line(200).optional(),
  workplace: z.enum(['worktree', 'checkout']).optional(),
})

export interface TunnelOptions {
  readonly tunnel?: string | undefined
  readonly chosen: Chosen
}

const fieldsIn = (meta: unknown): unknown => (meta as { holdfast?: unknown } | null)?.holdfast

/** Fields of another version of the tunnel are left out. */
export function optionsFrom(meta: unknown): TunnelOptions {
  const { tunnel, ...chosen } = Options.safeParse(fieldsIn(meta) ?? {}).data ?? {}
  return { tunnel, chosen }
}

export const receiptIn = (meta: unknown): string | undefined =>
  z.object({ key: z.string().min(1).max(1000) }).safeParse(fieldsIn(meta)).data?.key

/** The fields of `_holdfast/attach`: what a tunnel knows of a session. */
export const attachFields = z.object({
  sessionId: z.string(),
  after: z.string().transform((text, context) => {
    const position = parsePosition(text)
    if (position) return position
    context.addIssue('is no position')
    return z.NEVER
  }),
})

/** How far the editor was told a session that it loads: the load was cut. */
export const positionIn = (meta: unknown): Position | undefined =>
  parsePosition((fieldsIn(meta) as { after?: unknown } | null | undefined)?.after)
