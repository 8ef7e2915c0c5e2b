import { expect, test } from 'vitest'
import { commandsIn, flagsOf, type NamedCommand } from '../../src/cli/command.ts'
import { loadCommands } from '../../src/cli/command-list.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { optionsOf } from '../../src/cli/options-everywhere.ts'
import { filesOfTheRepository } from '../style/source-files.ts'
import { runCommand } from '../support/command-line.ts'

const withPaths = (
  specs: readonly NamedCommand[],
  before: readonly string[] = [],
): { spec: NamedCommand; path: string[] }[] =>
  specs.flatMap((spec) => {
    const path = [...before, spec.name]
    return [{ spec, path }, ...withPaths(commandsIn(spec), path)]
  })

const every = withPaths(await loadCommands())

test('[CL1] the commands of this version are there, and up is the default', async () => {
  const names = (await loadCommands()).map(({ name }) => name)
  expect(names).toEqual(
    'up server coordinator open status projects chat run consoles attach sessions conversations diff rewind fork continue review land hosts worktrees search notes cutover tasks work resume approvals agents secrets processes coordinators channels people token devices acp mcp demo-acp demo-mcp backup restore migrate export import rebuild doctor completion'.split(
      ' ',
    ),
  )
  expect(
    every
      .filter(({ spec, path }) => spec.isDefault && path.length === 1)
      .map(({ spec }) => spec.name),
  ).toEqual(['up'])
})

test.each(every.map(({ spec, path }) => [path.join(' '), path, spec] as const))(
  '[CL2] %s --help shows its options and examples on standard output',
  async (_, path, spec) => {
    const { code, stdout, stderr } = await runCommand([...path, '--help'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(spec.summary.slice(0, 20))
    for (const [name, option] of Object.entries(spec.options ?? {}))
      expect(stdout).toContain(flagsOf(name, option))
    for (const [typed] of spec.examples) expect(stdout).toContain(`holdfast ${typed}`)
    expect(stdout).toContain('What the exit codes mean: holdfast --help')
    if (spec.run) expect(stdout).toContain('--json')
  },
)

test('[CL2] --help shows every command and every exit code', async () => {
  const { stdout } = await runCommand(['--help'])
  for (const { spec } of every.filter(({ path }) => path.length === 1))
    expect(stdout).toContain(spec.summary)
  for (const { code, about } of Object.values(exitCodes))
    expect(stdout).toMatch(new RegExp(`^ +${code} +${about}$`, 'm'))
})

test('[CL2] every example can be typed as it stands', async () => {
  for (const { spec } of every) {
    for (const [typed] of spec.examples) {
      const [words] = typed.split(' > ')
      const path = (words ?? '').split(' ').slice(0, 2)
      expect(
        every.some(
          (each) => each.path.join(' ') === path.join(' ') || each.path.join(' ') === path[0],
        ),
      ).toBe(true)
    }
  }
})

/**
 * What is wrong with a command as somebody wrote it down: a word that is no command, an option it
 * does not have.
 */
function mistakesIn(typed: string): string[] {
  const words = typed.split(/\s+/)
  const named = every.filter(({ path }) => path.every((word, index) => words[index] === word))
  const spec = named.reduce<NamedCommand | undefined>((_, each) => each.spec, undefined)
  if (!spec) return [typed]
  const next = words[named.at(-1)?.path.length ?? 0]
  if (spec.commands && next !== undefined && /^[a-z]/.test(next)) return [typed]
  const own = [spec, ...commandsIn(spec).filter(({ isDefault }) => isDefault)]
  const flags = own.flatMap((each) =>
    Object.entries(optionsOf(each)).map(([name, option]) => flagsOf(name, option)),
  )
  const known = flags.flatMap((each) => each.split(/[ ,]+/)).concat('--help')
  const before = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined)
  return before.some((word) => /^--?[a-z]/.test(word) && !known.includes(word)) ? [typed] : []
}

test('[CL2] every command that the documents name can be typed', () => {
  const ours = /(?:npm run -s holdfast --|^holdfast|`holdfast) ([a-z][^`#|\n]*)/gm
  const pages = filesOfTheRepository().filter(
    ({ path }) => path === 'README.md' || /^docs\/operating\/.*\.md$/.test(path),
  )
  const typed = pages.flatMap(({ text }) =>
    [...text.matchAll(ours)].map(([, words = '']) => words.trim()),
  )
  expect(typed.length).toBeGreaterThan(50)
  expect(typed.flatMap(mistakesIn)).toEqual([])
  expect(['projects set x', 'projcts', 'projects list --jsn'].flatMap(mistakesIn)).toHaveLength(3)
})

test.each([
  [['help'], ['--help']],
  [
    ['help', 'projects', 'create'],
    ['projects', 'create', '--help'],
  ],
  [['help', '--json'], ['--help']],
  [['version'], ['--version']],
])('[CL2] %j says the same as %j', async (word, option) => {
  expect(await runCommand(word)).toMatchObject({
    code: 0,
    stdout: (await runCommand(option)).stdout,
  })
})

test('[CL2] --version prints the version and nothing else', async () => {
  const { code, stdout } = await runCommand(['--version'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
})

test('[CL2] colours are shown on a terminal, and never against NO_COLOR', async () => {
  const bare = await runCommand(['--help'])
  const terminal = await runCommand(['--help'], { terminal: true })
  const refused = await runCommand(['--help'], { terminal: true, env: { NO_COLOR: '1' } })
  expect([bare, terminal, refused].map(({ stdout }) => stdout.includes('\u001b['))).toEqual([
    false,
    true,
    false,
  ])
})
