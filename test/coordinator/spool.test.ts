/** The spool: numbered, durable against a kill, bounded, trimmed by acknowledgement. */
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type NewFact, Spool, type SpoolOptions } from '../../src/coordinator/spool.ts'
import { LinkFact, maxFactsBytes, maxFactsPerMessage } from '../../src/protocol/processes/link.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const spoolModule = new URL('../../src/coordinator/spool.ts', import.meta.url).href
const output = (text: string): NewFact => ({ type: 'process-output', launchId: 'l1', text })
const exited: NewFact = {
  type: 'process-exited',
  launchId: 'l1',
  exitCode: 0,
  signal: null,
  found: null,
  stopped: false,
}

function open(changes: Partial<SpoolOptions> = {}) {
  const file = changes.file ?? join(temporaryFolder(), 'spool.jsonl')
  const warnings: string[] = []
  const rooms: boolean[] = []
  const spool = new Spool({
    warn: (text) => warnings.push(text),
    onCapacityChange: (room) => rooms.push(room),
    ...changes,
    file,
  })
  return { spool, file, warnings, rooms }
}

const numbers = (spool: Spool): number[] => spool.facts.map(({ n }) => n)

test('[CO6] facts are numbered from one, and in the file before anybody can send them', () => {
  const { spool, file } = open()
  spool.add(output('a'))
  spool.add(exited)
  expect(numbers(spool)).toEqual([1, 2])
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => LinkFact.parse(JSON.parse(line)))).toEqual(spool.facts)
})

test('[CO6] the next coordinator goes on where the last one was killed', () => {
  const first = open()
  first.spool.add(output('a'))
  first.spool.add(output('b'))
  first.spool.acknowledge(1)
  const second = open({ file: first.file })
  // The file still has what was acknowledged; the server says so again at the greeting.
  second.spool.acknowledge(1)
  expect(second.spool.facts).toEqual(first.spool.facts)
  second.spool.add(exited)
  expect(numbers(second.spool)).toEqual([2, 3])
})

test('[CO6] a fact that is longer than a message of many may be is sent alone', () => {
  const { spool } = open()
  spool.add(output('x'.repeat(maxFactsBytes + 1)))
  spool.add(exited)
  expect(spool.batch().map(({ n }) => n)).toEqual([1])
  spool.acknowledge(1)
  expect(spool.batch().map(({ n }) => n)).toEqual([2])
})

test('[CO6] a line that was being written when the coordinator died is not there, at whatever byte', () => {
  const first = open()
  for (const text of ['a', 'ü', 'c']) first.spool.add(output(text))
  const whole = readFileSync(first.file)
  const ends = [...whole.keys()].filter((at) => whole[at] === 10).map((at) => at + 1)
  for (let bytes = 0; bytes <= whole.length; bytes++) {
    const file = join(temporaryFolder(), 'spool.jsonl')
    writeFileSync(file, whole)
    truncateSync(file, bytes)
    const { spool } = open({ file })
    const kept = ends.filter((end) => end <= bytes).length
    expect(spool.facts).toEqual(first.spool.facts.slice(0, kept))
    spool.add(exited)
    expect(numbers(open({ file }).spool)).toEqual([
      ...Array.from({ length: kept }, (_, at) => at + 1),
      kept + 1,
    ])
  }
})

test('[CO6] numbers go on behind what the server has, also when the file was lost', () => {
  const { spool } = open()
  spool.acknowledge(500)
  spool.add(output('a'))
  expect(numbers(spool)).toEqual([501])
})

test('[CO6] when all is acknowledged the file is empty, and it never grows much beyond what is not', () => {
  const { spool, file } = open()
  const text = 'x'.repeat(16 * 1024)
  for (let n = 1; n <= 2000; n++) {
    spool.add(output(text))
    spool.acknowledge(n - 20)
    expect(statSync(file).size).toBeLessThan(6 * 1024 * 1024)
  }
  expect(numbers(spool)).toEqual(Array.from({ length: 20 }, (_, at) => 1981 + at))
  expect(open({ file }).spool.facts.slice(-20)).toEqual(spool.facts)
  spool.acknowledge(2000)
  expect(statSync(file).size).toBe(0)
})

