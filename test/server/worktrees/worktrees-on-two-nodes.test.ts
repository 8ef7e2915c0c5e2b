/**
 * A machine is asked about its worktrees through whichever node the question comes to (WT2, SC1).
 */
import { expect, test } from 'vitest'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { newPostgresStoreUrl, usePostgres } from '../../support/postgres.ts'
import { openPostgres } from '../../support/postgres-store.ts'
import { openTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { openWorktreeRoom } from '../../support/worktree-machine.ts'

usePostgres()

test('[WT2] [SC1] [SC4] state, diff and commit of a worktree are asked for at a node that does not hold the machine’s link', async () => {
  const url = await newPostgresStoreUrl()
  const node = async () => ({
    store: await openPostgres({ url }),
    clock: manualClock(),
    folder: temporaryFolder(),
  })
  const { work, projectId, server } = await openWorktreeRoom(undefined, { testStore: await node() })
  const { ownerToken: token } = server
  const there = await openTestServer({ testStore: await node(), ownerTokenHash: hashSecret(token) })
  const { id, tree, branch } = await work('auth')
  tree.write('new.txt', 'hello\n')
  const ask = (path: string, method = 'GET', body?: object) =>
    there.ask(`/api/projects/${projectId}/worktrees/${id}${path}`, { method, body, token })
  expect((await ask('')).json).toMatchObject({
    worktree: { id, branch },
    state: { ahead: 0, fileCount: 1, uncommitted: 1 },
  })
  expect((await ask('/diff')).json.text).toContain('+hello')
  expect((await ask('/commit', 'POST', { message: 'Our work' })).json).toMatchObject({
    commit: tree.git('rev-parse', 'HEAD'),
    files: 1,
  })
  expect((await ask('')).json).toMatchObject({ state: { ahead: 1, uncommitted: 0 } })
})
