/** The people an owner has added. The owner of the installation is not a row: nothing here can remove or demote them. */
import type { Person } from '../../protocol/people.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { PageParams } from './page-cursor.ts'

export type PersonRow = Tables['people']

export const insertPerson = statement<PersonRow>()((db, p) =>
  db.insertInto('people').values({ id: p.id, name: p.name, role: p.role, created_at: p.created_at }),
)

export const selectPerson = statement<{ id: string }>()((db, p) => db.selectFrom('people').selectAll().where('id', '=', p.id))

export const updateRole = statement<Pick<PersonRow, 'id' | 'role'>>()((db, p) =>
  db.updateTable('people').set({ role: p.role }).where('id', '=', p.id),
)

export const deletePersonRow = statement<{ id: string }>()((db, p) => db.deleteFrom('people').where('id', '=', p.id))

const selectPeoplePage = statement<PageParams>()((db, p) =>
  db
    .selectFrom('people')
    .selectAll()
    .where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(p.createdAt, p.id)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

export const personOf = (row: PersonRow): Person => ({ id: row.id, name: row.name, role: row.role, createdAt: row.created_at })

export async function peoplePage(reader: Reader, params: PageParams): Promise<Person[]> {
  return (await reader.all(selectPeoplePage, params)).map(personOf)
}