test('[CO6] a full spool says so, still takes what it must, and has room again when it is half empty', () => {
  const { spool, rooms } = open({ maxBytes: 10_000 })
  const piece = output('x'.repeat(900))
  while (!spool.isFull) spool.add(piece)
  expect(rooms).toEqual([false])
  const held = spool.facts.length
  spool.add(exited)
  expect(spool.facts).toHaveLength(held + 1)
  spool.acknowledge(2)
  expect(rooms).toEqual([false])
  spool.acknowledge(7)
  expect(rooms).toEqual([false, true])
})

test('[CO6] a message holds as many as it may', () => {
  const { spool } = open()
  for (let n = 0; n < maxFactsPerMessage + 5; n++) spool.add(exited)
  expect(spool.batch()).toHaveLength(maxFactsPerMessage)
  spool.clear()
  for (let n = 0; n < 60; n++) spool.add(output('x'.repeat(16 * 1024)))
  const batch = spool.batch()
  expect(JSON.stringify(batch).length).toBeLessThanOrEqual(maxFactsBytes + batch.length)
  expect(batch.length).toBeGreaterThan(20)
})

test('[CO6] a disk that is full costs output, never a fact', () => {
  const file = join(temporaryFolder(), 'spool.jsonl')
  symlinkSync('/dev/full', file)
  const { spool, warnings, rooms } = open({ file })
  spool.add(exited)
  expect(spool.facts).toHaveLength(1)
  expect(warnings).toHaveLength(1)
  expect(rooms).toEqual([false])
  // With space again, the next write makes up for it.
  spool.add(exited)
  expect(rooms).toEqual([false, true])
  expect(open({ file }).spool.facts).toEqual(spool.facts)
})

test('[CO6] a file that takes none of the first fact is known to be without it', () => {
  const file = join(temporaryFolder(), 'spool.jsonl')
  const opened = `const spool = new Spool({ file: ${JSON.stringify(file)}, warn: () => {}, onCapacityChange: (room) => console.log(room) })`
  const received = `spool.add(${JSON.stringify(output('x'.repeat(2000)))})`
  const program = `import { Spool } from ${JSON.stringify(spoolModule)}\n${opened}\n${received}`
  // Beyond the limit a write fails as on a disk that is full, and the file can be cut all the same.
  const limited = [
    '-c',
    'ulimit -f 1; exec "$@"',
    'sh',
    process.execPath,
    '--input-type=module',
    '-e',
    program,
  ]
  expect(execFileSync('sh', limited, { encoding: 'utf8' })).toBe('false\n')
  expect(statSync(file).size).toBe(0)
})

test('[CO6] a line that makes no sense is left out and the rest is told; a goodbye is not said by the next one', () => {
  const first = open()
  first.spool.add(output('a'))
  first.spool.add(output('b'))
  first.spool.add({ type: 'goodbye' })
  writeFileSync(first.file, `rubbish\n${readFileSync(first.file, 'utf8')}{"n":"x"}\n`)
  const second = open({ file: first.file })
  expect(numbers(second.spool)).toEqual([1, 2])
  expect(second.warnings).toHaveLength(2)
  second.spool.add(output('c'))
  expect(numbers(second.spool)).toEqual([1, 2, 4])
})

test('[CO6] a fact that the server cannot take is set aside, and the others are told', () => {
  const { spool, file } = open()
  for (const text of ['a', 'b', 'c']) spool.add(output(text))
  spool.drop(2)
  expect(numbers(spool)).toEqual([1, 3])
  expect(numbers(open({ file }).spool)).toEqual([1, 3])
})
