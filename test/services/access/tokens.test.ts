import { describe, expect, test } from 'vitest'
import type { Who } from '../../../src/domain/access/caller.ts'
import { Token } from '../../../src/protocol/access/people.ts'
import {
  addPerson,
  createToken,
  renewPerson,
  revokeToken,
} from '../../../src/services/access/change-access.ts'
import { listPeople, listTokens } from '../../../src/services/access/queries.ts'
import type { Store } from '../../../src/store/store.ts'
import { by, eventsOf, open, ownerWho, refused, whoHas } from '../projects/installation.ts'

async function who(store: Store, secret: string): Promise<Who> {
  const found = await whoHas(store, secret)
  if (!found) throw new Error('nobody')
  return found
}

describe('tokens', () => {
  test('[SE3] a script token has the scopes that were chosen and shows its secret once', async () => {
    const { store } = await open()
    const { token, ...shown } = await store.run(createToken, {
      name: 'ci',
      kind: 'script',
      scopes: ['write', 'read'],
      by: ownerWho,
    })
    expect(token).toMatch(/^hf_script_[\w-]{43}$/)
    expect(Token.parse(shown)).toEqual(shown)
    expect(shown).toMatchObject({ scopes: ['read', 'write'], createdBy: 'owner', expiresAt: null })
    expect(await whoHas(store, token)).toMatchObject({
      kind: 'script',
      id: shown.id,
      name: 'ci',
      role: null,
      scopes: ['read', 'write'],
    })
    expect((await store.query(listTokens, { limit: 5 })).items).toEqual([shown])
    expect(await eventsOf(store, 'home')).toEqual([
      { type: 'token-created', data: { tokenId: shown.id, by } },
    ])
  })

  test('[SE3] without chosen scopes a script may do what its maker may', async () => {
    const { store } = await open()
    const ada = await store.run(addPerson, { name: 'Ada', role: 'member', by })
    const token = await store.run(createToken, {
      name: 'ci',
      kind: 'script',
      by: await who(store, ada.token),
    })
    expect(token.scopes).toEqual(['read', 'write', 'approve'])
  })

  test('[SE3] a token never allows more than its maker may, through any number of hands', async () => {
    const { store } = await open()
    const first = await store.run(createToken, {
      name: '1',
      kind: 'script',
      scopes: ['read', 'manage'],
      by: ownerWho,
    })
    const more = {
      name: '2',
      kind: 'script',
      scopes: ['read', 'approve'],
      by: await who(store, first.token),
    } as const
    expect(
      await refused(store, () => store.run(createToken, { ...more, scopes: ['read', 'approve'] })),
    ).toEqual({
      code: 'missing_scope',
      fields: { scope: 'approve' },
    })
    const second = await store.run(createToken, {
      name: '2',
      kind: 'script',
      by: await who(store, first.token),
    })
    expect(second.scopes).toEqual(['read', 'manage'])
  })

  test('[SE3] a coordinator token is for coordinating alone and takes no scopes', async () => {
    const { store } = await open()
    const { token } = await store.run(createToken, {
      name: 'mac',
      kind: 'coordinator',
      by: ownerWho,
    })
    expect(await whoHas(store, token)).toMatchObject({
      kind: 'coordinator',
      scopes: ['coordinator'],
    })
    const draft = { name: 'x', kind: 'coordinator', scopes: ['read'], by: ownerWho } as const
    expect(
      await refused(store, () => store.run(createToken, { ...draft, scopes: ['read'] })),
    ).toMatchObject({
      code: 'invalid_request',
    })
  })

  test('[CO10] a token made in place of one that was revoked has its id; of one that lives, an id of its own', async () => {
    const { store } = await open()
    const draft = { name: 'mac', kind: 'coordinator', by: ownerWho } as const
    const first = await store.run(createToken, draft)
    const beside = await store.run(createToken, { ...draft, insteadOf: first.id })
    expect(beside.id).not.toBe(first.id)
    await store.run(revokeToken, { tokenId: first.id, by })
    const second = await store.run(createToken, { ...draft, insteadOf: first.id })
    expect(second.id).toBe(first.id)
    expect(await whoHas(store, first.token)).toBeUndefined()
    expect(await whoHas(store, second.token)).toMatchObject({ id: first.id })
  })

  test('[SE3] a token works until it expires and not a moment longer', async () => {
    const { store, clock } = await open()
    const expiresAt = '2026-03-01T10:00:00.000Z'
    const { token } = await store.run(createToken, {
      name: 'ci',
      kind: 'script',
      expiresAt,
      by: ownerWho,
    })
    clock.advance(60 * 60 * 1000 - 1)
    expect(await whoHas(store, token)).toMatchObject({ expiresAt })
    clock.advance(1)
    expect(await whoHas(store, token)).toBeUndefined()
    expect((await store.query(listTokens, { limit: 5 })).items).toEqual([])
    const past = () =>
      store.run(createToken, { name: 'ci', kind: 'script', expiresAt, by: ownerWho })
    expect(await refused(store, past)).toMatchObject({ code: 'invalid_request' })
  })

  test('[SE16] nothing that a token makes outlives it: neither its end, nor its revocation', async () => {
    const { store, clock } = await open()
    const expiresAt = '2026-03-01T10:00:00.000Z'
    const first = await store.run(createToken, {
      name: '1',
      kind: 'script',
      expiresAt,
      by: ownerWho,
    })
    const maker = await who(store, first.token)
    for (const kind of ['script', 'coordinator'] as const) {
      const later = () =>
        store.run(createToken, {
          name: '2',
          kind,
          expiresAt: '2026-03-01T10:00:00.001Z',
          by: maker,
        })
      expect(await refused(store, later)).toMatchObject({
        code: 'invalid_request',
        fields: { field: 'expiresAt', until: expiresAt },
      })
    }
    const second = await store.run(createToken, { name: '2', kind: 'script', by: maker })
    const third = await store.run(createToken, {
      name: '3',
      kind: 'coordinator',
      by: await who(store, second.token),
    })
    expect([second.expiresAt, third.expiresAt]).toEqual([expiresAt, expiresAt])
    clock.advance(60 * 60 * 1000)
    for (const { token } of [first, second, third])
      expect(await whoHas(store, token)).toBeUndefined()
  })

  test('[SE16] what is made with a token goes with it, through any number of hands, unless it is to stay', async () => {
    const { store, clock } = await open()
    const make = async (name: string, maker: string | null) =>
      store.run(createToken, {
        name,
        kind: 'script',
        by: maker === null ? ownerWho : await who(store, maker),
      })
    const names = async () =>
      (await store.query(listTokens, { limit: 50 })).items.map(({ name }) => name).toSorted()
    const root = await make('root', null)
    const child = await make('child', root.token)
    const grandchild = await make('grandchild', child.token)
    clock.advance(1)
    const friend = await store.run(addPerson, { name: 'Mallory', role: 'owner', by: child.id })
    const theirs = await make('theirs', friend.token)
    const other = await make('other', null)
    clock.advance(1)
    const ada = await store.run(addPerson, { name: 'Ada', role: 'member', by })
    const adas = await make('adas', ada.token)
    clock.advance(1)
    const renewed = await store.run(renewPerson, { personId: ada.id, by: child.id })
    const { items } = await store.query(listTokens, { limit: 50 })
    expect(items.find(({ id }) => id === child.id)).toMatchObject({
      createdBy: root.id,
      createdByName: 'root',
      made: [
        { id: grandchild.id, kind: 'script', name: 'grandchild' },
        { id: friend.id, kind: 'person', name: 'Mallory' },
        { id: ada.id, kind: 'person', name: 'Ada' },
      ],
    })
    await store.run(revokeToken, { tokenId: root.id, made: 'keep', by })
    expect(await names()).toEqual(['adas', 'child', 'grandchild', 'other', 'theirs'])
    await store.run(revokeToken, { tokenId: child.id, by })
    expect(await names()).toEqual(['adas', 'other'])
    // Ada was there before: only what she was given with it is void.
    expect((await store.query(listPeople, { limit: 5 })).items.map(({ name }) => name)).toContain(
      'Ada',
    )
    expect(await whoHas(store, adas.token)).toBeDefined()
    for (const { token } of [root, child, grandchild, friend, theirs, renewed])
      expect(await whoHas(store, token)).toBeUndefined()
    expect(await whoHas(store, other.token)).toBeDefined()
    const received = (await eventsOf(store, 'home')).filter(({ type }) => type === 'token-revoked')
    expect(received.map(({ data }) => (data as { tokenId: string }).tokenId)).toEqual([
      root.id,
      child.id,
      grandchild.id,
      theirs.id,
    ])
  })

  test('[SE3] a revoked token stands for nobody', async () => {
    const { store } = await open()
    const { id: tokenId, token } = await store.run(createToken, {
      name: 'ci',
      kind: 'script',
      by: ownerWho,
    })
    const maker = await who(store, token)
    await store.run(revokeToken, { tokenId, by })
    expect(await whoHas(store, token)).toBeUndefined()
    expect((await eventsOf(store, 'home')).at(-1)).toEqual({
      type: 'token-revoked',
      data: { tokenId, by },
    })
    expect(await refused(store, () => store.run(revokeToken, { tokenId, by }))).toMatchObject({
      code: 'not_found',
    })
    const late = () => store.run(createToken, { name: 'late', kind: 'script', by: maker })
    expect(await refused(store, late)).toMatchObject({ code: 'authentication_failed' })
  })

  test("[SE3] a person's own token is not among the tokens that can be listed or revoked", async () => {
    const { store } = await open()
    const ada = await store.run(addPerson, { name: 'Ada', role: 'member', by })
    const { credentialId } = await who(store, ada.token)
    expect((await store.query(listTokens, { limit: 5 })).items).toEqual([])
    expect(
      await refused(store, () => store.run(revokeToken, { tokenId: credentialId, by })),
    ).toMatchObject({ code: 'not_found' })
    expect(await whoHas(store, ada.token)).toMatchObject({ id: ada.id })
  })

  test('[AS7] no secret is anywhere in the log or in the answers of lists', async () => {
    const { store } = await open()
    const { token } = await store.run(addPerson, { name: 'Ada', role: 'member', by })
    const script = await store.run(createToken, { name: 'ci', kind: 'script', by: ownerWho })
    const text = JSON.stringify([
      await eventsOf(store, 'home'),
      await store.query(listTokens, { limit: 5 }),
    ])
    for (const secret of [token, script.token]) expect(text).not.toContain(secret)
    expect(await whoHas(store, `${token}x`)).toBeUndefined()
  })
})
