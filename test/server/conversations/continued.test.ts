/** Another agent goes on in a session, as it is asked over HTTP (SN21). */
import { expect, test } from 'vitest'
import { type Said, started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { readyAgent, said, turnEnded } from '../../support/relay.ts'

const model = {
  id: 'model',
  name: 'Model',
  category: 'model',
  value: 'small',
  values: [
    { id: 'small', name: 'Small' },
    { id: 'large', name: 'Large' },
  ],
}

async function openSession() {
  const { server, room, machine, say } = await openAcpChat()
  const { projectId } = room
  const { key } = (
    await server.ask(`/api/projects/${projectId}/conversations`, {
      method: 'POST',
      body: { agentId: 'coder', content: 'The word is heron.' },
    })
  ).json
  /** The next process that is ordered answers its first turn. */
  const answer = async (text: string) => {
    const { launchId } = await machine.order('launch-begun')
    const ready = { ...readyAgent(launchId), options: [model] } as Said
    await machine.tell(started(launchId), ready)
    const turn = await machine.turn()
    await machine.tell(said(launchId, turn.turnId, text), turnEnded(launchId, turn.turnId))
    return turn
  }
  const agent = `/api/conversations/${key}/agent`
  const goOn = (body: object, path = agent) => server.ask(path, { method: 'POST', body })
  const write = (content: string, conversationKey = key) =>
    server.ask('/api/chat', { method: 'POST', body: { projectId, conversationKey, content } })
  return { server, say, key, agent, goOn, answer, write, projectId }
}

const textsOf = ({ content }: { content: { text: string }[] }) =>
  content.map(({ text }) => text).join('\n')

test('[SN21] [SN22] the second agent is sent what was said with the first, and answers in the same session', async () => {
  const { server, key, agent, goOn, answer, write } = await openSession()
  await answer('I keep heron in mind.')
  expect((await server.ask(`${agent}?agentId=critic`)).json).toMatchObject({
    agentId: 'critic',
    beginsAnother: false,
    reads: 'whole',
    messages: 2,
    leftOut: 0,
    budgetTokens: 40_000,
    refused: null,
    running: false,
    queued: 0,
    models: [],
    model: null,
  })
  expect((await goOn({ agentId: 'critic' })).status).toBe(200)
  expect((await server.ask(`/api/conversations/${key}`)).json).toMatchObject({
    agentId: 'critic',
    agents: [{ agentId: 'coder' }, { agentId: 'critic' }],
  })
  await write('Which word?')
  const turn = await answer('heron')
  expect(textsOf(turn)).toContain('The word is heron.')
  expect(textsOf(turn)).toContain('I keep heron in mind.')
  expect(textsOf(turn).split('Which word?')).toHaveLength(2)
})

test('[SN21] another model of the same agent is its option, and of another one is chosen with it', async () => {
  const { server, key, agent, goOn, answer, write } = await openSession()
  await answer('Yes.')
  expect((await server.ask(`${agent}?agentId=coder`)).json).toMatchObject({
    reads: 'nothing',
    tokens: 0,
    models: model.values,
    model: 'small',
  })
  const unknown = await goOn({ agentId: 'coder', model: 'huge' })
  expect(unknown).toMatchObject({ status: 400, json: { code: 'invalid_request', field: 'model' } })
  const chosen = await goOn({ agentId: 'coder', model: 'large' })
  expect(chosen).toMatchObject({ status: 200, json: { key, agents: [{ agentId: 'coder' }] } })
  expect((await server.ask(`${agent}?agentId=coder`)).json.model).toBe('large')
  expect((await goOn({ agentId: 'critic', model: 'large' })).status).toBe(409)
  expect((await server.ask(`/api/conversations/${key}`)).json.agentId).toBe('coder')
  await goOn({ agentId: 'critic' })
  await write('Hello.')
  await answer('Hello.')
  await goOn({ agentId: 'coder' })
  expect((await goOn({ agentId: 'critic', model: 'large' })).status).toBe(200)
  expect((await server.ask(`/api/conversations/${key}/options`)).json.options).toMatchObject([
    { value: 'large' },
  ])
})

test("[SN21] an agent's first session answers 201 with the session that goes on, and names it", async () => {
  const { server, say, goOn, answer, projectId } = await openSession()
  await answer('Yes.')
  await say('The chat.')
  const first = `/api/conversations/web:${projectId}.coder`
  await answer('Yes, the chat.')
  const made = await goOn({ agentId: 'critic' }, `${first}/agent`)
  expect(made).toMatchObject({
    status: 201,
    json: { kind: 'session', agentId: 'critic', continuedFrom: `web:${projectId}.coder` },
  })
  expect((await server.ask(first)).json).toMatchObject({
    agentId: 'coder',
    continuedAs: made.json.key,
  })
  expect((await goOn({ agentId: 'nobody' })).status).toBe(404)
  expect((await goOn({ agentId: 'critic' }, '/api/conversations/agent:a~b/agent')).status).toBe(404)
})
