/**
 * Who is served on a channel (CN2). A stranger is not: what they write is not kept, and they are told how to be let in. An owner lets
 * a chat in, or gives somebody a code, which they send to the bot. A code counts once and for ten minutes. Pure.
 *
 *   (stranger) ──writes──▶ asking ──approved, or a right code──▶ paired ──revoked──▶ revoked
 *                             └──────────refused──▶ refused          (a right code pairs whoever sends it)
 */
import type { RandomText } from '../ids.ts'

export const chatStates = ['asking', 'paired', 'refused', 'revoked'] as const
export type ChatState = (typeof chatStates)[number]

/** Without vowels and what is mistaken for something else: no words, nothing to spell wrongly. 28^8 is 3.8 x 10^11. */
const alphabet = '23456789BCDFGHJKLMNPQRSTVWXZ'
const codeLength = 8

export const pairingCodeLifetimeMs = 10 * 60_000
/** At once; beyond it the oldest counts no more. */
export const maxPairingCodes = 10
/** Strangers that are shown to the owner at once; whoever comes beyond that gets no answer. */
export const maxAskingChats = 50
/** How long a stranger stays in that list. */
export const askingLifetimeMs = 24 * 3_600_000
/** What a stranger may write and is answered, wrong codes among it; then there is silence until the list forgets them. */
export const maxStrangerAttempts = 5

/** `BCDF-2345`, out of random letters: those that no code has are passed over, so every code is as likely as any other. */
export function newCode(random: RandomText): string {
  let letters = ''
  while (letters.length < codeLength) {
    for (const letter of random(4 * codeLength).toUpperCase()) if (alphabet.includes(letter)) letters += letter
  }
  return spelled(letters.slice(0, codeLength))
}

/** How a code is spelled whoever has typed it, or undefined when the text is none. */
export function readCode(text: string): string | undefined {
  const letters = text
    .trim()
    .toUpperCase()
    .replaceAll(/[-\s_]/g, '')
  if (letters.length !== codeLength || [...letters].some((letter) => !alphabet.includes(letter))) return undefined
  return spelled(letters)
}

const spelled = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`

/** Whether what a stranger writes is answered. */
export const isHeard = (state: ChatState, attempts: number): boolean => state === 'asking' && attempts < maxStrangerAttempts
