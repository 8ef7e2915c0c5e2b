import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProject } from '../../../src/services/projects/change-project.ts'
import { openInstallation } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[CL1] a project is created, shown, changed, listed and deleted', async () => {
  const { holdfast, server } = await openInstallation()
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'code'))
  const created = await holdfast(['projects', 'create', 'website', '--path', 'code', '--json'], {
    cwd,
  })
  expect(created.json()).toMatchObject({ name: 'website', path: join(cwd, 'code') })

  server.clock.advance(60_000)
  const edited = await holdfast([
    'projects',
    'edit',
    'website',
    '--name',
    'site',
    '--no-path',
    '--json',
  ])
  expect(edited.json()).toMatchObject({ id: created.json().id, name: 'site', path: null })
  expect((await holdfast(['projects', 'show', created.json().id, '--json'])).json()).toEqual(
    edited.json(),
  )
  expect((await holdfast(['projects'])).stdout).toMatch(
    /^NAME +ID +AGENTS +CREATED +PATH\nsite +proj_\S+ +– +.* +–\n$/,
  )

  expect(await holdfast(['projects', 'delete', 'site', '--yes'])).toMatchObject({
    code: 0,
    stdout: '✓ Deleted the project site\n',
  })
  expect((await holdfast(['projects', '--json'])).json()).toEqual({ items: [], nextCursor: null })
})

test('[NA10] settings are set and taken back; a bad one is refused with the nearest', async () => {
  const { holdfast } = await openInstallation()
  await holdfast(['projects', 'create', 'p'])
  const set = await holdfast([
    'projects',
    'edit',
    'p',
    '--set',
    'chat.soft_timeout_minutes=0.5',
    '--set',
    'permission.policy=allow_reads',
  ])
  expect(set.stdout).toMatch(/chat\.soft_timeout_minutes +0\.5 +default 10/)
  const mistyped = await holdfast([
    'projects',
    'edit',
    'p',
    '--name',
    'q',
    '--set',
    'chat.soft_timeot_minutes=1',
  ])
  expect(mistyped.code).toBe(2)
  expect(mistyped.stderr).toContain('did you mean chat.soft_timeout_minutes?')
  expect(mistyped.stderr).toContain('invalid_setting')
  await holdfast(['projects', 'edit', 'p', '--unset', 'chat.soft_timeout_minutes'])
  const shown = await holdfast(['projects', 'show', 'p'])
  expect(shown.stdout).not.toContain('soft_timeout')
  expect(shown.stdout).toContain('permission.policy')
  expect((await holdfast(['projects', 'show', 'p', '--all'])).stdout).toMatch(
    /chat\.soft_timeout_minutes +10$/m,
  )
})

test('[CL2] a name of two projects needs the id; an unknown one gets the nearest', async () => {
  const { holdfast } = await openInstallation()
  const ids = [
    await holdfast(['projects', 'create', 'twin', '--json']),
    await holdfast(['projects', 'create', 'twin', '--json']),
  ].map((made) => made.json().id)
  const both = await holdfast(['projects', 'show', 'twin'])
  expect(both.code).toBe(2)
  for (const id of ids) expect(both.stderr).toContain(id)
  expect(await holdfast(['projects', 'show', 'twinn'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('Did you mean twin?'),
  })
})

test('[CL2] what cannot be taken back is asked once on a terminal', async () => {
  const { holdfast } = await openInstallation()
  await holdfast(['projects', 'create', 'p'])
  const no = await holdfast(['projects', 'delete', 'p'], { terminal: true, input: 'n\n' })
  expect([no.code, no.stdout]).toEqual([1, ''])
  expect(no.stderr).toContain('Nothing was changed.')
  const silence = await holdfast(['projects', 'delete', 'p'], { terminal: true, input: '' })
  expect(silence.code).toBe(1)
  expect((await holdfast(['projects', '--json'])).json().items).toHaveLength(1)
  const yes = await holdfast(['projects', 'delete', 'p'], { terminal: true, input: 'y\n' })
  expect(yes.code).toBe(0)
  expect((await holdfast(['projects', '--json'])).json().items).toEqual([])
})

test('[CL2] without a terminal nothing is asked and nothing is done', async () => {
  const { holdfast } = await openInstallation()
  await holdfast(['projects', 'create', 'p'])
  const refused = await holdfast(['projects', 'delete', 'p'], { input: 'y\n' })
  expect([refused.code, refused.stderr.includes('--yes')]).toEqual([2, true])
  expect((await holdfast(['projects', '--json'])).json().items).toHaveLength(1)
})

test('[CL2] a list stops at --limit and says that there is more', async () => {
  const { holdfast } = await openInstallation()
  for (const name of ['a', 'b', 'c']) await holdfast(['projects', 'create', name])
  const two = await holdfast(['projects', 'list', '--limit', '2'])
  expect([two.stdout.trimEnd().split('\n').length, two.stderr]).toEqual([
    3,
    'There are more; --limit N shows them.\n',
  ])
  expect(await holdfast(['projects', 'list', '--limit', '0'])).toMatchObject({ code: 2 })
})

test('[SE6] a name from somebody else cannot steer the terminal', async () => {
  const { holdfast, server } = await openInstallation()
  // As an earlier build let it in (SE13).
  await server.store.run(createProject, { name: 'a\u009b2Jb\u202ec', by: 'owner' })
  for (const argv of [['projects'], ['projects', 'show', 'a\u009b2Jb\u202ec']]) {
    expect((await holdfast(argv)).stdout).toContain('a\\u009b2Jb\\u202ec')
  }
})
