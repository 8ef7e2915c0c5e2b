import { expect, test } from 'vitest'
import { dangersIn, describe, heeding } from '../../src/demo/mcp/demo-agent.ts'

test('[AR1] the demo agent knows what would end it, and leaves out what it was told about', () => {
  expect(dangersIn('one [[crash]] two [[hang]] [[crash]] [[say x]]')).toEqual([
    '[[crash]]',
    '[[hang]]',
  ])
  const lessons = [{ id: 'approach_f001', description: describe('[[crash]]') }]
  expect(heeding('draw [[crash]][[crash]] it [[hang]]', lessons)).toEqual({
    text: 'draw  it [[hang]]',
    heeded: ['approach_f001'],
  })
  expect(heeding('draw it', lessons)).toEqual({ text: 'draw it', heeded: [] })
})
