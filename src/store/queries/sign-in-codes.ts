/** The codes of one-time sign-in links: hashes that are gone once used. */
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

export const insertSignInCode = statement<Tables['sign_in_codes']>()((db, p) =>
  db.insertInto('sign_in_codes').values({ hash: p.hash, person_id: p.person_id, expires_at: p.expires_at }),
)

export const selectSignInCode = statement<{ hash: string }>()((db, p) =>
  db.selectFrom('sign_in_codes').selectAll().where('hash', '=', p.hash),
)

export const deleteSignInCode = statement<{ hash: string }>()((db, p) =>
  db.deleteFrom('sign_in_codes').where('hash', '=', p.hash),
)

export const deleteSignInCodesOfPerson = statement<{ personId: string }>()((db, p) =>
  db.deleteFrom('sign_in_codes').where('person_id', '=', p.personId),
)
