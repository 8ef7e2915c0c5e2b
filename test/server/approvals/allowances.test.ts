/**
 * "Allow always" over the relay and REST: what is kept, what it answers by itself, and how it ends.
 */
import { expect, test } from 'vitest'
import type { PermissionRequest } from '../../../src/protocol/turns/agent-update.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { asks, openConsole, pass, question } from '../../support/relay.ts'

const print = (word: string): string => word.repeat(64).slice(0, 64)

async function asking() {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'work' })
  const { turnId } = await machine.turn()
  let asked = 0
  const ask = async (
    change: Partial<PermissionRequest['call']> = {},
    likeness: string | null = print('b'),
  ) => {
    const plain = question()
    await machine.tell(
      asks(launchId, turnId, `q${++asked}`, {
        ...plain,
        likeness,
        call: { ...plain.call, ...change },
      }),
    )
    return (await client.next('permission:requested')).approvalId as number
  }
  const answer = (approvalId: number, more: object) =>
    client.send({ type: 'permission:answer', ...inside, approvalId, ...more })
  const call = (method: string, path: string, body?: unknown) =>
    room.server.ask(`/api/projects/${room.projectId}${path}`, {
      method,
      ...(body !== undefined && { body }),
    })
  const wait = (ms: number) => pass(room, ms, client, machine.socket)
  const list = async (query = '') => (await call('GET', `/allowances${query}`)).json.items
  return { ...room, client, machine, inside, launchId, ask, answer, call, list, wait }
}

test('[AP9] allowed always: the agent is told its mildest yes, the same is answered by itself with who allowed it, another is asked', async () => {
  const { ask, answer, client, machine, list, call, projectId, launchId, server } = await asking()
  answer(await ask(), { optionId: 'yes', always: {} })
  expect(await client.next('permission:resolved')).toMatchObject({
    outcome: 'allowed',
    optionId: 'yes',
    decidedBy: 'owner',
  })
  expect(await machine.order('permission-settled')).toMatchObject({
    launchId,
    askId: 'q1',
    optionId: 'yes',
  })
  const [kept] = await list()
  expect(kept).toMatchObject({
    projectId,
    agentId: 'coder',
    scope: 'request',
    toolKind: 'edit',
    createdBy: 'owner',
    approvalId: 1,
  })
  expect(Date.parse(kept.expiresAt) - Date.parse(kept.createdAt)).toBe(8 * 3_600_000)

  await ask()
  const received = {
    outcome: 'allowed',
    optionId: 'yes',
    decidedBy: 'policy allow_always by owner',
  }
  expect(await client.next()).toMatchObject({ type: 'permission:resolved', ...received })
  expect(await machine.order('permission-settled')).toMatchObject({ askId: 'q2', optionId: 'yes' })
  const record = (await call('GET', '/approvals/2')).json
  expect(record).toMatchObject({
    status: 'approved',
    outcome: 'allowed',
    decidedBy: received.decidedBy,
  })
  for (const [change, likeness] of [
    [{}, print('c')],
    [{ toolKind: 'delete' }, print('b')],
    [{}, null],
  ] as const) {
    const approvalId = await ask(change, likeness)
    answer(approvalId, { outcome: 'denied' })
    expect(await client.next()).toMatchObject({
      type: 'permission:resolved',
      approvalId,
      outcome: 'denied',
    })
  }

  const { json: revoked } = await call('DELETE', `/allowances/${kept.id}`)
  expect(revoked).toMatchObject({ id: kept.id, revokedBy: 'owner', revokedAt: expect.any(String) })
  expect((await call('DELETE', `/allowances/${kept.id}`)).json).toEqual(revoked)
  expect((await call('DELETE', '/allowances/none')).json).toMatchObject({
    status: 404,
    code: 'not_found',
  })
  expect((await server.ask(`/api/projects/none/allowances`)).json).toMatchObject({
    code: 'not_found',
  })
  expect([await list(), (await list('?ended=true')).length]).toEqual([[], 1])
  const again = await ask()
  expect((await call('GET', `/approvals/${again}`)).json).toMatchObject({ status: 'pending' })
})

