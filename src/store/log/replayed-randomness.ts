/**
 * Repeats in the next run of a use case what its abandoned runs drew. So a stream that is named by
 * a new id has the same name again, and is locked from the beginning.
 */
import { randomness } from '../../platform/secrets/randomness.ts'
import type { Randomness } from '../store.ts'

export class ReplayedRandomness {
  /** What was drawn, in order, by kind of draw. */
  readonly #drawn = new Map<string, string[]>()

  /** For one run: begins with what earlier runs drew. */
  replay(): Randomness {
    const places = new Map<string, number>()
    const next = (kind: string, draw: () => string): string => {
      const drawn = this.#drawn.get(kind) ?? []
      this.#drawn.set(kind, drawn)
      const place = places.get(kind) ?? 0
      places.set(kind, place + 1)
      drawn[place] ??= draw()
      return drawn[place]
    }
    return {
      text: (length) => next(`text ${length}`, () => randomness.text(length)),
      uuid: () => next('uuid', randomness.uuid),
      secret: (kind) => next(`secret ${kind}`, () => randomness.secret(kind)),
    }
  }

  /** After a conflict: what was drawn may be taken. */
  forget(): void {
    this.#drawn.clear()
  }
}
