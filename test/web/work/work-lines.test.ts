/** The history of work in words: lines of runs, and why one was interrupted. */
import { expect, test } from 'vitest'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { en } from '../../../web/src/translations/en.ts'
import { reasonText } from '../../../web/src/work/reason-text.ts'
import { linesOf } from '../../../web/src/work/work-lines.ts'

const run = (id: string, parent: string | null, minute: number): WorkSession =>
  ({ id, parentSessionId: parent, startedAt: `2026-11-17T10:0${minute}:00.000Z` }) as WorkSession

test('[UI2] runs resumed from one another are one line, newest first, also twice', () => {
  const lines = linesOf([
    run('d', 'a', 5),
    run('c', 'b', 3),
    run('b', 'a', 2),
    run('a', null, 1),
    run('x', 'gone', 4),
  ])
  expect(lines.map(({ newest, earlier }) => [newest.id, ...earlier.map(({ id }) => id)])).toEqual([
    ['d', 'c', 'b', 'a'],
    ['x'],
  ])
  expect(
    linesOf([run('a', 'b', 1), run('b', 'a', 2)]).flatMap(({ newest, earlier }) => [
      newest,
      ...earlier,
    ]),
  ).toHaveLength(2)
})

test('[UI2] no code is shown to a person: known ones have words, others no underscores', () => {
  const received = (reason: string) => reasonText(en.workSessions, reason)
  expect(received('process_crashed')).toBe('the process crashed')
  expect(received('disk_quota_exceeded')).toBe('disk quota exceeded')
  expect(received('Ada pulled the plug')).toBe('Ada pulled the plug')
})
