import { describe, expect, test } from 'vitest'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import { Person } from '../../../src/protocol/access/people.ts'
import { addPerson, createToken, removePerson } from '../../../src/services/access/change-access.ts'
import { listPeople, listTokens } from '../../../src/services/access/queries.ts'
import { createSignInCode, signIn } from '../../../src/services/access/sign-in.ts'
import {
  browser,
  by,
  eventsOf,
  open,
  ownerWho,
  refused,
  typesOf,
  whoHas,
} from '../projects/installation.ts'

describe('people', () => {
  test('[SE3] a person gets a token with the scopes of the role; the event has no secret', async () => {
    const { store } = await open()
    for (const [role, scopes] of [
      ['owner', ['read', 'write', 'approve', 'manage']],
      ['member', ['read', 'write', 'approve']],
      ['viewer', ['read']],
    ] as const) {
      const { token, ...person } = await store.run(addPerson, { name: `Ada the ${role}`, role, by })
      expect(Person.parse(person)).toEqual(person)
      expect(await whoHas(store, token)).toMatchObject({
        kind: 'person',
        id: person.id,
        name: person.name,
        role,
        scopes,
        expiresAt: null,
      })
      expect((await eventsOf(store, 'home')).at(-1)).toEqual({
        type: 'person-added',
        data: { person, by },
      })
    }
  })

  test('[SE3] nobody adds a person who may do more than they themselves', async () => {
    const { store } = await open()
    const token = await store.run(createToken, {
      name: 'ci',
      kind: 'script',
      scopes: ['read', 'manage'],
      by: ownerWho,
    })
    expect(
      await refused(store, () => store.run(addPerson, { name: 'x', role: 'owner', by: token.id })),
    ).toEqual({
      code: 'missing_scope',
      fields: { scope: 'write' },
    })
    await store.run(addPerson, { name: 'x', role: 'viewer', by: token.id })
    const gone = () =>
      store.run(addPerson, { name: 'y', role: 'viewer', by: 'somebody who was removed' })
    expect(await refused(store, gone)).toMatchObject({ code: 'missing_scope' })
  })

  test('[SE14] removing a person ends their token, their browsers, their sign-in links and the tokens they made', async () => {
    const { store } = await open()
    const ada = await store.run(addPerson, { name: 'Ada', role: 'owner', by })
    const bob = await store.run(addPerson, { name: 'Bob', role: 'member', by })
    const adaWho = await whoHas(store, ada.token)
    if (!adaWho) throw new Error('Ada is nobody')
    const signedIn = await store.run(signIn, browser({ tokenHash: hashSecret(ada.token) }))
    const script = await store.run(createToken, { name: 's', kind: 'script', by: adaWho })
    const scriptWho = await whoHas(store, script.token)
    if (!scriptWho) throw new Error('the script is nobody')
    const scripts = await store.run(createToken, {
      name: "the script's own",
      kind: 'script',
      by: scriptWho,
    })
    const coordinator = await store.run(createToken, { name: 'c', kind: 'coordinator', by: adaWho })
    const code = await store.run(createSignInCode, { by: ada.id })

    await store.run(removePerson, { personId: ada.id, by })
    for (const secret of [
      ada.token,
      signedIn.cookie,
      script.token,
      scripts.token,
      coordinator.token,
    ]) {
      expect(await whoHas(store, secret)).toBeUndefined()
    }
    expect(
      await refused(store, () => store.run(signIn, browser({ codeHash: hashSecret(code.code) }))),
    ).toMatchObject({
      code: 'authentication_failed',
    })
    expect(await whoHas(store, bob.token)).toMatchObject({ id: bob.id })
    expect((await store.query(listTokens, { limit: 5 })).items).toEqual([])
    expect((await typesOf(store, 'home')).slice(-4)).toEqual([
      'person-removed',
      'token-revoked',
      'token-revoked',
      'token-revoked',
    ])
    expect(
      await refused(store, () => store.run(removePerson, { personId: ada.id, by })),
    ).toMatchObject({ code: 'not_found' })
  })

  test('[SE3] a token made in the same moment as its maker is removed stands for nobody', async () => {
    const { store } = await open()
    const ada = await store.run(addPerson, { name: 'Ada', role: 'owner', by })
    const adaWho = await whoHas(store, ada.token)
    if (!adaWho) throw new Error('Ada is nobody')
    await store.run(removePerson, { personId: ada.id, by })
    const { token } = await store.run(createToken, { name: 'late', kind: 'script', by: adaWho })
    expect(await whoHas(store, token)).toBeUndefined()
  })

  test('[SE3] the owner of the installation cannot be removed', async () => {
    const { store } = await open()
    expect(
      await refused(store, () => store.run(removePerson, { personId: 'owner', by })),
    ).toMatchObject({ code: 'last_owner' })
  })

  test('[HT1] the list starts with the owner and pages through the others, newest first', async () => {
    const { store, clock } = await open()
    for (const name of ['a', 'b', 'c']) {
      clock.advance(1)
      await store.run(addPerson, { name, role: 'viewer', by })
    }
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.query(listPeople, { limit: 1, ...(cursor && { cursor }) })
      for (const person of page.items) names.push(Person.parse(person).name)
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(names).toEqual(['Owner', 'c', 'b', 'a'])
    expect((await store.query(listPeople, { limit: 4 })).nextCursor).toBeNull()
    expect((await store.query(listPeople, { limit: 50 })).items[0]).toEqual({
      id: 'owner',
      name: 'Owner',
      role: 'owner',
      createdAt: '2026-03-01T09:00:00.000Z',
    })
  })
})
