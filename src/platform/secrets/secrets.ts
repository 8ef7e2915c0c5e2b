/** Secrets: 256 random bits, stored only as hashes, compared in constant time (AS7). */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** `hf_owner_…`: masking recognises a secret by its prefix (SE7). */
export const newSecret = (kind: string): string =>
  `hf_${kind}_${randomBytes(32).toString('base64url')}`

/** The kind in a secret's prefix; only a hint where to look it up first. */
export const kindOf = (secret: string): string | undefined => /^hf_([a-z]+)_/.exec(secret)?.[1]

/** Plain SHA-256 is enough for 256 random bits. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

export const sameHash = (a: string, b: string): boolean => {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
