import { describe, expect, test } from 'vitest'
import { priorities, rankOf, unreadFor } from '../../../src/domain/conversations/messages.ts'

describe('who has to read a message', () => {
  const agents = ['ada', 'bob', 'eve']
  test.each<[string, string, string | null, string[]]>([
    ['the one it is addressed to', 'owner', 'bob', ['bob']],
    ['all of them when it is addressed to all', 'owner', null, agents],
    ['never the one who wrote it', 'bob', null, ['ada', 'eve']],
    ['nobody who is not there', 'owner', 'zoe', []],
  ])('[CH6] %s', (_title, senderId, receiverId, expected) => {
    expect(unreadFor({ senderId, receiverId, visible: true }, agents)).toEqual(expected)
  })

  test('[CH2] nobody when it is hidden, addressed or not', () => {
    expect(unreadFor({ senderId: 'system', receiverId: null, visible: false }, agents)).toEqual([])
    expect(unreadFor({ senderId: 'system', receiverId: 'ada', visible: false }, agents)).toEqual([])
  })
})

test('[CH6] there are four priorities, in this order', () => {
  expect(priorities).toEqual(['low', 'normal', 'high', 'urgent'])
  expect(priorities.map(rankOf)).toEqual([0, 1, 2, 3])
})
