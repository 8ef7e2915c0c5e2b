/** A real store with what the tests of services ask of it again and again. */

import { expect } from 'vitest'
import { owner, ownerId, type Who } from '../../../src/domain/access/caller.ts'
import { signInRules } from '../../../src/domain/access/sign-in-rules.ts'
import type { ErrorCode } from '../../../src/domain/errors.ts'
import type { StreamName } from '../../../src/domain/stream-name.ts'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import { findCredential } from '../../../src/services/access/queries.ts'
import type { Store } from '../../../src/store/store.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

export const by = ownerId

export const ownerWho = owner

export const open = (): Promise<TestStore> => openTestStore()

/** All the events of a stream, bodies parsed; a copy shows what it stands for. */
export async function eventsOf(
  store: Store,
  stream: StreamName,
): Promise<{ type: string; data: unknown }[]> {
  const events = await store.eventsAfter(stream, 0, 1000)
  return events.map(({ type, data, refStream, refSeq }) => ({
    type,
    data: data === null ? { refStream, refSeq } : JSON.parse(data),
  }))
}

export const typesOf = async (store: Store, stream: StreamName): Promise<string[]> =>
  (await eventsOf(store, stream)).map(({ type }) => type)

/** The code of the refusal, its fields, and the proof that the log did not move. */
export async function refused(
  store: Store,
  attempt: () => Promise<unknown>,
): Promise<{ code: ErrorCode; fields: object }> {
  const before = await store.positions(['home'])
  const error = await attempt().then(
    () => undefined,
    (reason) => reason,
  )
  expect(error, 'it was not refused').toHaveProperty('code')
  expect(await store.positions(['home'])).toEqual(before)
  return { code: error.code, fields: error.fields }
}

export const whoHas = (store: Store, secret: string): Promise<Who | undefined> =>
  store.query(findCredential, { hash: hashSecret(secret) })

/** What a browser presents that signs in. */
export const browser = (
  proof: { codeHash: string } | { tokenHash: string } | { ownerVerified: true },
) => ({
  proof,
  rules: signInRules(30, 90),
  name: 'Firefox, Linux',
  address: '203.0.113.7',
})
