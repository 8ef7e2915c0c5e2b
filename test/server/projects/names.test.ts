/**
 * SE13: names that cannot be read for what they are, or that are not theirs to take, are refused in
 * words at every endpoint.
 */
import { expect, test } from 'vitest'
import { openConsole } from '../../support/relay.ts'
import { openTestServer } from '../../support/server.ts'

/** Turned around, unseen, or of no width: each shown among letters, as they would be hidden. */
const unseen = [
  0x202e, 0x202a, 0x2066, 0x2069, 0x200e, 0x200f, 0x61c, 0x200b, 0x2060, 0xfeff, 0x2028, 0x85, 0x9b,
]
const hidden = unseen.map((code) => `inv${String.fromCodePoint(code)}fdp.exe`)
const words = /control characters|invisible characters/

test('[SE13] no name anywhere has characters that are not seen or turn text around', async () => {
  const server = await openTestServer()
  const post = async (path: string, body: object) =>
    (await server.ask(path, { method: 'POST', body })).json
  const { id } = await post('/api/projects', { name: 'p' })
  const project = `/api/projects/${id}`
  const { id: work } = await post(`${project}/sessions`, {})
  const named = (name: string): [string, string, object][] => [
    ['POST', '/api/projects', { name }],
    ['PATCH', project, { name }],
    ['POST', '/api/people', { name, role: 'viewer' }],
    ['POST', '/api/tokens', { name, kind: 'script' }],
    ['POST', '/api/agents', { name, protocol: 'mcp' }],
    ['POST', '/api/agents', { name: 'a', role: name, protocol: 'mcp' }],
    ['POST', `${project}/tasks`, { phase: 1, type: 'code', title: name }],
    ['PUT', `${project}/sessions/${work}/artifacts/${encodeURIComponent(name)}`, {}],
  ]
  for (const name of hidden)
    for (const [method, path, body] of named(name)) {
      const { status, json } = await server.ask(path, { method, body })
      expect([path, JSON.stringify(name), status, json?.detail]).toEqual([
        path,
        JSON.stringify(name),
        expect.toBeOneOf([400, 422]),
        expect.stringMatching(words),
      ])
    }
  // What joins letters and emoji is a part of them; languages that are written from the right are
  // words like others.
  for (const name of ['می\u200cخواهم', '👩\u200d💻', 'שלום', '設計'])
    expect((await server.ask(project, { method: 'PATCH', body: { name } })).json).toMatchObject({
      name,
    })
})

test('[SE13] a role has a letter or a digit, and no workspace is git’s own', async () => {
  const { client, created } = await openConsole()
  const socket = await client()
  const inside = await created(socket)
  const refused = async (message: object): Promise<string> => {
    socket.send({ type: 'agent:spawn', ...inside, role: 'r', ...message })
    const { code, detail } = await socket.next('error')
    expect(code).toBe('invalid_request')
    return detail
  }
  for (const role of ['@', '.', '..', '-', '~', '👩‍💻'])
    expect(await refused({ role })).toMatch(/^role: must have a letter or a digit/)
  for (const role of hidden) expect(await refused({ role })).toMatch(words)
  for (const workspace of [
    '.git',
    '.GIT',
    'a/.git/hooks',
    '.git.',
    '.git ',
    'GIT~1',
    '.g\u200cit',
    'b\\.git',
  ])
    expect([workspace, await refused({ workspace })]).toEqual([
      workspace,
      expect.stringMatching(/\.git, which is reserved for git|reverse text/),
    ])
})
