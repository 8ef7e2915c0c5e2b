/** Adds a person with a role and returns their token, which is shown once. Nobody can give more than they have (SE3). */
import type * as z from 'zod'
import { exceeding, scopesOf } from '../../domain/access/scopes.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets.ts'
import type { PersonDraft, PersonWithToken } from '../../protocol/access/people.ts'
import { insertCredential, insertPerson, personOf, scopesHeldBy } from '../../store/access/credentials.ts'
import { defineUseCase } from '../../store/store.ts'
import { scopeExceeded } from '../refusals.ts'
import { personCredential } from './person-record.ts'

export const addPerson = defineUseCase({
  name: 'add-person',
  answersSecret: true,
  streams: () => [home],
  run: async (tx, input: z.output<typeof PersonDraft> & { by: string }, { now, random }): Promise<PersonWithToken> => {
    const [tooMuch] = exceeding(scopesOf(input.role), await scopesHeldBy(tx, input.by))
    if (tooMuch) throw scopeExceeded(tooMuch)
    const row = { id: random.uuid(), name: input.name, role: input.role, created_at: now }
    const token = random.secret('person')
    await tx.write(insertPerson, row)
    await tx.write(insertCredential, personCredential(row, { id: random.uuid(), hash: hashSecret(token), by: input.by, now }))
    const person = personOf(row)
    tx.append(home, { type: 'person-added', data: { person, by: input.by } })
    return { ...person, token }
  },
})
