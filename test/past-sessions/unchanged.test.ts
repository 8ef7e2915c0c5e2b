import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type PastAgent, skipWords } from '../../src/past-sessions/port.ts'
import { readerOf } from '../../src/past-sessions/readers.ts'
import { removeCopies } from '../../src/past-sessions/sqlite-copy.ts'
import { amount } from '../support/extent.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  fileOf,
  listAll,
  oneOf,
  opencodeDatabase,
  readAll,
  readOne,
  samples,
} from './read-samples.ts'

/** Names, bytes and times of everything in a folder. */
const manifestOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { mtimeMs, size } = statSync(path)
      return `${path} ${size} ${mtimeMs} ${entry.isFile() ? readFileSync(path, 'base64') : ''}`
    })
    .toSorted()

const folders: readonly (readonly [agent: PastAgent, folder: string, root: string])[] = [
  ['claude', 'claude/config', 'projects'],
  ['codex', 'codex/home', ''],
  ['gemini', 'gemini/home', 'tmp'],
  ['pi', 'pi/agent', 'sessions'],
  ['copilot', 'copilot/home', 'session-state'],
]

function copyOf(folder: string): string {
  const copy = join(temporaryFolder(), 'copy')
  cpSync(join(samples, folder), copy, { recursive: true })
  return copy
}

describe('what the readers leave', () => {
  test.each(folders)(
    '[IM2] %s: its folder is as it was, to the byte and the time',
    async (agent, folder, root) => {
      const copy = copyOf(folder)
      const before = manifestOf(copy)
      const read = await readAll(agent, join(copy, root))
      expect(read.length).toBeGreaterThan(0)
      expect(manifestOf(copy)).toEqual(before)
    },
  )

  test('[IM2] opencode: a database at rest and its folder are as they were', async () => {
    const { file, writer } = opencodeDatabase({ wal: true })
    writer.close()
    const before = manifestOf(join(file, '..'))
    expect((await readAll('opencode', file)).length).toBeGreaterThan(10)
    expect(manifestOf(join(file, '..'))).toEqual(before)
  })

  test('[IM2] opencode: what is in the log of a running one is read, and nothing beside it changes', async () => {
    const { file, writer } = opencodeDatabase({ wal: true })
    writer.exec("UPDATE session SET title = 'Renamed meanwhile' WHERE title LIKE 'echo: \"boom%'")
    const before = manifestOf(join(file, '..'))
    const { found } = await listAll(readerOf('opencode'), file)
    expect(found.map(({ title }) => title)).toContain('Renamed meanwhile')
    expect(
      (await readOne(oneOf(found, ({ title }) => title === 'Renamed meanwhile'))).turns.length,
    ).toBeGreaterThan(0)
    expect(manifestOf(join(file, '..'))).toEqual(before)
    writer.close()
    await removeCopies()
  })
})

describe('damaged files', () => {
  const damaged = join(samples, 'damaged/pi/agent/sessions')

  test('[IM3] are named with a reason, and what is whole of them is read', async () => {
    const { found, skipped } = await listAll(readerOf('pi'), damaged)
    const reasons = skipped.map(({ file, ...why }) => [file.slice(-12, -6), skipWords(why)])
    expect(new Map(reasons as [string, string][])).toEqual(
      new Map([
        ['00junk', 'its first line does not say what it is'],
        ['nohead', 'its first line does not say what it is'],
        ['0empty', 'it is empty'],
        ['ersion', 'it was written by a newer version, in the format 9'],
      ]),
    )
    const read = await Promise.all(found.map(readOne))
    const counts = read.map(({ past, turns, skipped: lines }) => [
      fileOf(past).slice(-12, -6),
      turns.length,
      lines.map(skipWords),
    ])
    const one = ['1 of its lines could not be read and were left out']
    expect(counts.toSorted()).toEqual(
      [
        ['000torn', 4, one],
        ['middle', 3, one],
        ['utf8bad', 4, []],
        ['wkinds', 4, []],
        ['zeroes', 2, one],
      ]
        .map(([name, ...rest]) => [(name as string).slice(-6), ...rest])
        .toSorted(),
    )
  })

  test('[IM3] a link, and what is no file, is not followed', async () => {
    const copy = copyOf('pi/agent')
    const folder = join(copy, 'sessions/--home-ada-shop--')
    const file = oneOf(readdirSync(folder), () => true)
    symlinkSync(join(folder, file), join(folder, 'link.jsonl'))
    symlinkSync(folder, join(copy, 'sessions/elsewhere'))
    const before = await listAll(readerOf('pi'), join(samples, 'pi/agent/sessions'))
    const after = await listAll(readerOf('pi'), join(copy, 'sessions'))
    expect(after.found.map(({ id }) => id)).toEqual(before.found.map(({ id }) => id))
    expect(after.skipped).toEqual([])
  })

  test('[IM3] a line of more than 16 MiB is passed over', async () => {
    const copy = copyOf('pi/agent')
    const { found } = await listAll(readerOf('pi'), join(copy, 'sessions'))
    const past = oneOf(found, ({ id }) => id.endsWith('d8a3729fae52'))
    const before = await readOne(past)
    const long = `{"type":"message","id":"long","x":"${'y'.repeat(17 * 1024 * 1024)}"}\n`
    writeFileSync(fileOf(past), `${readFileSync(fileOf(past), 'utf8')}${long}`)
    const { turns, skipped } = await readOne(past)
    expect(turns).toEqual(before.turns)
    expect(skipped.map(skipWords)).toEqual([
      '1 of its lines are longer than 16 MiB and were left out',
    ])
  })
})

/** The smallest sample of each agent, and where its file is in the copy. */
const cutFiles: readonly (readonly [agent: PastAgent, folder: string, root: string, id: string])[] =
  [
    ['claude', 'claude/config', 'projects', '330f0d40-53db-40c4-ae33-8d29dbc8d2aa'],
    ['codex', 'codex/home', '', '01a1f02f-b5b8-7b21-a831-8920ab3d992b'],
    ['gemini', 'gemini/home', 'tmp', 'e1d25897-19ed-421f-8444-567da326edef'],
    ['pi', 'pi/agent', 'sessions', '01a1f02a-1808-77c6-8f42-a7c174e6046b'],
    ['copilot', 'copilot/home', 'session-state', '6e0097cb-c19f-4590-9b23-05a5117469ba'],
  ]

describe('a file that is cut', () => {
  test.each(cutFiles)(
    '[IM3] %s: at any byte, nothing fails, and no turn is another one when the rest is there',
    async (agent, folder, root, id) => {
      const copy = copyOf(folder)
      const { found } = await listAll(readerOf(agent), join(copy, root))
      const past = oneOf(found, (each) => each.id === id)
      const whole = await readOne(past)
      const ids = new Set(whole.turns.map((turn) => turn.id))
      const file = fileOf(past)
      const bytes = readFileSync(file)
      const step = amount(Math.ceil(bytes.length / 60) + 1, 1)
      for (let length = 0; length < bytes.length; length += step) {
        writeFileSync(file, bytes.subarray(0, length))
        await listAll(readerOf(agent), join(copy, root))
        const cut = await readOne(past)
        const cutIds = cut.turns.map((turn) => turn.id)
        expect(new Set(cutIds).size).toBe(cutIds.length)
        expect(cutIds.filter((each) => !ids.has(each))).toEqual([])
      }
      rmSync(file)
    },
  )
})
