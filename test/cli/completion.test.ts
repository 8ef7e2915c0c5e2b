import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { runCommand } from '../support/command-line.ts'

const { stdout: bashScript } = await runCommand(['completion', 'bash'])

/** What bash offers behind these words; the last is the one being typed. */
function offered(...words: string[]): string[] {
  const typed = ['holdfast', ...words].map((word) => `'${word}'`).join(' ')
  const ask = `${bashScript}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', ask], { encoding: 'utf8', cwd: '/' }).split('\n').filter(Boolean)
}

test('[CL1] bash completes commands, their commands and their options', () => {
  expect(offered('')).toEqual(expect.arrayContaining(['up', 'projects', 'doctor', '--help']))
  expect(offered('proj')).toEqual(['projects'])
  expect(offered('projects', 'un')).toEqual(['unassign'])
  expect(offered('projects', 'edit', 'website', '--se')).toEqual(expect.arrayContaining(['--set', '--server']))
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

test.each(['bash', 'zsh', 'fish'])(
  '[CL1] the script for %s knows every command and option, and quotes what it says',
  async (shell) => {
    const { code, stdout } = await runCommand(['completion', shell])
    expect(code).toBe(0)
    for (const word of ['projects', 'unassign', 'max-processes', 'token-file']) expect(stdout).toContain(word)
    expect((stdout.match(/(?<!\\)'/g) ?? []).length % 2).toBe(0)
  },
)
