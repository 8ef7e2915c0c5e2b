/** What of others’ sessions reaches a client, for every person, session and channel (AH7, SE28). */
import { expect, test } from 'vitest'
import { chatUri, threadUri, versionUri } from '../../../src/doors/ahp/names.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { ahpClient } from '../../support/ahp-client.ts'
import { amount } from '../../support/extent.ts'
import { fc } from '../../support/property.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const roles = ['member', 'member', 'viewer'] as const

test('[AH7] person × session × channel: others’ sessions are not there, and nothing of them is told', async () => {
  const { server, room } = await openAcpChat()
  const post = async (path: string, body: object, token = server.ownerToken) =>
    (await server.ask(path, { method: 'POST', body, token })).json
  const people: { id: string; token: string; role: string }[] = []
  for (const [index, role] of roles.entries())
    people.push(await post('/api/people', { name: `person ${index}`, role }))
  const path = temporaryFolder()
  await server.ask(`/api/projects/${room.projectId}`, { method: 'PATCH', body: { path } })
  const agent = { id: 'claude', name: 'Claude', protocol: 'acp', command: 'claude-agent-acp' }
  await post('/api/agents', agent)
  await server.ask(`/api/projects/${room.projectId}/agents/claude`, { method: 'PUT', body: {} })
  const begin = { agentId: 'coder', content: 'secret-word-0' }
  const shared = await post(`/api/projects/${room.projectId}/conversations`, begin)
  const threads = [{ key: shared.key, owner: '', word: 'secret-word-0', agentId: 'coder' }]
  const none = { folder: null, branch: null, version: null, forkOf: null, machine: null }
  // A session that was taken in is its person's alone until it is shared (IM5).
  for (const [index, { id: owner, token }] of people.entries()) {
    const word = `secret-word-${index + 1}`
    const about = { title: word, archived: false, updatedAt: '2026-01-02T03:04:05.000Z' }
    const source = { agent: 'claude', id: word, ...none, ...about }
    const { key } = await post('/api/imported-sessions', { source, turns: [], mark: null }, token)
    if (key === undefined) continue
    const body = { projectId: room.projectId }
    await server.ask(`/api/conversations/${key}`, { method: 'PATCH', body, token })
    threads.push({ key, owner, word, agentId: 'claude' })
  }
  expect(threads).toHaveLength(3)
  let allowed = 0
  for (const person of people) {
    const headers = { authorization: `Bearer ${person.token}` }
    const client = await ahpClient({ port: server.port, headers })
    await client.initialize({ clientId: person.id })
    const listed = JSON.stringify(await client.result('listSessions'))
    for (const { key, owner, word, agentId } of threads) {
      const isTheirs = owner === '' || owner === person.id
      expect([person.role, word, listed.includes(word)]).toEqual([person.role, word, isTheirs])
      const thread = threadUri(agentId, key)
      const version = versionUri({ key, blob: 'a'.repeat(40), name: 'a' })
      if (!isTheirs)
        expect(await client.ask('resourceRead', { uri: version })).toMatchObject({
          error: { code: -32008 },
        })
      for (const channel of [thread, chatUri(key), `${thread}/changeset/session`]) {
        const answer = await client.ask('subscribe', { channel })
        expect('result' in answer).toBe(isTheirs)
        if (isTheirs) allowed++
        else expect(answer.error.code).toBe(-32001)
        const actions = [
          { type: 'session/titleChanged', title: 'Taken' },
          { type: 'chat/turnStarted', turnId: `${person.id}${word}`, message: { text: 'x' } },
        ]
        if (!isTheirs)
          for (const action of actions)
            client.send({
              jsonrpc: '2.0',
              method: 'dispatchAction',
              params: { channel, clientSeq: 1, action },
            })
      }
      if (!isTheirs)
        expect(
          (await client.ask('disposeSession', { channel: threadUri(agentId, key) })).error,
        ).toBeTruthy()
    }
    const again = await client.result('reconnect', {
      clientId: 'owner',
      lastSeenServerSeq: 0,
      subscriptions: threads.map(({ key }) => chatUri(key)),
    })
    await client.ask('ping')
    const all = JSON.stringify([again, client.messages])
    for (const { owner, word } of threads)
      if (owner !== '' && owner !== person.id) expect(all).not.toContain(word)
  }
  expect(allowed).toBe((3 + 2) * 3)
  for (const { key } of threads) {
    const { json } = await server.ask(`/api/conversations/${key}`)
    expect(json.archived).toBe(false)
    expect(json.title).toMatch(/secret-word/)
  }
})

test('[AH2] whatever comes in a frame is answered in words, and the connection and the server stay', async () => {
  const { server } = await openAcpChat()
  const headers = { authorization: `Bearer ${server.ownerToken}` }
  const client = await ahpClient({ port: server.port, headers })
  await client.initialize()
  const method = fc.constantFrom(
    'initialize',
    'reconnect',
    'subscribe',
    'unsubscribe',
    'dispatchAction',
    'createSession',
    'disposeSession',
    '__proto__',
  )
  const frame = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        jsonrpc: fc.constantFrom('2.0', '1.0'),
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
        method,
        params: fc.oneof(
          fc.object(),
          fc.record({ channel: fc.string(), clientSeq: fc.anything(), action: fc.object() }),
          fc.record({ channel: fc.constant('ahp-root://'), clientId: fc.string() }),
        ),
      })
      .map((each) => JSON.stringify(each)),
  )
  const frames = fc.sample(frame, { numRuns: amount(300, 5000), seed: 7 })
  for (const each of frames) client.send(each)
  expect(await client.ask('ping')).toMatchObject({ result: null })
  for (const { error } of client.messages.filter((each) => 'error' in each))
    expect([typeof error.code, error.message.length > 0]).toEqual(['number', true])
  expect(server.log()).not.toContain('"level":"error"')
})
