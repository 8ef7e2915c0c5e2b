import { expect, test } from 'vitest'
import { LineReader } from '../../../src/coordinator/acp/wire.ts'
import { fc, property } from '../../support/property.ts'

function read(chunks: readonly Buffer[], maxBytes: number) {
  const lines: string[] = []
  const tooLong: [number, string][] = []
  const reader = new LineReader({
    maxBytes,
    sampleBytes: 3,
    onLine: (line) => lines.push(line),
    onTooLong: (bytes, beginning) => tooLong.push([bytes, beginning]),
  })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return { lines, tooLong }
}

property.prop([
  fc.array(fc.stringMatching(/^[a-zå😀]{0,12}$/u)),
  fc.array(fc.integer({ min: 1, max: 9 })),
])(
  '[AC3] however the bytes are cut, the lines are the same, and the long ones are left out by their size',
  (written, cuts) => {
    const whole = Buffer.from(written.map((line) => `${line}\n`).join(''))
    const chunks: Buffer[] = []
    for (let at = 0, turn = 0; at < whole.length; turn++) {
      const size = cuts[turn % Math.max(1, cuts.length)] ?? 4
      chunks.push(whole.subarray(at, at + size))
      at += size
    }
    const fits = (line: string): boolean => Buffer.byteLength(line) <= 8
    const { lines, tooLong } = read(chunks, 8)
    expect(lines).toEqual(written.filter((line) => line !== '' && fits(line)))
    expect(tooLong.map(([bytes]) => bytes)).toEqual(
      written.filter((line) => !fits(line)).map((line) => Buffer.byteLength(line)),
    )
  },
)

test('[AC3] a last line without an end counts, and of a long one the beginning is kept', () => {
  expect(read([Buffer.from('one\r\ntw'), Buffer.from('o')], 8)).toEqual({
    lines: ['one', 'two'],
    tooLong: [],
  })
  expect(read([Buffer.from('abcdefgh'), Buffer.from('ij\nk')], 8)).toEqual({
    lines: ['k'],
    tooLong: [[10, 'abc']],
  })
})
