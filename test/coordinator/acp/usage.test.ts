/** What a turn used, read from the answers of several agents (AC7). */
import { expect, test } from 'vitest'
import { TurnTokens, usageOf } from '../../../src/coordinator/acp/usage.ts'
import { costText } from '../../../src/protocol/turns/cost.ts'
import { AcpAgent } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'

const quota = (...rows: object[]) => ({
  _meta: {
    quota: { token_count: rows[0], model_usage: rows.map((token_count) => ({ token_count })) },
  },
})

test.for([
  ['nothing', { stopReason: 'end_turn' }, null],
  ['usage', { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 } }, [5, 2, null]],
  [
    'usage with a cache',
    { usage: { inputTokens: 5, outputTokens: 2, cachedReadTokens: 3 } },
    [5, 2, 3],
  ],
  ['a quota of one model', quota({ input_tokens: 9, output_tokens: 1 }), [9, 1, null]],
  [
    'models that used more than the main loop',
    { usage: { inputTokens: 5 }, ...quota({ inputTokens: 5 }, { inputTokens: 4 }) },
    [9, null, null],
  ],
  [
    'a quota without models',
    { _meta: { quota: { token_count: { input_tokens: 3 }, model_usage: [] } } },
    [3, null, null],
  ],
  ['nonsense', { usage: { inputTokens: '5', outputTokens: -1 }, _meta: { quota: 7 } }, null],
] as const)('[AC7] reads %s', ([, answer, counts]) => {
  const [inputTokens, outputTokens, cachedTokens] = counts ?? []
  expect(usageOf(new TurnTokens('any').of(answer), null)).toEqual(
    counts && { inputTokens, outputTokens, cachedTokens, cost: null },
  )
})

test('[AC7] an agent that counts from the beginning, or only its last request, is not believed to tell of a turn', () => {
  const reported = (inputTokens: number) => ({
    usage: { inputTokens, outputTokens: inputTokens / 10 },
  })
  const copilot = new TurnTokens('Copilot')
  expect(copilot.of(reported(100))).toEqual({
    inputTokens: 100,
    outputTokens: 10,
    cachedTokens: null,
  })
  expect(copilot.of(undefined)).toEqual({
    inputTokens: null,
    outputTokens: null,
    cachedTokens: null,
  })
  expect(copilot.of(reported(250))).toMatchObject({ inputTokens: 150, outputTokens: 15 })
  // The agent began anew.
  expect(copilot.of(reported(30))).toMatchObject({ inputTokens: 30, outputTokens: 3 })
  expect(usageOf(new TurnTokens('OpenCode').of(reported(100)), null)).toBeNull()
})

test('[AC7] the cost of a turn is what it added to the session; what was never told is null', async () => {
  const cost = (amount: number) =>
    `update({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: ${amount}, currency: 'USD' } })`
  const agent = new AcpAgent({
    command: hostile({
      onPrompt: `if (text === 'one') ${cost(0.0025199999999999997)}; if (text === 'two') ${cost(0.0045)}; say(text); done()`,
    }),
  })
  await agent.ready()
  expect(await agent.say('free')).toMatchObject({ usage: null })
  expect(await agent.say('one')).toMatchObject({
    usage: { inputTokens: null, cost: { amount: 0.00252, currency: 'USD' } },
  })
  expect(await agent.say('two')).toMatchObject({
    usage: { cost: { amount: 0.00198, currency: 'USD' } },
  })
  expect(agent.updates.filter(({ kind }) => kind === 'usage')).toMatchObject([
    { cost: '0.00252 USD' },
    { cost: '0.0045 USD' },
  ])
  expect(costText({ amount: 12.3456, currency: 'EUR' })).toBe('12.35 EUR')
})

test('[AC15] the tokens of the last request alone are not those of a turn that ran tools', async () => {
  const agent = new AcpAgent({
    command: hostile({
      onPrompt: `
        const used = (count) => update({ sessionUpdate: 'usage_update', used: count, size: 1000 })
        used(100)
        if (text !== 'plain') update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', kind: 'execute', status: 'completed' })
        used(150)
        say('done')
        const inputTokens = text === 'all' ? 230 : 120
        done({ stopReason: 'end_turn', usage: { inputTokens, cachedReadTokens: 20, outputTokens: 10, totalTokens: inputTokens + 30 } })`,
    }),
  })
  await agent.ready()
  expect(await agent.say('last')).toMatchObject({ usage: null })
  expect(await agent.say('all')).toMatchObject({ usage: { inputTokens: 230, outputTokens: 10 } })
  expect(await agent.say('plain')).toMatchObject({ usage: { inputTokens: 120, outputTokens: 10 } })
})

test('[AC15] a turn that the denial of its first call ended has the tokens of its request', async () => {
  const agent = new AcpAgent({
    command: hostile({
      onPrompt: `
        const what = { sessionUpdate: 'tool_call', title: 'ls', kind: 'execute' }
        const tool = (toolCallId, status) => update({ ...what, toolCallId, status })
        tool('first', 'pending')
        if (text !== 'denied') tool('first', 'completed')
        if (text === 'second denied') tool('second', 'pending')
        const toolCallId = text === 'second denied' ? 'second' : 'first'
        update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' })
        update({ sessionUpdate: 'usage_update', used: 120, size: 1000 })
        say('x')
        const usage = { inputTokens: 105, outputTokens: 15, totalTokens: 120 }
        done({ stopReason: 'cancelled', usage })`,
    }),
  })
  await agent.ready()
  expect(await agent.say('denied')).toMatchObject({ usage: { inputTokens: 105, outputTokens: 15 } })
  expect(await agent.say('second denied')).toMatchObject({ usage: null })
})
