/** Landings that were cut off go on (LD2), whichever node or machine they were cut off on. */
import { Refusal } from '../domain/errors.ts'
import type { Landings } from '../server/review/landings.ts'
import { findOpenLandings } from '../services/review/landing-record.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'

const completedEveryMs = 1000

export const dueLandings = (store: Store, landings: Landings): readonly DueWork[] => [
  {
    everyMs: completedEveryMs,
    failureText: 'landings could not be completed',
    find: () => store.query(findOpenLandings, {}),
    // What failed is recorded with its landing; a machine that is away is asked again.
    run: (landing) =>
      landings.complete(landing).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
      }),
  },
]
