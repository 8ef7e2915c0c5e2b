/** The parser of diffs, with diffs that git itself writes (WT2). */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOfPatch, splitRows } from '../../../web/src/worktrees/patch.ts'
import { makeRepository } from '../../support/git-repository.ts'

test('[WT2] names, renames, binaries and line numbers are read out of git’s own diff', () => {
  const { folder, git } = makeRepository()
  const write = (name: string | Buffer, text: string | Buffer) =>
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]), text)
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`)
  write('long.ts', `${lines.join('\n')}\n`)
  write('moved.txt', 'one\ntwo\nthree\n')
  write('gone.txt', 'gone\n')
  git('add', '-A')
  git('commit', '-qm', 'before')
  const changed = lines.with(1, 'second').toSpliced(25, 1)
  write('long.ts', `${changed.join('\n')}\n`)
  execFileSync('mv', [join(folder, 'moved.txt'), join(folder, 'a new name.txt')])
  execFileSync('rm', [join(folder, 'gone.txt')])
  write('漢字 "q"\n.txt', 'text without an end')
  write(Buffer.from([0x61, 0xff]), 'x\n')
  write('picture', Buffer.from([0, 1, 2]))
  write('-- trap', '-- a/trap\n++ b/trap\n')
  write('empty', '')
  git('add', '-A')
  const files = filesOfPatch(git('diff', '--cached', '-M'))
  const received = files.map(({ path, change, added, removed }) => [path, change, added, removed])
  expect(received).toEqual(
    expect.arrayContaining([
      ['long.ts', 'modified', 1, 2],
      ['a new name.txt', 'renamed', 0, 0],
      ['gone.txt', 'deleted', 0, 1],
      ['漢字 "q"\n.txt', 'added', 1, 0],
      ['a\\xff', 'added', 1, 0],
      ['picture', 'added', 0, 0],
      ['-- trap', 'added', 2, 0],
      ['empty', 'added', 0, 0],
    ]),
  )
  expect(received).toHaveLength(8)
  const by = (name: string) => files.find(({ path }) => path === name)
  expect(by('a new name.txt')?.oldPath).toBe('moved.txt')
  expect(by('picture')?.isBinary).toBe(true)
  const [first, second] = by('long.ts')?.hunks ?? []
  expect(
    first?.lines.map(
      ({ mark, oldNumber, newNumber, text }) => `${mark}${oldNumber}/${newNumber} ${text}`,
    ),
  ).toEqual([
    ' 1/1 line 1',
    '-2/null line 2',
    '+null/2 second',
    ' 3/3 line 3',
    ' 4/4 line 4',
    ' 5/5 line 5',
  ])
  expect(second?.lines.at(-1)).toMatchObject({ oldNumber: 29, newNumber: 28 })
  expect(
    splitRows(first?.lines ?? []).map(({ left, right }) => [left?.text, right?.text])[1],
  ).toEqual(['line 2', 'second'])
})
