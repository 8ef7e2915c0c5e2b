/**
 * Questions that agents send as permission requests (AP14): a scripted agent as a real process
 * tells what it was answered.
 */
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { hostile } from '../../support/hostile-agent.ts'

const option = (optionId: string, name: string, kind: string) => ({ optionId, name, kind })
const no = option('n', 'No', 'reject_once')
const questions = {
  'two of one kind': [option('red', 'Red', 'allow_once'), option('blue', 'Blue', 'allow_once'), no],
  'none that rejects': [option('red', 'Red', 'allow_once'), option('blue', 'Blue', 'allow_always')],
  'a kind of its own': [option('red', 'Red', 'allow_once'), option('blue', 'Blue', 'pick'), no],
  'two that reject': [
    option('red', 'Red', 'allow_once'),
    option('blue', 'Blue', 'reject_once'),
    no,
  ],
}
const asking = (options: object) =>
  hostile({
    onPrompt: `const toolCall = { toolCallId: 't', title: 'Which colour?', kind: 'read', rawInput: { path: 'a' } }
      const { result } = await ask('session/request_permission', { sessionId: 's1', toolCall, options: ${JSON.stringify(options)} })
      say(JSON.stringify(result.outcome)); done()`,
  })

test.each(Object.entries(questions))(
  '[AP14] %s: a question, answered by its options alone, by no policy and no "always"',
  async (_, options) => {
    const room = await openAgentOnServer(asking(options), {
      settings: { 'permission.policy': 'allow_all' },
    })
    await room.say('ask')
    const { id, permission } = await room.asked()
    expect(permission.options.map(({ optionId }: { optionId: string }) => optionId)).toEqual(
      options.map(({ optionId }) => optionId),
    )
    const refused = await room.decide(id, { status: 'approved' })
    expect(refused).toMatchObject({
      status: 422,
      json: { code: 'option_needed', field: 'optionId' },
    })
    expect(await room.decide(id, { status: 'approved', optionId: 'green' })).toMatchObject({
      status: 400,
    })
    const always = { scope: 'request', expiresInMinutes: 60 }
    expect(await room.decide(id, { status: 'approved', optionId: 'red', always })).toMatchObject({
      status: 400,
    })
    expect((await room.decide(id, { status: 'approved', optionId: 'blue' })).json).toMatchObject({
      status: 'approved',
      outcome: 'allowed',
      permission: { optionId: 'blue' },
    })
    expect(await room.ended(1)).toMatchObject({ text: '{"outcome":"selected","optionId":"blue"}' })
    await room.say('ask again')
    expect((await room.decide((await room.asked()).id, { status: 'rejected' })).json).toMatchObject(
      { outcome: 'denied' },
    )
    expect(await room.ended(2)).toMatchObject({ text: '{"outcome":"cancelled"}' })
  },
)

test('[AP14] several durations beside one yes and one no are a permission, which a policy answers', async () => {
  const options = [
    option('s', 'For this session', 'allow_always'),
    option('a', 'Always', 'allow_always'),
    option('y', 'Yes', 'allow_once'),
    no,
  ]
  const room = await openAgentOnServer(asking(options), {
    settings: { 'permission.policy': 'allow_all' },
  })
  expect(await room.tell('ask')).toMatchObject({ text: '{"outcome":"selected","optionId":"y"}' })
})

test('[AP14] an option of a permission is chosen over REST too, with the answer it stands for', async () => {
  const room = await openAgentOnServer(asking([option('y', 'Yes', 'allow_once'), no]))
  await room.say('ask')
  const { id } = await room.asked()
  expect((await room.decide(id, { status: 'approved', optionId: 'n' })).status).toBe(400)
  expect((await room.decide(id, { status: 'rejected', optionId: 'n' })).status).toBe(200)
  expect(await room.ended(1)).toMatchObject({ text: '{"outcome":"selected","optionId":"n"}' })
})
