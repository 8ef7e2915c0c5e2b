import { describe, expect, test } from 'vitest'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import { addPerson, createToken } from '../../../src/services/access/change-access.ts'
import { createSignInCode, signIn, signOut } from '../../../src/services/access/sign-in.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { browser, by, eventsOf, open, ownerWho, refused, whoHas } from '../projects/installation.ts'

const minute = 60 * 1000
const day = 24 * 60 * minute

describe('signing in', () => {
  test('[SE1] a code of the one-time link becomes a cookie of 30 days, once', async () => {
    const { store, clock } = await open()
    const { code, expiresAt } = await store.run(createSignInCode, { by })
    expect(expiresAt).toBe('2026-03-01T09:10:00.000Z')
    const presented = { codeHash: hashSecret(code) }
    const signedIn = await store.run(signIn, browser(presented))
    expect(signedIn).toMatchObject({ personId: 'owner', expiresAt: '2026-03-31T09:00:00.000Z' })
    expect(await whoHas(store, signedIn.cookie)).toMatchObject({
      kind: 'person',
      id: 'owner',
      name: 'Owner',
      role: 'owner',
    })
    expect(await refused(store, () => store.run(signIn, browser(presented)))).toEqual({
      code: 'authentication_failed',
      fields: {},
    })
    clock.advance(30 * day)
    expect(await whoHas(store, signedIn.cookie)).toBeUndefined()
  })

  test('[SE1] of many who present the same code at once, one gets in', async () => {
    const { store } = await open()
    const { code } = await store.run(createSignInCode, { by })
    const presented = { codeHash: hashSecret(code) }
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => store.run(signIn, browser(presented))),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('[SE1] a code works for 10 minutes', async () => {
    const { store, clock } = await open()
    const early = await store.run(createSignInCode, { by })
    clock.advance(10 * minute - 1)
    await store.run(signIn, browser({ codeHash: hashSecret(early.code) }))
    const late = await store.run(createSignInCode, { by })
    clock.advance(10 * minute)
    expect(
      await refused(store, () => store.run(signIn, browser({ codeHash: hashSecret(late.code) }))),
    ).toMatchObject({
      code: 'authentication_failed',
    })
  })

  test('[SE1] the owner and people sign in with their tokens; a cookie has the scopes of the role', async () => {
    const { store } = await open()
    const ada = await store.run(addPerson, { name: 'Ada', role: 'viewer', by })
    const adas = await store.run(signIn, browser({ tokenHash: hashSecret(ada.token) }))
    expect(await whoHas(store, adas.cookie)).toMatchObject({
      id: ada.id,
      name: 'Ada',
      role: 'viewer',
      scopes: ['read'],
    })
    const owners = await store.run(signIn, browser({ ownerVerified: true }))
    expect(owners.personId).toBe('owner')
  })

  test('[SE3] nothing but a person signs in, and every failure is the same', async () => {
    const { store } = await open()
    const script = await store.run(createToken, { name: 's', kind: 'script', by: ownerWho })
    const coordinator = await store.run(createToken, {
      name: 'c',
      kind: 'coordinator',
      by: ownerWho,
    })
    const agent = await store.run(createAgent, { name: 'a', protocol: 'acp', by })
    const { cookie } = await store.run(signIn, browser({ ownerVerified: true }))
    for (const secret of [script.token, coordinator.token, agent.passkey, cookie, 'nonsense']) {
      expect(
        await refused(store, () => store.run(signIn, browser({ tokenHash: hashSecret(secret) }))),
      ).toEqual({
        code: 'authentication_failed',
        fields: {},
      })
    }
    const codeless = () => store.run(signIn, browser({ codeHash: hashSecret('nonsense') }))
    expect(await refused(store, codeless)).toEqual({ code: 'authentication_failed', fields: {} })
  })

  test('[SE3] a script, a coordinator or an agent makes no sign-in code', async () => {
    const { store } = await open()
    const script = await store.run(createToken, { name: 's', kind: 'script', by: ownerWho })
    const agent = await store.run(createAgent, { name: 'a', protocol: 'acp', by })
    for (const { id } of [script, agent]) {
      expect(await refused(store, () => store.run(createSignInCode, { by: id }))).toMatchObject({
        code: 'missing_scope',
      })
    }
  })

  test('[SE3] signing out ends that browser and no other; a token survives it', async () => {
    const { store } = await open()
    const ada = await store.run(addPerson, { name: 'Ada', role: 'member', by })
    const [one, other] = [
      await store.run(signIn, browser({ tokenHash: hashSecret(ada.token) })),
      await store.run(signIn, browser({ tokenHash: hashSecret(ada.token) })),
    ]
    const credentialId = (await whoHas(store, one.cookie))?.credentialId ?? ''
    await store.run(signOut, { credentialId })
    expect(await whoHas(store, one.cookie)).toBeUndefined()
    expect(await whoHas(store, other.cookie)).toMatchObject({ id: ada.id })
    expect((await eventsOf(store, 'home')).at(-1)).toEqual({
      type: 'signed-out',
      data: { credentialId },
    })
    const before = await store.positions(['home'])
    await store.run(signOut, { credentialId })
    await store.run(signOut, { credentialId: (await whoHas(store, ada.token))?.credentialId ?? '' })
    expect(await store.positions(['home'])).toEqual(before)
    expect(await whoHas(store, ada.token)).toMatchObject({ id: ada.id })
  })
})
