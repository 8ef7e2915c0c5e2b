/**
 * What the demo agent reads out of a message. The directives are fixed: others try their own
 * programs with them.
 */
import { expect, test } from 'vitest'
import { stepsIn } from '../../src/demo/directives.ts'

test('[MC2] a message without a directive is echoed', () => {
  expect(stepsIn('hello there')).toEqual([{ do: 'echo', text: 'hello there' }])
  expect(stepsIn('')).toEqual([{ do: 'echo', text: '' }])
})

test('[MC2] each directive is understood', () => {
  expect(stepsIn('[[say Good morning]]')).toEqual([{ do: 'say', text: 'Good morning' }])
  expect(stepsIn('[[say]]')).toEqual([{ do: 'say', text: '' }])
  expect(stepsIn('[[slow 3 250]]')).toEqual([{ do: 'slow', count: 3, ms: 250 }])
  expect(stepsIn('[[write notes/a.txt two words]]')).toEqual([
    { do: 'write', path: 'notes/a.txt', text: 'two words' },
  ])
  expect(stepsIn('[[write empty.txt]]')).toEqual([{ do: 'write', path: 'empty.txt', text: '' }])
  const received = { do: 'tell', agentId: 'helper', text: '[[recall]] all' }
  expect(stepsIn('[[tell helper {{recall}} all]]')).toEqual([received])
  expect(stepsIn('[[recall]] [[recall]]')).toEqual([{ do: 'recall' }])
  expect(stepsIn('[[flood 1048576]]')).toEqual([{ do: 'flood', bytes: 1_048_576 }])
  expect(stepsIn('[[ask]] [[ask may I]]')).toEqual([
    { do: 'ask', text: '' },
    { do: 'ask', text: 'may I' },
  ])
  expect(stepsIn('[[run echo one]] [[tool get_history {}]]')).toEqual([
    { do: 'run', text: 'echo one' },
    { do: 'tool', text: 'get_history {}' },
  ])
  for (const bare of [
    'plan',
    'hang',
    'crash',
    'ignore-cancel',
    'ignore-sigterm',
    'fork',
    'no-logout',
  ])
    expect(stepsIn(`[[${bare}]]`)).toEqual([{ do: bare }])
})

test('[MC2] several are done in their order, and what stands around them is echoed last', () => {
  expect(stepsIn('please [[slow 1 5]] and\n[[say a\nb]] now')).toEqual([
    { do: 'slow', count: 1, ms: 5 },
    { do: 'say', text: 'a\nb' },
    { do: 'echo', text: 'please  and\n now' },
  ])
})

test('[MC2] what is no directive, or one with wrong values, is text', () => {
  for (const text of [
    '[[nonsense]]',
    '[[tell helper]]',
    '[[slow 3]]',
    '[[slow x y]]',
    '[[slow 3 -1]]',
    '[[slow 99999 1]]',
    '[[flood 1e9]]',
    '[[crash now]]',
    '[say x]',
  ])
    expect(stepsIn(text)).toEqual([{ do: 'echo', text }])
})

test('[UI6] a tour is a turn of words, plan, command and an asked file, not an echo', () => {
  const steps = stepsIn('Hello! [[tour]]')
  expect(steps.map((step) => step.do)).toEqual(['title', 'say', 'plan', 'run', 'write', 'say'])
  expect(steps[4]).toMatchObject({ asks: true })
  expect(stepsIn('[[tour now]]')).toEqual([{ do: 'echo', text: '[[tour now]]' }])
})
