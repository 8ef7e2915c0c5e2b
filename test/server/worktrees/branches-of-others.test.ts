/**
 * WT6, SE28: nobody brings work into another person's session: real trees of two people in one
 * repository.
 */
import { expect, test } from 'vitest'
import { openWorktreeRoom } from '../../support/worktree-machine.ts'

test('[WT6] a member merges into their own branches and the repository’s, never into another’s session', async () => {
  const { work, api, client, created, server, project } = await openWorktreeRoom()
  const member = async (name: string) => {
    const { token } = (
      await server.ask('/api/people', { method: 'POST', body: { name, role: 'member' } })
    ).json
    return { token, inside: await created(await client(token)) }
  }
  const [ann, bob] = [await member('Ann'), await member('Bob')]
  const anns = await work('hers', ann.inside)
  const bobs = await work('his', bob.inside)
  const second = await work('second', bob.inside)
  bobs.tree.write('theirs.txt', 'of Bob\n')
  const asked = { method: 'POST', token: bob.token }
  await api(`/${bobs.id}/commit`, { ...asked, body: {} })
  const merge = (branch: string, how = 'merge') =>
    api(`/${bobs.id}/merge`, { ...asked, body: { branch, how } })
  const before = anns.tree.git('rev-parse', 'HEAD')
  for (const how of ['merge', 'rebase'])
    for (const branch of [anns.branch, anns.branch.toUpperCase(), 'holdfast/none/none'])
      expect([branch, (await merge(branch, how)).json.code]).toEqual([branch, 'not_found'])
  // Another branch, checked out in her worktree.
  anns.tree.git('switch', '--quiet', '--create', 'feature')
  const refused = (await merge('feature')).json
  expect(refused).toMatchObject({ code: 'wrong_state', reason: 'no_branch', command: null })
  expect(JSON.stringify(refused)).not.toContain(anns.top)
  expect([anns.tree.git('rev-parse', 'HEAD'), anns.tree.git('status', '--porcelain')]).toEqual([
    before,
    '',
  ])
  expect((await merge(second.branch)).json).toMatchObject({
    outcome: 'done',
    branch: second.branch,
  })
  expect((await merge('main')).json).toMatchObject({ outcome: 'done', branch: 'main' })
  expect(project.git('log', '-1', '--format=%s')).not.toBe('')
  // Who manages may.
  expect(
    (await api(`/${bobs.id}/merge`, { method: 'POST', body: { branch: anns.branch } })).json,
  ).toMatchObject({
    branch: anns.branch,
  })
})
