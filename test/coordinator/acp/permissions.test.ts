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

test('[AP4] the same call asked again is known again, whatever it is called; another command is another one, by any trick', () => {
  const likeness = (toolCall: object) => questionOf(request({ kind: 'execute', ...toolCall }), new ToolCalls())?.likeness
  const command = (text: unknown, more: object = {}) => likeness({ title: 'Run', rawInput: { command: text, cwd: '/', ...more } })
  const one = command('npm test')
  expect(one).toMatch(/^[0-9a-f]{64}$/)
  expect(likeness({ toolCallId: 'another', title: 'Tests', rawInput: { cwd: '/', command: 'npm test', description: 'x' } })).toBe(
    one,
  )
  const tricks = [
    'npm test && rm -rf ~',
    'npm test;ls',
    'npm test\nls',
    'npm test ',
    'npm  test',
    'npm test $(ls)',
    'npm tes',
    ' npm test',
  ]
  for (const trick of tricks) expect(command(trick)).not.toBe(one)
  expect(command(['npm', 'test'])).not.toBe(command(['npm test']))
  expect(command('npm test', { cwd: '/tmp' })).not.toBe(one)
  expect(command('npm test', { env: { PATH: '/evil' } })).not.toBe(one)
  expect(command('npm test', { description: { run: 'x' } })).not.toBe(one)
  expect(questionOf(request({ kind: 'edit', rawInput: { command: 'npm test', cwd: '/' } }), new ToolCalls())?.likeness).not.toBe(
    one,
  )
})

test('[AP4] what was told of the call before counts, to its end; without a word of what would be done nothing is known again', () => {
  const calls = new ToolCalls()
  const long = 'x'.repeat(100_000)
  const asked = (rawInput: unknown, more: object = {}) => {
    calls.put({ toolCallId: 'c', title: 'Write', kind: 'edit', rawInput })
    return questionOf(request(more), calls)?.likeness
  }
  const one = asked({ path: 'a', text: `${long}1` })
  expect(asked({ path: 'a', text: `${long}1` })).toBe(one)
  expect(asked({ path: 'a', text: `${long}2` })).not.toBe(one)
  for (const nothing of [{}, [], null, undefined])
    expect(
      questionOf(request({ kind: 'execute', title: 'Run command', rawInput: nothing }), new ToolCalls())?.likeness,
    ).toBeNull()
})
