/** Lease rows (SC5): one name, one holder, until a moment of the database's clock. */
import type { Instant } from '../../domain/instant.ts'
import { statement } from '../statement.ts'

interface Claim {
  readonly name: string
  readonly holder: string
  readonly now: Instant
  readonly until: Instant
  /** Nobody who has it now holds it for as long as that. */
  readonly never: Instant
}

/**
 * Taken when it is free or has run out, made longer by who has it. One that is held for longer than anybody holds one was written
 * before the clock was put back, and counts as run out. Two at once wait for each other at the row.
 */
export const claimLease = statement<Claim>()((db, p) =>
  db
    .insertInto('leases')
    .values({ name: p.name, holder: p.holder, held_until: p.until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder: p.holder, held_until: p.until })
        .where(({ eb, or }) =>
          or([eb('leases.holder', '=', p.holder), eb('leases.held_until', '<=', p.now), eb('leases.held_until', '>', p.never)]),
        ),
    ),
)

export const selectLease = statement<{ name: string }>()((db, p) =>
  db.selectFrom('leases').select(['holder', 'held_until']).where('name', '=', p.name),
)

export const deleteLease = statement<{ name: string; holder: string }>()((db, p) =>
  db.deleteFrom('leases').where('name', '=', p.name).where('holder', '=', p.holder),
)
