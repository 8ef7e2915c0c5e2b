/**
 * Chance that can be had again: everything the fault bench does by chance comes from a printed
 * seed.
 */

export interface Chance {
  /** From 0 up to, and never, `below`. */
  below(below: number): number
  /** True as often as `share` (0..1) says. */
  one(share: number): boolean
  pick<T>(from: readonly T[]): T
  shuffled<T>(from: readonly T[]): T[]
  /** A chance of its own, so that one part's draws do not move another's. */
  fork(name: string | number): Chance
}

/** sfc32, seeded by a text: small, fast, and the same on every machine. */
export function chance(seed: string): Chance {
  let [a, b, c, d] = [hash(seed, 1), hash(seed, 2), hash(seed, 3), 1]
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    return (t >>> 0) / 4294967296
  }
  for (let i = 0; i < 15; i++) next()
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    one: (share) => next() < share,
    pick: (from) => {
      if (from.length === 0) throw new Error('There is nothing to pick from')
      return from[below(from.length)] as (typeof from)[number]
    },
    shuffled: (from) => {
      const cards = [...from]
      for (let i = cards.length - 1; i > 0; i--) {
        const j = below(i + 1)
        ;[cards[i], cards[j]] = [
          cards[j] as (typeof cards)[number],
          cards[i] as (typeof cards)[number],
        ]
      }
      return cards
    },
    fork: (name) => chance(`${seed}/${name}`),
  }
}

function hash(text: string, salt: number): number {
  let h = 2166136261 ^ salt
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619)
  h = Math.imul(h ^ (h >>> 15), 2246822507)
  return (h ^ (h >>> 13)) | 0
}
