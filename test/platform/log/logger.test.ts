import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLogger, type LogFormat } from '../../../src/platform/log/logger.ts'
import { newSecret } from '../../../src/platform/secrets/secrets.ts'
import { anyCharacter } from '../../support/property.ts'

function logTo(format: LogFormat, colours = false) {
  const lines: string[] = []
  const logger = createLogger({
    level: 'trace',
    format,
    colours,
    destination: { write: (line) => void lines.push(line) },
  })
  return { logger, lines, first: () => JSON.parse(lines[0] ?? 'null') }
}

test('[OP1] a line is JSON with an RFC 3339 time, the level in words and its fields', () => {
  const { logger, lines, first } = logTo('json')
  logger.child({ requestId: 'r1' }).info({ stream: 'home' }, 'request completed')
  expect(lines[0]?.endsWith('}\n')).toBe(true)
  expect(first()).toMatchObject({
    level: 'info',
    requestId: 'r1',
    stream: 'home',
    msg: 'request completed',
    pid: process.pid,
  })
  expect(first().time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('[SE7] a secret is in no line, wherever it was put, and the line stays JSON', () => {
  const { logger, lines } = logTo('json')
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      (before, after) => {
        const secret = newSecret('owner')
        const text = `${before} ${secret} ${after}`
        lines.length = 0
        logger
          .child({ bound: text })
          .warn(
            { text, deep: { list: [text] }, [text]: 1, err: { message: text, stack: text } },
            text,
          )
        expect(lines).toHaveLength(1)
        expect(lines[0]).not.toContain(secret)
        expect(JSON.parse(lines[0] ?? '').level).toBe('warn')
      },
    ),
  )
})

test('[SE7] a header or a password is masked by its name alone', () => {
  const { logger, first } = logTo('json')
  logger.info(
    { headers: { authorization: 'x', cookie: 'y' }, password: 'a "quoted\\" one' },
    'request',
  )
  expect(first()).toMatchObject({
    headers: { authorization: '[masked]', cookie: '[masked]' },
    password: '[masked]',
  })
})

test('[SE7] a masked line stays JSON where the secret had quotes and backslashes', () => {
  const { logger, first } = logTo('json')
  logger.info('password=ab\\"cd "token": "x\\\\" end')
  expect(first().level).toBe('info')
  expect(first().msg).not.toContain('ab')
})

test('[OP1] on a terminal a line is readable, with an error’s stack under it', () => {
  const { logger, lines } = logTo('text')
  logger.warn({ port: 4747, err: new Error('broken') }, 'Something happened')
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} warn {2}Something happened port=4747\n {4}Error: broken\n {4}at /,
  )
})

test('[OP1] colours are put in only where they are wanted', () => {
  const [plain, coloured] = [logTo('text', false), logTo('text', true)]
  for (const { logger } of [plain, coloured]) logger.error('x')
  expect(plain.lines[0]).not.toContain('\u001b')
  expect(coloured.lines[0]).toContain('\u001b[31m')
})

test('[SE6] what a stranger wrote cannot steer the terminal', () => {
  const { logger, lines } = logTo('text')
  logger.info(
    { agent: '\u001b]0;owned\u0007', '\u009b2J': 'x' },
    'name \u001b[2J\r\nfake line \u202eabc',
  )
  expect(lines[0]?.trimEnd()).not.toMatch(/[\p{Cc}\u202e]/u)
  expect(lines[0]).toContain('\\u001b[2J\\r\\nfake line')
})

test('[SE7] in the readable form secrets are masked too', () => {
  const { logger, lines } = logTo('text')
  const secret = newSecret('agent')
  logger.info({ passkey: secret, note: `key ${secret}` }, `made ${secret}`)
  expect(lines[0]).not.toContain(secret)
})
