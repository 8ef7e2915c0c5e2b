/**
 * Parses JSON from outside: valid UTF-8, at most 32 levels deep (checked in the text first), and no
 * key that reaches an object's prototype. Throws a Refusal `invalid_request`.
 */

import { isUtf8 } from 'node:buffer'
import { Refusal } from '../domain/errors.ts'
import { refusalText } from '../domain/refusal-texts.ts'

const maxJsonDepth = 32

const quote = 0x22
const backslash = 0x5c
const opening = new Set([0x7b, 0x5b])
const closing = new Set([0x7d, 0x5d])

/** `what`: the name of the input in a refusal. */
export function parseJson(bytes: Buffer, what = 'The body'): unknown {
  if (!isUtf8(bytes)) throw new Refusal('invalid_request', refusalText('notUtf8', { what }))
  if (deeperThan(maxJsonDepth, bytes))
    throw new Refusal('invalid_request', refusalText('jsonTooDeep', { most: maxJsonDepth }))
  const text = bytes.toString()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal('invalid_request', refusalText('notJson', { what }))
  }
  // An escape can spell any key, so a text without these needs no further check.
  if (/\\u|__proto__|constructor/.test(text)) refusePoison(value)
  return value
}

function deeperThan(limit: number, bytes: Buffer): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number
    if (inString) {
      if (byte === backslash) index++
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (opening.has(byte)) {
      if (++depth > limit) return true
    } else if (closing.has(byte)) depth--
  }
  return false
}

function refusePoison(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__'))
    throw new Refusal('invalid_request', refusalText('keyNotAccepted', { key: '__proto__' }))
  for (const [key, inner] of Object.entries(value)) {
    const poisoned =
      key === 'constructor' &&
      typeof inner === 'object' &&
      inner !== null &&
      Object.hasOwn(inner, 'prototype')
    if (poisoned)
      throw new Refusal(
        'invalid_request',
        refusalText('keyNotAccepted', { key: 'constructor.prototype' }),
      )
    refusePoison(inner)
  }
}
