import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'
import { sitDown } from '../../support/typed-terminal.ts'

const value = 'a value of the vault'

test('[SR1] secrets are set from standard input, listed without values, and removed', async () => {
  const { holdfast } = await openInstallation()
  await holdfast(['projects', 'create', 'p'])
  await holdfast(['agents', 'add', 'ann', '--protocol', 'mcp'])
  const set = await holdfast(['secrets', 'set', 'NPM_TOKEN', '--agent', 'ann'], {
    input: `${value}\n`,
  })
  expect(set).toMatchObject({
    code: 0,
    stdout:
      '✓ The secret NPM_TOKEN is set; ann gets it as the variable NPM_TOKEN from the next start on\n',
  })
  const changed = await holdfast([
    'secrets',
    'set',
    'NPM_TOKEN',
    '--keep-value',
    '--as',
    'file',
    '--json',
  ])
  expect(changed.json()).toMatchObject({ name: 'NPM_TOKEN', givenAs: 'file', agentIds: ['ann'] })
  const listed = await holdfast(['secrets'])
  expect(listed.stdout).toMatch(/NPM_TOKEN +file +ann .* never/)
  expect(
    [set, changed, listed].map(({ stdout, stderr }) => stdout + stderr).join(''),
  ).not.toContain(value)
  expect((await holdfast(['secrets', 'uses', 'NPM_TOKEN'])).stdout).toBe('It was never used.\n')
  expect(await holdfast(['secrets', 'remove', 'NPM_TOKEN'])).toMatchObject({ code: 2 })
  expect(await holdfast(['secrets', 'remove', 'NPM_TOKEN', '--yes'])).toMatchObject({ code: 0 })
  expect((await holdfast(['secrets', '--json'])).json()).toEqual({ items: [] })
})

test('[SR1] a value is no argument; at a terminal it is asked for and not shown', async () => {
  const { holdfast, data, server } = await openInstallation()
  await holdfast(['projects', 'create', 'p'])
  const refused = await holdfast(['secrets', 'set', 'NPM_TOKEN=abcdefgh'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('no argument') })
  const person = sitDown(['secrets', 'set', 'NPM_TOKEN', '--nobody'], { HOLDFAST_DATA: data })
  await person.sees(/Value of NPM_TOKEN \(not shown\): $/, 'stderr')
  person.type(value)
  expect(await person.exit).toBe(0)
  expect(person.written.stdout).toContain('no agent gets it')
  expect(person.written.stdout + person.written.stderr).not.toContain(value)
  const [project] = (await server.ask('/api/projects')).json.items
  expect((await server.ask(`/api/projects/${project.id}/secrets`)).json.items).toMatchObject([
    { name: 'NPM_TOKEN' },
  ])
})
