import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'
import { openSocket } from '../../support/feed-clients.ts'

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

test('[SE3] a changed role changes what a person may do and what they gave', async () => {
  const { holdfast, server } = await openInstallation()
  const env = {
    HOLDFAST_TOKEN: (await holdfast(['people', 'add', 'Aiko', '--role', 'owner', '--json'])).json()
      .token,
  }
  const make = async (name: string, ...more: string[]): Promise<string> =>
    (await holdfast(['token', 'create', name, '--json', ...more], { env })).json().token
  const tokens = [
    await make('all'),
    await make('look', '--scope', 'read'),
    await make('machine', '--kind', 'coordinator'),
  ]
  const works = (token: string | undefined) =>
    server.ask('/api/me', { token: token ?? '' }).then(({ status }) => status === 200)
  const home = await openSocket({ port: server.port, token: env.HOLDFAST_TOKEN })
  const changed = await holdfast(['people', 'role', 'Aiko', 'viewer'])
  expect(changed).toMatchObject({
    code: 0,
    stdout: '✓ Aiko is viewer now\n',
    stderr: expect.stringMatching(/allowed more: all, machine/),
  })
  // What was opened with more is asked for anew; the credential itself stays good.
  expect((await home.closed).code).not.toBe(4001)
  expect(await Promise.all([...tokens, env.HOLDFAST_TOKEN].map(works))).toEqual([
    false,
    true,
    false,
    true,
  ])
  expect(await holdfast(['projects', 'create', 'x'], { env })).toMatchObject({ code: 4 })
  expect((await holdfast(['people', '--json'])).json().items).toContainEqual(
    expect.objectContaining({ name: 'Aiko', role: 'viewer' }),
  )
  expect((await holdfast(['people', 'role', 'Aiko', 'member', '--json'])).json()).toMatchObject({
    role: 'member',
    revokedTokens: [],
  })
  expect((await holdfast(['projects', 'create', 'x'], { env })).code).toBe(0)
  expect(await holdfast(['people', 'role', 'Aiko', 'king'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('owner, member, viewer'),
  })
  // Nobody gives what they do not have, and the owner stays the owner.
  const { token } = (
    await holdfast(['token', 'create', 'few', '--scope', 'read', '--scope', 'manage', '--json'])
  ).json()
  expect(
    await holdfast(['people', 'role', 'Aiko', 'owner'], { env: { HOLDFAST_TOKEN: token } }),
  ).toMatchObject({ code: 4 })
  expect(
    (await server.ask('/api/people/owner', { method: 'PATCH', body: { role: 'viewer' } })).json
      .code,
  ).toBe('last_owner')
})

test('[SE3] a new token voids a person’s old one, browsers and links, not tokens', async () => {
  const { holdfast, server } = await openInstallation()
  const { token: old, id } = (
    await holdfast(['people', 'add', 'Ben', '--role', 'owner', '--json'])
  ).json()
  const script = (
    await holdfast(['token', 'create', 's', '--json'], { env: { HOLDFAST_TOKEN: old } })
  ).json().token
  const login = await server.ask('/api/login', {
    method: 'POST',
    body: { token: old },
    token: null,
  })
  const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  const link = (await server.ask('/api/sign-in-codes', { method: 'POST', token: old })).json.code
  const open = await openSocket({ port: server.port, token: old })
  const few = (
    await holdfast(['token', 'create', 'few', '--scope', 'read', '--scope', 'manage', '--json'])
  ).json().token
  // The holder of the token is that person.
  expect(await server.ask(`/api/people/${id}/token`, { method: 'POST', token: few })).toMatchObject(
    { status: 403 },
  )
  expect(await holdfast(['people', 'renew', 'Ben'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  const renewed = await holdfast(['people', 'renew', 'Ben', '--yes', '--json'])
  expect(await open.closed).toEqual({ code: 4001, reason: 'revoked' })
  const status = async (token: string | null, headers = {}) =>
    (await server.ask('/api/me', { token, headers })).status
  expect([
    await status(old),
    await status(renewed.json().token),
    await status(script),
    await status(null, { cookie }),
  ]).toEqual([401, 200, 200, 401])
  expect(
    (await server.ask('/api/login', { method: 'POST', body: { code: link }, token: null })).status,
  ).toBe(401)
  expect(
    (await holdfast(['people', 'renew', 'Ben', '--yes'])).stdout.match(/hf_person_[\w-]+/g),
  ).toHaveLength(1)
  expect((await server.ask('/api/people/owner/token', { method: 'POST' })).json.code).toBe(
    'last_owner',
  )
})

test('[CL1] a token is made with scopes and an end, listed without value, revoked', async () => {
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

test('[SE3] two tokens of one name are refused while the first one is valid', async () => {
  const { holdfast, server } = await openInstallation()
  const body = { name: 'ci', kind: 'script', expiresAt: '2026-03-01T10:00:00.000Z' }
  const first = await server.ask('/api/tokens', { method: 'POST', body })
  expect(first.status).toBe(201)
  const again = await server.ask('/api/tokens', {
    method: 'POST',
    body: { name: 'ci', kind: 'coordinator' },
  })
  expect([again.status, again.json]).toEqual([
    409,
    expect.objectContaining({
      code: 'already_exists',
      detail: 'There is a token called ci already',
      tokenId: first.json.id,
    }),
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
    server
      .ask('/api/login', { method: 'POST', body: { code: secret }, token: null })
      .then(({ status }) => status)
  expect([await login(), await login()]).toEqual([204, 401])
  expect((await holdfast(['open', '--json'])).json()).toMatchObject({
    opened: false,
    url: expect.stringContaining('/sign-in#'),
  })
})

test('[UI8] open --qr shows a code for a phone at the public address, or why not', async () => {
  const alone = await openInstallation()
  expect(await alone.holdfast(['open', '--qr'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('public_url'),
  })
  const { holdfast } = await openInstallation({ publicUrl: 'https://holdfast.example.com' })
  const { code, stdout } = await holdfast(['open', '--qr'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/[█▀▄]{10}/)
  expect(stdout).toContain('https://holdfast.example.com/sign-in#hf_code_')
})

test('[SE3] revoking a token names what it made and takes it along, unless kept', async () => {
  const { holdfast } = await openInstallation()
  const make = async (name: string, env = {}) =>
    (await holdfast(['token', 'create', name, '--json'], { env })).json().token
  const outer = await make('outer')
  const inner = await make('inner', { HOLDFAST_TOKEN: outer })
  await make('innermost', { HOLDFAST_TOKEN: inner })
  expect((await holdfast(['token'])).stdout).toMatch(/innermost +script .* inner +/)
  expect((await holdfast(['token', 'revoke', 'outer'])).stderr).toContain(
    'So is what it made: inner, innermost.',
  )
  expect((await holdfast(['token', 'revoke', 'outer', '--keep-made', '--yes'])).code).toBe(0)
  const revoked = await holdfast(['token', 'revoke', 'inner', '--yes'])
  expect(revoked.stdout).toBe('✓ Revoked the token inner, with innermost\n')
  expect((await holdfast(['token', '--json'])).json().items).toEqual([])
})

test('[SE24] a person’s browsers are listed with ids, and one is signed out', async () => {
  const { holdfast, server } = await openInstallation()
  const signIn = (name: string) =>
    server.ask('/api/login', {
      method: 'POST',
      token: null,
      body: { token: server.ownerToken },
      headers: { 'user-agent': `${name}/1.0` },
    })
  const login = await signIn('Kept')
  await signIn('Left')
  const { items } = (await holdfast(['devices', '--json'])).json()
  const [kept, left] = ['Kept', 'Left'].map(
    (wanted) => items.find(({ name }: { name: string }) => name === wanted).id,
  )
  expect((await holdfast(['devices'])).stdout).toMatch(
    new RegExp(`Left .*127\\.0\\.0\\.1 .*${left}`),
  )
  expect(await holdfast(['devices', 'revoke', left, '--yes'])).toMatchObject({
    code: 0,
    stdout: '✓ Signed Left out\n',
  })
  expect((await holdfast(['devices', '--json'])).json().items).toMatchObject([{ id: kept }])
  expect((await holdfast(['devices', 'revoke', left, '--yes'])).code).not.toBe(0)
  const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] ?? ''
  expect((await server.ask('/api/me', { token: null, headers: { cookie } })).status).toBe(200)
})
