/** Lists the people: the owner of the installation first, then the others, newest first (HT1). */
import { ownerId, ownerName } from '../domain/credential/who.ts'
import { instant } from '../domain/instant.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import type { Person } from '../protocol/people.ts'
import { selectMeta } from '../store/meta.ts'
import { cutPage, newest, pageParams } from '../store/queries/page-cursor.ts'
import { peoplePage } from '../store/queries/people.ts'
import { defineQuery, type Reader } from '../store/store.ts'

export const listPeople = defineQuery({
  name: 'list-people',
  run: async (reader, input: PageQuery): Promise<Page<Person>> => {
    const people = await peoplePage(reader, pageParams(input))
    const found = input.cursor === undefined ? [await owner(reader), ...people] : people
    // The owner stands before everybody, whenever the others were added.
    return cutPage(found, input.limit, (person) => (person.id === ownerId ? newest : person))
  },
})

/** Not a row: the owner came with the store. */
async function owner(reader: Reader): Promise<Person> {
  const created = await reader.first(selectMeta, { key: 'created_at' })
  return { id: ownerId, name: ownerName, role: 'owner', createdAt: created?.value ?? instant(0) }
}
