/** The person with this id, to be changed or removed. The owner of the installation is not one of them. */
import { because } from '../domain/because.ts'
import { ownerId } from '../domain/credential/who.ts'
import { Refusal } from '../domain/errors.ts'
import { type PersonRow, selectPerson } from '../store/queries/people.ts'
import type { Reader } from '../store/store.ts'

export async function findChangeable(reader: Reader, personId: string): Promise<PersonRow> {
  if (personId === ownerId) throw new Refusal('last_owner')
  const person = await reader.first(selectPerson, { id: personId })
  if (!person) throw new Refusal('not_found', because('noPerson'), { personId })
  return person
}
