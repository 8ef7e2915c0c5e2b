/** Which project a command means when none is named: that of the folder the person is in. */
import { mkdirSync, rmdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Installation, openInstallation } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function open() {
  const installation = await openInstallation()
  const root = temporaryFolder()
  for (const folder of ['shop/src', 'shop/api/lib', 'shopping', 'elsewhere'])
    mkdirSync(join(root, folder), { recursive: true })
  symlinkSync(join(root, 'shop'), join(root, 'link'))
  await installation.holdfast(['projects', 'create', 'shop', '--path', join(root, 'link')])
  await installation.holdfast(['projects', 'create', 'api', '--path', join(root, 'shop', 'api')])
  return { ...installation, root }
}

const shownIn = async (
  { holdfast }: Installation,
  cwd: string,
  ...more: string[]
): Promise<string> => (await holdfast(['projects', 'show', '--json', ...more], { cwd })).json().name

test('[CL4] the nearest project whose folder contains the working directory is meant', async () => {
  const place = await open()
  const { root, holdfast } = place
  expect(await shownIn(place, join(root, 'shop'))).toBe('shop')
  expect(await shownIn(place, join(root, 'shop', 'src'))).toBe('shop')
  expect(await shownIn(place, join(root, 'link', 'src'))).toBe('shop')
  expect(await shownIn(place, join(root, 'link', 'api', 'lib'))).toBe('api')
  await holdfast(['tasks', 'create', 'Paint', '--project', 'api'])
  expect((await holdfast(['tasks'], { cwd: join(root, 'shop', 'api') })).stdout).toContain('Paint')
  expect((await holdfast(['tasks'], { cwd: join(root, 'shop') })).stdout).not.toContain('Paint')
  // What is typed wins.
  expect(
    (await holdfast(['tasks', '--project', 'api'], { cwd: join(root, 'shop') })).stdout,
  ).toContain('Paint')
})

test('[CL4] a folder of no project, or of two, says what to type', async () => {
  const { root, holdfast } = await open()
  for (const cwd of [join(root, 'shopping'), root, join(root, 'gone')])
    expect(await holdfast(['tasks'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /the folder you are in belongs to none of them.*--project with one of: (shop, api|api, shop)/s,
      ),
    })
  // A folder that became a link to another since.
  mkdirSync(join(root, 'twin'))
  const ids = [
    (await holdfast(['projects', 'create', 'twin', '--path', join(root, 'twin'), '--json'])).json()
      .id,
    (
      await holdfast(['projects', 'create', 'other', '--path', join(root, 'shopping'), '--json'])
    ).json().id,
  ]
  rmdirSync(join(root, 'twin'))
  symlinkSync(join(root, 'shopping'), join(root, 'twin'))
  const { code, stderr } = await holdfast(['tasks'], { cwd: join(root, 'shopping') })
  expect([code, stderr]).toEqual([2, expect.stringContaining('2 projects have the folder')])
  for (const id of ids) expect(stderr).toContain(id)
})

test('[CL4] an agent is spoken to in the folder’s project, or the other is named', async () => {
  const { root, holdfast } = await open()
  await holdfast(['agents', 'add', 'ann', '--protocol', 'mcp'])
  await holdfast(['projects', 'assign', 'shop', 'ann'])
  const only = await holdfast(['chat', 'ann', '--message', 'one'], {
    cwd: join(root, 'shop', 'api'),
  })
  expect(only).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('ann is not in api, the project of this folder'),
  })
  await holdfast(['projects', 'assign', 'api', 'ann'])
  expect(
    await holdfast(['chat', 'ann', '--message', 'two'], { cwd: join(root, 'shop', 'api') }),
  ).toMatchObject({
    code: 0,
    stderr: '',
  })
  const said = async (project: string): Promise<string[]> =>
    (await holdfast(['chat', 'ann', '--project', project, '--json']))
      .json()
      .items.map(({ content }: { content: string }) => content)
  expect([await said('shop'), await said('api')]).toEqual([['one'], ['two']])
  expect(
    await holdfast(['chat', 'ann', '--message', 'three'], { cwd: join(root, 'elsewhere') }),
  ).toMatchObject({ code: 2 })
})