test('[AP11] an allowance ends by the clock, with its agent’s place in the project, and with whoever gave it', async () => {
  const { ask, call, wait, server, list, projectId } = await asking()
  const give = (approvalId: number, always: object, token = server.ownerToken) =>
    server.ask(`/api/projects/${projectId}/approvals/${approvalId}/decision`, {
      method: 'POST',
      body: { status: 'approved', always },
      token,
    })
  const isAsked = async () => {
    const approvalId = await ask()
    const { status } = (await call('GET', `/approvals/${approvalId}`)).json
    if (status === 'pending')
      await call('POST', `/approvals/${approvalId}/decision`, { status: 'rejected' })
    return status === 'pending'
  }
  await give(await ask(), { expiresInMinutes: 1 })
  expect(await isAsked()).toBe(false)
  await wait(60_000)
  expect([await isAsked(), await list()]).toEqual([true, []])

  const { json: amy } = await server.ask('/api/people', {
    method: 'POST',
    body: { name: 'Amy', role: 'owner' },
  })
  await give(await ask(), {}, amy.token)
  expect(await list()).toMatchObject([{ createdBy: amy.id }])
  expect(await isAsked()).toBe(false)
  await server.ask(`/api/people/${amy.id}`, { method: 'DELETE' })
  expect(await isAsked()).toBe(true)

  await give(await ask(), {})
  await call('DELETE', '/agents/coder')
  expect(await list()).toEqual([])
})

test('[AG6] a folder, a kind of tool, the agent’s own “always”; a no, an approval of another kind and nonsense are refused and change nothing', async () => {
  const { ask, answer, client, call, list } = await asking()
  const inFolder = {
    locations: [{ path: '/w/src/a.ts', line: null }],
    input: '{"path":"/w/src/a.ts"}',
  }
  const at = (path: string) => ({ locations: [{ path, line: 1 }], input: JSON.stringify({ path }) })
  const refused = async (approvalId: number, more: object, code: string) => {
    answer(approvalId, more)
    expect(await client.next('error')).toMatchObject({ code })
  }
  const first = await ask(inFolder)
  await refused(first, { outcome: 'denied', always: {} }, 'invalid_request')
  await refused(first, { optionId: 'no', always: {} }, 'invalid_request')
  await refused(first, { optionId: 'yes', always: { scope: 'tool' } }, 'wrong_state')
  await refused(first, { optionId: 'yes', always: { scope: 'folder', folder: '/' } }, 'wrong_state')
  await refused(
    first,
    { optionId: 'yes', always: { scope: 'folder', folder: '/w/other' } },
    'wrong_state',
  )
  for (const wrong of [
    { scope: 'all' },
    { expiresInMinutes: 0 },
    { expiresInMinutes: 1e9 },
    { forever: true },
  ])
    await refused(first, { optionId: 'yes', always: wrong }, 'invalid_request')
  expect([await list(), (await call('GET', `/approvals/${first}`)).json.status]).toEqual([
    [],
    'pending',
  ])
  answer(first, { optionId: 'yes', always: { scope: 'folder', expiresInMinutes: 60 } })
  expect(await client.next()).toMatchObject({ outcome: 'allowed' })
  expect(await list()).toMatchObject([
    { scope: 'folder', folder: '/w/src', likeness: null, title: 'edit /w/src/**' },
  ])
  await ask(at('/w/src/b/c.ts'), print('d'))
  expect(await client.next()).toMatchObject({ type: 'permission:resolved', outcome: 'allowed' })
  const outside = await ask(at('/w/src2/c.ts'), print('d'))

  answer(outside, { optionId: 'always' })
  expect(await client.next()).toMatchObject({ outcome: 'allowed', optionId: 'yes' })
  expect((await list())[0]).toMatchObject({ scope: 'request', likeness: print('d') })
  answer(await ask({ toolKind: 'switch_mode' }, print('e')), { optionId: 'always' })
  expect(await client.next()).toMatchObject({ outcome: 'allowed', optionId: 'always' })
  expect(await list()).toHaveLength(2)

  const { json: other } = await call('POST', '/approvals', {
    checkpointType: 'plan',
    leaderId: 'coder',
  })
  const body = { status: 'approved', always: {} }
  expect((await call('POST', `/approvals/${other.id}/decision`, body)).json).toMatchObject({
    code: 'wrong_state',
  })
})

