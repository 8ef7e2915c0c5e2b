import { describe, expect, test } from 'vitest'
import { expiredRows } from '../../src/jobs/due-upkeep.ts'
import { handleDue } from '../../src/jobs/due-work.ts'
import { hashSecret } from '../../src/platform/secrets/secrets.ts'
import { createToken } from '../../src/services/access/change-access.ts'
import { createSignInCode, signIn } from '../../src/services/access/sign-in.ts'
import { createProject } from '../../src/services/projects/change-project.ts'
import { listProjects } from '../../src/services/projects/queries.ts'
import { maxSweptRows, sweepExpired } from '../../src/services/system/sweep-expired.ts'
import type { ReceiptKey } from '../../src/store/store.ts'
import { nowhere } from '../services/agent-sessions/agent-office.ts'
import { exited, openPad } from '../services/processes/launch-pad.ts'
import { browser, by, open, ownerWho, whoHas } from '../services/projects/installation.ts'
import { openTestStore } from '../support/store.ts'

const minute = 60 * 1000
const day = 24 * 60 * minute

const receipt = (key: string): ReceiptKey => ({
  credentialId: 'owner',
  operation: 'createProject',
  key,
  contentHash: 'the same',
  sealedBy: 'secret',
})

describe('clearing away what has run out', () => {
  test('[SE1] expired codes and credentials are cleared away, valid ones stay', async () => {
    const { store, clock } = await open()
    const until = (at: string) =>
      ({ name: at, kind: 'script', expiresAt: at, by: ownerWho }) as const
    await store.run(createToken, until('2026-03-01T09:05:00.000Z'))
    const valid = await store.run(createToken, until('2026-03-09T09:00:00.000Z'))
    const lasting = await store.run(createToken, { name: 'for ever', kind: 'script', by: ownerWho })
    await store.run(createSignInCode, { by })
    clock.advance(10 * minute)
    const { code } = await store.run(createSignInCode, { by })
    expect(await store.run(sweepExpired, {})).toEqual({ swept: 2, more: false })
    expect(await store.run(sweepExpired, {})).toEqual({ swept: 0, more: false })
    await store.run(signIn, browser({ codeHash: hashSecret(code) }))
    for (const { token } of [valid, lasting]) expect(await whoHas(store, token)).toBeDefined()
  })

  test('[HT4] receipts are kept 7 days and cleared away after', async () => {
    const { store, clock } = await open()
    await store.run(createProject, { name: 'a', by }, receipt('one'))
    clock.advance(7 * day - 1)
    await store.run(createProject, { name: 'b', by }, receipt('two'))
    expect(await store.run(sweepExpired, {})).toEqual({ swept: 0, more: false })
    await store.run(createProject, { name: 'a', by }, receipt('one'))
    expect((await store.query(listProjects, { limit: 5 })).items).toHaveLength(2)
    clock.advance(1)
    expect(await store.run(sweepExpired, {})).toEqual({ swept: 1, more: false })
  })

  test('[CO4] what a launch wrote is cleared 30 days after its end, never before', async () => {
    const { store, clock } = await openTestStore()
    const pad = await openPad(store, clock)
    const launch = async (agentId: string): Promise<string> => {
      await pad.say('hello', agentId)
      const launchId = (await pad.order(agentId))?.launchId ?? ''
      await pad.coordinator.start(launchId)
      await pad.coordinator.tell({ type: 'process-output', launchId, text: 'words\n' })
      return launchId
    }
    const [ended, lives] = [
      await launch(pad.agentId),
      await launch(await pad.startable(await pad.hire('other'))),
    ]
    await pad.coordinator.tell(exited(ended))
    const outputs = async () =>
      Promise.all([ended, lives].map(async (id) => (await pad.process(id)).output))
    clock.advance(30 * day - 1)
    await store.run(sweepExpired, {})
    expect(await outputs()).toEqual(['words\n', 'words\n'])
    clock.advance(1)
    await store.run(sweepExpired, {})
    expect(await outputs()).toEqual(['', 'words\n'])
    expect(await pad.process(ended)).toMatchObject({ state: 'ended', reason: 'start_failed' })
  })

  test('[SE8] one run clears a bounded number and says that there is more', async () => {
    const { store, clock } = await open()
    await Promise.all(
      Array.from({ length: maxSweptRows + 10 }, () => store.run(createSignInCode, { by })),
    )
    await store.run(createProject, { name: 'a', by }, receipt('one'))
    clock.advance(8 * day)
    expect(await store.run(sweepExpired, {})).toEqual({ swept: maxSweptRows, more: true })
    expect(await store.run(sweepExpired, {})).toEqual({ swept: 11, more: false })
  })

  test('[SE8] what runs out faster than one run clears it is cleared all the same', async () => {
    const { store, clock } = await open()
    await Promise.all(
      Array.from({ length: 2 * maxSweptRows + 10 }, () => store.run(createSignInCode, { by })),
    )
    clock.advance(day)
    await handleDue(expiredRows(store), { clock, logger: nowhere })
    expect(await store.run(sweepExpired, {})).toEqual({ swept: 0, more: false })
  })
})
