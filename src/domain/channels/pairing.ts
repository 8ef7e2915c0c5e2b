/**
 * Pairing of chats on a channel (CN2). Messages of unpaired senders are not stored; they are told
 * how to pair. An owner approves a chat, or gives out a code to send to the bot. A code is valid
 * once, for ten minutes. Pure.
 *
 *   (unpaired) ──writes──▶ asking ──approved, or a right code──▶ paired ──revoked──▶ revoked
 *                             └──────────refused──▶ refused          (a right code pairs its sender)
 */
import type { RandomText } from '../ids.ts'

export const chatStates = ['asking', 'paired', 'refused', 'revoked'] as const
export type ChatState = (typeof chatStates)[number]

/** Without vowels and ambiguous characters. 28^8 is 3.8 x 10^11. */
const alphabet = '23456789BCDFGHJKLMNPQRSTVWXZ'
const codeLength = 8

export const pairingCodeLifetimeMs = 10 * 60_000
/** Valid at once; beyond it the oldest expires. */
export const maxPairingCodes = 10
/** Unpaired chats listed for the owner; further ones get no answer. */
export const maxAskingChats = 50
/** How long an unpaired chat stays in the list. */
export const askingLifetimeMs = 24 * 3_600_000
/**
 * Messages of an unpaired chat that are answered, including wrong codes, until it leaves the list.
 */
export const maxUnpairedAttempts = 5

/**
 * A code such as BCDF-2345, from random letters. Others are skipped, so all codes are equally
 * likely.
 */
export function newCode(random: RandomText): string {
  let letters = ''
  while (letters.length < codeLength) {
    for (const letter of random(4 * codeLength).toUpperCase())
      if (alphabet.includes(letter)) letters += letter
  }
  return formatCode(letters.slice(0, codeLength))
}

/** Normalizes a typed code; undefined when the text is none. */
export function readCode(text: string): string | undefined {
  const letters = text
    .trim()
    .toUpperCase()
    .replaceAll(/[-\s_]/g, '')
  if (letters.length !== codeLength || [...letters].some((letter) => !alphabet.includes(letter)))
    return undefined
  return formatCode(letters)
}

const formatCode = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`

/** Whether a message of an unpaired chat is answered. */
export const isAnswered = (state: ChatState, attempts: number): boolean =>
  state === 'asking' && attempts < maxUnpairedAttempts
