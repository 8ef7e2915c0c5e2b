import { expect, test } from 'vitest'
import { openInstallation } from '../support/command-line.ts'

test('[CL1] a person is added with a token that works, listed, and removed with it', async () => {
  const { holdfast } = await openInstallation()
  const added = await holdfast(['people', 'add', 'Aiko', '--role', 'viewer', '--json'])
  const env = { HOLDFAST_TOKEN: added.json().token }
  expect(await holdfast(['projects'], { env })).toMatchObject({ code: 0 })
  expect(await holdfast(['projects', 'create', 'x'], { env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('missing_scope'),
  })
  expect((await holdfast(['people'])).stdout).toMatch(/Aiko +viewer/)
  expect((await holdfast(['people', 'remove', 'Aiko', '--yes'])).code).toBe(0)
  expect(await holdfast(['projects'], { env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('authentication_failed'),
  })
})

test('[CL1] a token is made with scopes and an end, listed without itself, and revoked', async () => {
  const { holdfast, server } = await openInstallation()
  const made = await holdfast([
    'token',
    'create',
    'ci',
    '--scope',
    'read',
    '--scope',
    'write',
    '--expires',
    '2099-01-01T00:00:00Z',
    '--json',
  ])
  expect(made.json()).toMatchObject({
    name: 'ci',
    kind: 'script',
    scopes: ['read', 'write'],
    expiresAt: '2099-01-01T00:00:00.000Z',
  })
  const env = { HOLDFAST_TOKEN: made.json().token }
  expect(await holdfast(['projects', 'create', 'x'], { env })).toMatchObject({ code: 0 })
  const listed = await holdfast(['token'])
  expect(listed.stdout).toMatch(/ci +script +read, write/)
  expect(listed.stdout).not.toContain(made.json().token)
  expect((await holdfast(['token', 'revoke', 'ci', '--yes'])).code).toBe(0)
  expect((await holdfast(['projects'], { env })).code).toBe(4)
  expect(server.log()).not.toContain(made.json().token)
})

test('[SE3] two tokens of one name are refused while the first is valid, over REST and at the command line', async () => {
  const { holdfast, server } = await openInstallation()
  const body = { name: 'ci', kind: 'script', expiresAt: '2026-03-01T10:00:00.000Z' }
  const first = await server.ask('/api/tokens', { method: 'POST', body })
  expect(first.status).toBe(201)
  const again = await server.ask('/api/tokens', { method: 'POST', body: { name: 'ci', kind: 'coordinator' } })
  expect([again.status, again.json]).toEqual([
    409,
    expect.objectContaining({ code: 'already_exists', detail: 'There is a token called ci already', tokenId: first.json.id }),
  ])
  expect(await holdfast(['token', 'create', 'ci'])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('There is a token called ci already'),
  })
  expect((await holdfast(['token', '--json'])).json().items).toHaveLength(1)
  server.clock.advance(60 * 60 * 1000)
  expect((await holdfast(['token', 'create', 'ci'])).code).toBe(0)
  expect((await holdfast(['token', 'revoke', 'ci', '--yes'])).code).toBe(0)
  expect((await holdfast(['token', 'create', 'ci'])).code).toBe(0)
})

test('[SE1] a secret is printed where it is made, once, and nowhere in the log', async () => {
  const { holdfast, server } = await openInstallation()
  const outputs = [
    await holdfast(['people', 'add', 'Ben']),
    await holdfast(['token', 'create', 't']),
    await holdfast(['agents', 'add', 'a']),
  ]
  for (const { stdout } of outputs) {
    const secrets = stdout.match(/hf_[a-z]+_[\w-]+/g) ?? []
    expect(secrets).toHaveLength(1)
    expect(server.log()).not.toContain(secrets[0])
  }
})

test('[SE1] open prints a new link that signs in once', async () => {
  const { holdfast, server } = await openInstallation()
  const { code, stdout, stderr } = await holdfast(['open'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('It works once')])
  const [, base, secret] = /^(http:\S+)\/sign-in#(\S+)\n$/.exec(stdout) ?? []
  expect(base).toBe(server.url)
  const login = (): Promise<number> =>
    server.ask('/api/login', { method: 'POST', body: { code: secret }, token: null }).then(({ status }) => status)
  expect([await login(), await login()]).toEqual([204, 401])
  expect((await holdfast(['open', '--json'])).json()).toMatchObject({ opened: false, url: expect.stringContaining('/sign-in#') })
})

test('[UI8] open --qr shows a code for a phone at the public address, and says why there is none without it', async () => {
  const alone = await openInstallation()
  expect(await alone.holdfast(['open', '--qr'])).toMatchObject({ code: 1, stderr: expect.stringContaining('public_url') })
  const { holdfast } = await openInstallation({ publicUrl: 'https://holdfast.example.com' })
  const { code, stdout } = await holdfast(['open', '--qr'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/[█▀▄]{10}/)
  expect(stdout).toContain('https://holdfast.example.com/sign-in#hf_code_')
})
