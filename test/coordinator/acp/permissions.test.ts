import { expect, test } from 'vitest'
import { outcomeOf, questionOf } from '../../../src/coordinator/acp/permissions.ts'
import { ToolCalls } from '../../../src/coordinator/acp/tool-calls.ts'

const options = [
  { optionId: 'p1', name: 'Always', kind: 'allow_always' },
  { optionId: 'p2', name: 'Once', kind: 'allow_once' },
  { optionId: 'cancel', name: 'No', kind: 'reject_once' },
] as const
const request = (toolCall: object) => ({ sessionId: 's', options, toolCall: { toolCallId: 'c', ...toolCall } })

test('[AP4] the digest is of the exact request: any change of it is another one, the order of its fields is not', () => {
  const digest = (toolCall: object) => questionOf(request(toolCall), new ToolCalls())?.digest
  const one = digest({ title: 'Run', rawInput: { command: 'ls', cwd: '/' } })
  expect(digest({ rawInput: { cwd: '/', command: 'ls' }, title: 'Run' })).toBe(one)
  for (const other of [
    { title: 'Run', rawInput: { command: 'ls ', cwd: '/' } },
    { title: 'Run', rawInput: { command: 'ls', cwd: '/', more: null } },
    { title: 'Run', rawInput: { command: 'ls', cwd: '/' }, _meta: { x: 1 } },
    { title: 'run', rawInput: { command: 'ls', cwd: '/' } },
  ])
    expect(digest(other)).not.toBe(one)
})

test('[AP4] a question is shown with what was known of the call before', () => {
  const calls = new ToolCalls()
  calls.put({ toolCallId: 'c', title: 'Run ls', kind: 'execute', rawInput: { command: 'ls' } })
  expect(questionOf(request({}), calls)?.call).toMatchObject({ title: 'Run ls', toolKind: 'execute', input: '{"command":"ls"}' })
})

test('[AP4] options are chosen by kind, once before always; without one for it nothing happens', () => {
  expect(outcomeOf({ choose: 'allow' }, [...options])).toEqual({ outcome: 'selected', optionId: 'p2' })
  expect(outcomeOf({ choose: 'deny' }, [...options])).toEqual({ outcome: 'selected', optionId: 'cancel' })
  expect(outcomeOf({ optionId: 'p1' }, [...options])).toEqual({ outcome: 'selected', optionId: 'p1' })
  expect(outcomeOf({ optionId: 'other' }, [...options])).toEqual({ outcome: 'selected', optionId: 'cancel' })
  expect(outcomeOf({ choose: 'cancelled' }, [...options])).toEqual({ outcome: 'cancelled' })
  expect(outcomeOf({ choose: 'deny' }, [options[0]])).toEqual({ outcome: 'cancelled' })
})
