/** Secrets: made with 256 bits, kept only as hashes, compared without telling how much of them was right (AS7). */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** `hf_owner_…`: the prefix lets masking find a secret wherever it turns up (SE7). */
export const newSecret = (kind: string): string => `hf_${kind}_${randomBytes(32).toString('base64url')}`

/** The kind that a secret of ours says it is of; a hint where to look for it first, and nothing more. */
export const kindOf = (secret: string): string | undefined => /^hf_([a-z]+)_/.exec(secret)?.[1]

/** Plain SHA-256 is enough: what is hashed has 256 random bits, so there is nothing to guess. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

export const sameHash = (a: string, b: string): boolean => {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
