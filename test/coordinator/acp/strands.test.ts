/**
 * Sub-agents as agents tell of them (AC16): in the forms of claude and opencode, which were seen,
 * and of codex, from its public source.
 */
import { expect, test } from 'vitest'
import { Strands } from '../../../src/coordinator/acp/strands.ts'
import { ToolCalls } from '../../../src/coordinator/acp/tool-calls.ts'
import type { AgentUpdate } from '../../../src/protocol/turns/agent-update.ts'
import { AcpAgent } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'

/** What is read of updates about calls, one after the other. */
function callsOf(...sent: object[]) {
  const [strands, calls] = [new Strands(), new ToolCalls()]
  return sent.map((each) => {
    const fields = { sessionUpdate: 'tool_call', ...each }
    const call = calls.apply(fields)
    return call && strands.apply(fields, { kind: 'tool', call })
  })
}
const claude = (toolName: string, rest: object = {}) => ({
  _meta: { claudeCode: { toolName, ...rest } },
})

test("[AC16] claude's Agent call is a strand, and calls with its id are the strand's", () => {
  const task = { toolCallId: 'task', title: 'Look around' }
  const [begun, inside, same, done] = callsOf(
    { ...task, ...claude('Agent') },
    { toolCallId: 'inner', title: 'ls', ...claude('Bash', { parentToolUseId: 'task' }) },
    { toolCallId: 'task', status: 'in_progress' },
    { toolCallId: 'task', status: 'completed' },
  )
  const strand = { id: 'task', callId: 'task', title: 'Look around', background: false }
  expect(begun?.changed).toEqual([{ ...strand, state: 'running' }])
  expect(inside).toMatchObject({ changed: [], update: { call: { parentId: 'task' } } })
  expect(same?.changed).toEqual([])
  expect(done?.changed).toEqual([{ ...strand, state: 'done' }])
})

test('[AC16] one in the background runs on when its call is over', () => {
  const [, over] = callsOf(
    { toolCallId: 'task', title: 'Later', ...claude('Task') },
    {
      toolCallId: 'task',
      status: 'completed',
      ...claude('Task', { toolResponse: { isAsync: true } }),
    },
  )
  expect(over?.changed).toMatchObject([{ state: 'running', background: true }])
})

test("[AC16] codex's call of a sub-agent is a strand, and other calls are none", () => {
  const [child, other] = callsOf(
    { toolCallId: 'c', title: 'Explore', kind: 'other', _meta: { codex: { subagent: {} } } },
    { toolCallId: 'd', title: 'ls', _meta: { codex: { threadStatus: {} } } },
  )
  expect(child?.changed).toMatchObject([{ id: 'c', title: 'Explore', state: 'running' }])
  expect(other?.changed).toEqual([])
})

test("[AC16] what opencode sends of a child session is the child's, text and plan too", () => {
  const strands = new Strands()
  const child = { id: 'ses_2', parentID: 'ses_1', depth: 1, title: 'Search' }
  const sent = { _meta: { 'opencode/child-session': child } }
  const text: AgentUpdate = { kind: 'text', text: 'found' }
  expect(strands.apply(sent, text)).toEqual({
    update: { ...text, strand: 'ses_2' },
    changed: [{ id: 'ses_2', callId: null, title: 'Search', state: 'running', background: false }],
  })
  const plan: AgentUpdate = { kind: 'plan', entries: [] }
  expect(strands.apply(sent, plan)).toEqual({ update: { ...plan, strand: 'ses_2' }, changed: [] })
  expect(strands.apply({}, text)).toEqual({ update: text, changed: [] })
})

test("[AC16] a child session's permission is asked as the turn's", async () => {
  const agent = new AcpAgent({
    command: hostile({
      onPrompt: `
        const { result } = await ask('session/request_permission', {
          sessionId: 'of the child',
          toolCall: { toolCallId: 'inner', title: 'Write notes.txt' },
          options: [
            { optionId: 'y', name: 'Yes', kind: 'allow_once' },
            { optionId: 'n', name: 'No', kind: 'reject_once' },
          ],
        })
        say(JSON.stringify(result.outcome))
        done()`,
    }),
    answer: () => ({ choose: 'allow' }),
  })
  await agent.ready()
  expect(await agent.say('go')).toMatchObject({ outcome: 'answered' })
  expect(agent.questions.map(({ call }) => call.title)).toEqual(['Write notes.txt'])
  expect(agent.text).toBe('{"outcome":"selected","optionId":"y"}')
})
