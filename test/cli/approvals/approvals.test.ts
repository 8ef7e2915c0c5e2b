import { expect, test } from 'vitest'
import { commandLineOf, type Installation, openInstallation } from '../../support/command-line.ts'
import { asks, openConsole } from '../../support/relay.ts'

/** Projects with approvals that wait; the numbers are counted over all of them. */
async function ask(
  { holdfast, server }: Installation,
  project: string,
  ...contents: string[]
): Promise<string> {
  const { id } = (await holdfast(['projects', 'create', project, '--json'])).json()
  for (const instructionContent of contents) {
    server.clock.advance(1000)
    const body = { checkpointType: 'plan', leaderId: 'lead', instructionContent }
    expect(
      (await server.ask(`/api/projects/${id}/approvals`, { method: 'POST', body })).status,
    ).toBe(201)
  }
  return id
}

test('[AP5] the inbox shows what waits in any project, a history what was decided', async () => {
  const place = await openInstallation()
  const first = await ask(place, 'one', 'oldest', 'second\nline')
  await ask(place, 'two', 'newest')
  const { holdfast } = place
  expect(
    (await holdfast(['approvals', '--json'])).json().items.map((each: { id: number }) => each.id),
  ).toEqual([1, 2, 3])
  const inbox = await holdfast(['approvals'])
  expect(inbox.stdout).toMatch(
    /^NUMBER +STATUS .*\n1 +waiting +plan +lead .* oldest\n2 .* second\n3 .* newest\n$/,
  )
  expect(
    (await holdfast(['approvals', 'list', '--project', 'two', '--json'])).json().items,
  ).toHaveLength(1)
  await holdfast(['approvals', 'approve', '1'])
  expect((await holdfast(['approvals', '--json'])).json().items).toHaveLength(2)
  const all = (await holdfast(['approvals', 'list', '--project', first, '--all', '--json'])).json()
    .items
  expect(all.map((each: { status: string }) => each.status).toSorted()).toEqual([
    'approved',
    'pending',
  ])
  for (const number of ['2', '3']) await holdfast(['approvals', 'reject', number])
  expect((await holdfast(['approvals'])).stdout).toBe('Nothing waits for a decision.\n')
})

test('[AP1] requests are approved, rejected and sent back with words, once', async () => {
  const place = await openInstallation()
  await ask(place, 'p', 'a', 'b', 'c')
  const { holdfast } = place
  expect(await holdfast(['approvals', 'approve', '1'])).toMatchObject({
    code: 0,
    stdout: '✓ Approval 1 is approved\n',
  })
  const rejected = await holdfast([
    'approvals',
    'reject',
    '2',
    '--feedback',
    'not on a Friday',
    '--json',
  ])
  expect(rejected.json()).toMatchObject({
    id: 2,
    status: 'rejected',
    feedback: 'not on a Friday',
    decidedBy: 'owner',
  })
  const late = await holdfast(['approvals', 'approve', '2'])
  expect([late.code, late.stderr]).toEqual([6, expect.stringContaining('approval_decided')])
  const held = await holdfast(['approvals', 'approve', '3', '--hold', '5'])
  expect(held.stdout + held.stderr).toContain('approvals take-back 3')
  expect((await holdfast(['approvals', 'show', '3'])).stdout).toMatch(/Held +approved by owner/)
  expect((await holdfast(['approvals', 'take-back', '3', '--json'])).json()).toMatchObject({
    status: 'pending',
    held: null,
  })
  expect(await holdfast(['approvals', 'approve', '3', '--hold', '11'])).toMatchObject({ code: 2 })
  expect(await holdfast(['approvals', 'revise', '3'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--feedback'),
  })
  const revised = await holdfast([
    'approvals',
    'revise',
    '3',
    '--feedback',
    'smaller steps',
    '--json',
  ])
  expect(revised.json()).toMatchObject({ status: 'revision_requested', feedback: 'smaller steps' })
  const shown = await holdfast(['approvals', 'show', '2'])
  expect(shown.stdout).toMatch(/^2 {2}plan\n +Status +rejected\n/)
  expect(shown.stdout).toMatch(/Feedback +not on a Friday\n/)
})

test('[AG6] allowed always, listed and taken back; what makes no sense of it is said', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  const { holdfast } = await commandLineOf(room.server)
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'work' })
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'q1'))
  await client.next('permission:requested')
  expect((await holdfast(['approvals', 'approve', '1', '--for', '1d'])).stderr).toContain(
    '--always',
  )
  expect(
    (await holdfast(['approvals', 'approve', '1', '--always', '--for', 'soon'])).stderr,
  ).toContain('90m, 8h, 30d')
  expect((await holdfast(['approvals', 'allowed'])).stdout).toBe(
    'Nothing is allowed without asking.\n',
  )
  const allowed = await holdfast(['approvals', 'approve', '1', '--always', '--for', '1d'])
  expect(allowed.stdout).toBe('✓ Approval 1 is approved, and the same from now on\n')
  const list = await holdfast(['approvals', 'allowed'])
  expect(list.stdout).toMatch(
    /^ID +AGENT +WHAT +UNTIL +BY\n\S+ +coder +Write hello.txt \{"path":"hello.txt"\} +\S.* owner\n$/,
  )
  expect((await holdfast(['approvals', 'revoke', 'none'])).code).toBe(5)
  const [{ id }] = (await holdfast(['approvals', 'allowed', '--json'])).json().items
  expect((await holdfast(['approvals', 'revoke', id])).stdout).toBe(
    '✓ Taken back: Write hello.txt {"path":"hello.txt"}. coder asks again the next time\n',
  )
  expect((await holdfast(['approvals', 'allowed', '--json'])).json().items).toEqual([])
  expect((await holdfast(['approvals', 'allowed', '--all'])).stdout).toContain('revoked')
})

test('[CL2] a number that is none, or that nothing has, says where the numbers are', async () => {
  const { holdfast } = await openInstallation()
  expect(await holdfast(['approvals', 'show', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('holdfast approvals'),
  })
  expect(await holdfast(['approvals', 'approve', '9'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('no approval 9'),
  })
})

test('[SE6] what an agent asks for cannot steer the terminal', async () => {
  const place = await openInstallation()
  await ask(place, 'p', 'a\u009b2Jb')
  for (const argv of [['approvals'], ['approvals', 'show', '1']])
    expect((await place.holdfast(argv)).stdout).toContain('a\\u009b2Jb')
})
