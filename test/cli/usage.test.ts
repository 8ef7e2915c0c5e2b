import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exitOfCode } from '../../src/cli/exit-codes.ts'
import { errorCatalogue } from '../../src/domain/errors.ts'
import { runCommand } from '../support/command-line.ts'
import { anyCharacter } from '../support/property.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test.each([
  [['projcts'], 'There is no command "projcts".', 'Did you mean `holdfast projects`?'],
  [
    ['projects', 'shw', 'x'],
    'There is no command "projects shw".',
    'Did you mean `holdfast projects show`?',
  ],
  [['zzzzzzzz'], 'There is no command "zzzzzzzz".', '`holdfast --help` lists them.'],
  [['help', 'zzzzzzzz'], 'There is no command "zzzzzzzz".', '`holdfast --help` lists them.'],
  [['projects', 'zzzzzzzz'], 'There is no command "projects zzzzzzzz".', 'There is list, show'],
  [['export', '/dev/null/files'], 'The folder /dev/null/files cannot be made', 'Name a folder'],
  [['export', '/dev/full'], 'The folder /dev/full cannot be made', 'Name a folder'],
  [['export', '/proc/a/b'], 'The folder /proc/a/b cannot be made', 'Name a folder'],
  [['export', '/dev/fd/a/b'], 'The folder /dev/fd/a/b cannot be made', 'Name a folder'],
  [
    ['projects', 'delete'],
    "Missing required argument 'project'.",
    '`holdfast projects delete --help`',
  ],
  [['projects', 'show', 'a', 'b'], 'Too many arguments', '`holdfast projects show --help`'],
  [['projects', 'list', '--jsn'], "Unknown option '--jsn'.", 'Did you mean --json?'],
  [['--prot', '1'], "Unknown option '--prot'.", 'Did you mean --port?'],
  [
    ['--data', 'x', 'projects', 'list'],
    'Options stand behind the command',
    '`holdfast projects … --data`',
  ],
  [['doctor', '--server', 'foo'], '--server must be an address', 'Leave it out'],
  [['up', 'now'], 'Too many arguments', '`holdfast up --help`'],
  [
    ['token', 'create', 'x', '--scope', 'reed'],
    "'reed' is invalid",
    'Allowed choices are read, write, approve, manage',
  ],
  [['completion', 'bsh'], 'There is no completion for bsh.', 'Did you mean bash?'],
  [['projects', 'create', 'x', '--set', 'a'], '--set a has no value.', '--unset'],
  [['projects', 'edit', 'x'], 'There is nothing to change.', '--set'],
  [
    ['agents', 'add', 'x', '--max-processes', 'many'],
    '--max-processes must be a whole number.',
    'many',
  ],
  [['token', 'create', 'x', '--expires', 'soon'], '--expires soon is not a time.', '30d'],
])('[CL2] %j ends with 2 and says what to type instead', async (argv, message, next) => {
  const { code, stdout, stderr } = await runCommand(argv, {
    env: { HOLDFAST_DATA: temporaryFolder() },
  })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
  expect(stderr).toContain(next)
})

test('[HT2] a failure is JSON on standard error for a program, with both codes', async () => {
  const { code, stdout, stderr } = await runCommand(['projcts', '--json'])
  expect([code, stdout]).toEqual([2, ''])
  expect(JSON.parse(stderr)).toEqual({
    title: 'There is no command "projcts".',
    detail: 'There is no command "projcts".',
    code: 'usage',
    next: 'Did you mean `holdfast projects`?',
    exitCode: 2,
  })
})

test('[HT7] every error of the catalogue has an exit code that fits its HTTP status', () => {
  const expected: Record<number, number> = {
    400: 2,
    401: 4,
    403: 4,
    404: 5,
    405: 2,
    409: 6,
    413: 2,
    415: 2,
    422: 2,
    429: 7,
    500: 1,
    503: 7,
  }
  for (const [code, { status }] of Object.entries(errorCatalogue))
    expect([code, exitOfCode(code)]).toEqual([code, expected[status]])
  expect(exitOfCode('a_word_of_tomorrow')).toBe(1)
  expect(exitOfCode('constructor')).toBe(1)
})

test('[SE9] whatever is typed ends with an exit code and never with a stack trace', async () => {
  const data = temporaryFolder()
  const words = fc.constantFrom(
    'projects',
    'agents',
    'token',
    'show',
    'create',
    'delete',
    '--json',
    '--yes',
    '--',
    '-',
    '--set',
    '--limit',
    '',
    '..',
    '\u0000',
    '--data',
    '__proto__',
    'constructor',
    '💥',
    '%s',
    '-x=1',
    '--no-path',
  )
  const anything = fc.array(fc.oneof(words, fc.string({ unit: anyCharacter, maxLength: 8 })), {
    maxLength: 5,
  })
  // Not the server itself: that would run until the test ends. An option in front means `up`.
  const starts = ([first = '-']: readonly string[]): boolean =>
    first.startsWith('-') || ['up', 'server'].includes(first)
  await fc.assert(
    fc.asyncProperty(
      anything.filter((argv) => !starts(argv)),
      async (argv) => {
        const { code, stderr } = await runCommand(argv, {
          env: { HOLDFAST_DATA: data, HOLDFAST_PORT: '0' },
        })
        expect([0, 1, 2, 3, 4, 5]).toContain(code)
        expect(stderr).not.toMatch(/^ +at /m)
      },
    ),
    { numRuns: 150 },
  )
})
