/** The heads the writer remembers: one that outlives a rollback would leave a hole in a stream. */
import { expect, test } from 'vitest'
import { HeadCache } from '../../src/store/sqlite/connection.ts'

function afterOneCommit(): HeadCache {
  const heads = new HeadCache()
  heads.before('begin immediate')
  heads.moved('home', 1)
  heads.before('commit')
  heads.committed()
  return heads
}

test('[RE4] a head is remembered from one commit to the next', () => {
  const heads = afterOneCommit()
  heads.before('begin immediate')
  expect(heads.of('home')).toBe(1)
  heads.before('savepoint one')
  heads.moved('home', 2)
  heads.before('release one')
  expect(heads.of('home')).toBe(2)
})

test.each([
  ['after a rollback', 'rollback'],
  ['after a rollback to a savepoint', 'rollback to one'],
  ['of a transaction that ended without a commit, as on a full disk', 'begin immediate'],
])('[RE4] nothing is remembered %s', (_, command) => {
  const heads = afterOneCommit()
  heads.before('begin immediate')
  heads.moved('home', 2)
  heads.before(command)
  expect(heads.of('home')).toBeUndefined()
})

test('[RE4] a commit that fails is not believed', () => {
  const heads = afterOneCommit()
  heads.before('begin immediate')
  heads.moved('home', 2)
  heads.before('commit')
  heads.before('begin immediate')
  expect(heads.of('home')).toBeUndefined()
})
