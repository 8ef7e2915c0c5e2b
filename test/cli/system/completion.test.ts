import { execFile, execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { main } from '../../support/built-product.ts'
import { openInstallation, runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// Sourced, as a person does: the script is longer than one argument of a program may be.
const bashScript = join(temporaryFolder(), 'holdfast.bash')
writeFileSync(bashScript, (await runCommand(['completion', 'bash'])).stdout)

/** What bash offers behind these words; the last is the one being typed. */
function offered(...words: string[]): string[] {
  const typed = ['holdfast', ...words].map((word) => `'${word}'`).join(' ')
  const ask = `source ${bashScript}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', ask], { encoding: 'utf8', cwd: '/' })
    .split('\n')
    .filter(Boolean)
}

test('[CL1] bash completes commands, their commands and their options', () => {
  expect(offered('')).toEqual(expect.arrayContaining(['up', 'projects', 'doctor', '--help']))
  expect(offered('proj')).toEqual(['projects'])
  expect(offered('projects', 'un')).toEqual(['unassign'])
  expect(offered('projects', 'edit', 'website', '--se')).toEqual(
    expect.arrayContaining(['--set', '--server']),
  )
  expect(offered('projects', 'list', '--set')).toEqual([])
})

test('[CL1] bash completes the values of options that have a choice', () => {
  expect(offered('agents', 'add', 'x', '--protocol', '')).toEqual(['acp', 'mcp'])
  expect(offered('token', 'create', 'x', '--scope', 'r')).toEqual(['read'])
  expect(offered('up', '--log-format', '')).toEqual(['json', 'text'])
  expect(offered('up', '--data', '/tm')).toEqual(['/tmp'])
})

test('[CL1] the words completed in one command are not taken for another', () => {
  expect(offered('people', 'list', 'projects', 'sh')).toEqual([])
})

/** The same with a program to ask and a server that it finds. */
async function offeredBy(data: string, cwd: string, ...words: string[]): Promise<string[]> {
  const typed = ['holdfast', ...words].map((word) => `'${word}'`).join(' ')
  const line = ['holdfast', ...words].join(' ')
  const ask = `source ${bashScript}
holdfast() { "$NODE" -- "$MAIN" "$@"; }
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; COMP_LINE='${line}'; COMP_POINT=${line.length}
_holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { PATH: process.env['PATH'], HOLDFAST_DATA: data, NODE: process.execPath, MAIN: main }
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', ask], {
    encoding: 'utf8',
    cwd,
    env,
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter(Boolean)
}

test('[CL5] bash completes the names of agents, projects, sessions and the like', async () => {
  const { holdfast, data, server } = await openInstallation()
  const cwd = temporaryFolder()
  await holdfast(['projects', 'create', 'My shop'])
  const { id: first } = (await holdfast(['projects', 'create', 'twin', '--json'])).json()
  const { id: second } = (await holdfast(['projects', 'create', 'twin', '--json'])).json()
  await holdfast(['projects', 'create', '$(touch pwned)'])
  for (const agent of ['ann', 'andy', 'bob'])
    await holdfast(['agents', 'add', agent, '--protocol', 'mcp'])
  await holdfast(['people', 'add', 'Aiko'])
  await holdfast(['token', 'create', 'ci'])
  const { id: work } = (
    await server.ask(`/api/projects/${first}/sessions`, { method: 'POST', body: {} })
  ).json
  const offer = (...words: string[]): Promise<string[]> => offeredBy(data, cwd, ...words)
  expect((await offer('chat', 'an')).sort()).toEqual(['andy', 'ann'])
  // The value of an option is no operand; what a person has begun to quote is known again.
  expect(await offer('chat', '--project', 'twin', 'b')).toEqual(['bob'])
  expect(await offer('tasks', '--project', 'My')).toEqual(['My\\ shop'])
  expect(await offer('projects', 'show', 'My\\ s')).toEqual(['My\\ shop'])
  // Two of one name are offered by their ids, and what stands in a name is not run.
  expect((await offer('projects', 'show', '')).sort()).toEqual(
    ['My\\ shop', '\\$\\(touch\\ pwned\\)', first, second].sort(),
  )
  expect(existsSync(join(cwd, 'pwned'))).toBe(false)
  expect(await offer('projects', 'assign', 'twin', 'b')).toEqual(['bob'])
  expect(await offer('resume', 'sess')).toEqual([work])
  expect(await offer('people', 'renew', 'A')).toEqual(['Aiko'])
  expect(await offer('token', 'revoke', '')).toEqual(['ci'])
  expect(await offer('chat', '--wa')).toEqual(['--wait'])
  // Another server, as it was typed; and none at all, without a word.
  expect(await offeredBy(temporaryFolder(), cwd, 'chat', '--data', data, 'bo')).toEqual(['bob'])
  expect(await offeredBy(temporaryFolder(), cwd, 'chat', '')).toEqual([])
})

test.each(['bash', 'zsh', 'fish'])(
  '[CL1] the script for %s knows every command and option, and quotes what it says',
  async (shell) => {
    const { code, stdout } = await runCommand(['completion', shell])
    expect(code).toBe(0)
    for (const word of ['projects', 'unassign', 'max-processes', 'token-file'])
      expect(stdout).toContain(word)
    expect((stdout.match(/(?<!\\)'/g) ?? []).length % 2).toBe(0)
  },
)
