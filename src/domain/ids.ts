/**
 * The forms of our identifiers (ID1). Pure: the caller brings the moment and the randomness.
 * Generated ids never collide by construction of their random part; the store's unique keys are the proof.
 */
import type { Instant } from './instant.ts'

/** Random lower-case letters and digits, as many as asked for. */
export type RandomText = (length: number) => string

const digitsOf = (at: Instant): string => at.replaceAll(/\D/g, '')

/** `proj_20240115_a1b2c3` */
export const projectId = (at: Instant, random: RandomText): string => `proj_${digitsOf(at).slice(0, 8)}_${random(6)}`

/** `sess_20240115143000_x1y2z3`, one work session. */
export const workSessionId = (at: Instant, random: RandomText): string => `sess_${digitsOf(at).slice(0, 14)}_${random(6)}`

/** `msg_0190…`: made of an id that grows with time, so that the newest are neighbours in the index. */
export const messageId = (timeOrderedUuid: string): string => `msg_${timeOrderedUuid.replaceAll('-', '')}`
