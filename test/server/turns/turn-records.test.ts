/**
 * What is kept of a turn for who comes later (CH17): decisions where they were asked, and that it
 * failed. A scripted agent as a real process.
 */
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { askingAgent } from '../../support/asking-agent.ts'

test('[CH17] a decision stands in its turn behind the call it was about, with who decided what and when', async () => {
  const room = await openAgentOnServer(askingAgent())
  await room.say('write')
  const { id } = await room.asked()
  expect((await room.decide(id, { status: 'approved' })).status).toBe(200)
  const turn = await room.ended(1)
  const at = `/api/conversations/${encodeURIComponent(room.key)}/turns`
  const { items } = await room.ask(`${at}/${turn.id}`)
  expect(items).toMatchObject([
    { kind: 'tool', call: { toolCallId: 't1', status: 'completed' } },
    {
      kind: 'permission',
      permission: {
        approvalId: id,
        outcome: 'allowed',
        optionId: 'y',
        decidedBy: 'owner',
        resolvedAt: expect.any(String),
      },
    },
    { kind: 'text', text: 'done' },
  ])
  expect((await room.ask(`${at}?items=true`)).items[0].items).toEqual(items)
})

test.each([
  ['fail', 'failed', 'failed'],
  ['crash', 'unknown', 'interrupted'],
])(
  '[CH17] a turn that ends in a %s is no answer: its conversation says so until the next one',
  async (words, state, activity) => {
    const room = await openAgentOnServer(askingAgent())
    expect(await room.tell(words)).toMatchObject({ state, text: '' })
    const conversation = () => room.ask(`/api/conversations/${encodeURIComponent(room.key)}`)
    await expect
      .poll(async () => (await conversation()).activity, { timeout: 30_000 })
      .toBe(activity)
  },
)