test('[AP6] without an input there is no “always”, of ours or of the agent’s own, by any scope; the yes is for this once', async () => {
  const { ask, answer, client, call, list } = await asking()
  const read = (path: string) => {
    const toolKind = 'read' as const
    return {
      toolKind,
      title: 'Bash',
      input: JSON.stringify({ path }),
      locations: [{ path, line: null }],
    }
  }
  for (const [scope, path] of [
    ['folder', '/w/a'],
    ['tool', '/x/a'],
  ] as const) {
    answer(await ask(read(path)), { optionId: 'yes', always: { scope } })
    expect(await client.next()).toMatchObject({ outcome: 'allowed', decidedBy: 'owner' })
  }
  expect((await list()).map(({ title }: { title: string }) => title).toSorted()).toEqual([
    'read *',
    'read /w/**',
  ])
  for (const likeness of [null, print('b')]) {
    const approvalId = await ask({ ...read('/w/a'), input: null }, likeness)
    for (const more of [
      { optionId: 'always' },
      { optionId: 'yes', always: {} },
      { optionId: 'yes', always: { scope: 'folder' } },
      { optionId: 'yes', always: { scope: 'tool' } },
    ]) {
      answer(approvalId, more)
      expect(await client.next()).toMatchObject({
        type: 'error',
        code: 'wrong_state',
        detail: expect.stringContaining('exactly'),
      })
    }
    expect((await call('GET', `/approvals/${approvalId}`)).json.status).toBe('pending')
    answer(approvalId, { optionId: 'yes' })
    expect(await client.next()).toMatchObject({
      type: 'permission:resolved',
      outcome: 'allowed',
      decidedBy: 'owner',
    })
  }
  expect(await list()).toHaveLength(2)
})

test('[AP10] the title of a rule says what it allows: the command and what it is run with, on one line', async () => {
  const { ask, answer, client, list } = await asking()
  const titleFor = async (input: object, likeness: string) => {
    answer(
      await ask(
        { toolKind: 'execute', title: 'Bash', input: JSON.stringify(input) },
        print(likeness),
      ),
      {
        optionId: 'always',
      },
    )
    expect(await client.next()).toMatchObject({ outcome: 'allowed', optionId: 'yes' })
    return (await list()).find((each: { likeness: string }) => each.likeness === print(likeness))
      .title
  }
  expect(await titleFor({ command: 'cd /long/folder &&\nls', description: 'List' }, '1')).toBe(
    'cd /long/folder && ls',
  )
  expect(await titleFor({ command: ['rm', 'a b'], cwd: '/w' }, '2')).toBe(
    '["rm","a b"] {"cwd":"/w"}',
  )
  expect(await titleFor({ query: 'x' }, '3')).toBe('Bash {"query":"x"}')
  expect(await titleFor({ command: `echo ${'x'.repeat(5000)}` }, '4')).toMatch(/^echo x{994}…$/)
})

test('[SE3] without the scope to approve nobody answers a permission over the relay, gives it for always, or revokes', async () => {
  const { ask, server, inside, list, answer, client: owner, projectId } = await asking()
  const approvalId = await ask()
  const body = { name: 's', kind: 'script', scopes: ['read', 'write'] }
  const { json: script } = await server.ask('/api/tokens', { method: 'POST', body })
  const weak = await openSocket({ port: server.port, token: script.token })
  weak.send({ type: 'permission:answer', ...inside, approvalId, optionId: 'yes', always: {} })
  expect(await weak.next('error')).toMatchObject({ code: 'missing_scope', scope: 'approve' })
  answer(approvalId, { optionId: 'yes', always: {} })
  expect(await owner.next('permission:resolved')).toMatchObject({ decidedBy: 'owner' })
  const [kept] = await list()
  const path = `/api/projects/${projectId}/allowances/${kept.id}`
  expect((await server.ask(path, { method: 'DELETE', token: script.token })).json).toMatchObject({
    code: 'missing_scope',
  })
  expect(await list()).toHaveLength(1)
})
