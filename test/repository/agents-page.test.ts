/** docs/agents.md says what the reports of `agents doctor` and the data of the known agents say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownAgents } from '../../src/protocol/agents/known-agents.ts'
import { withMatrix } from '../real-agents/matrix.ts'
import { recipes } from '../real-agents/recipes.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'agents.md'), 'utf8')

test('[AG13] the tables of the agents are made from the reports that are kept', () => {
  expect(withMatrix()).toBe(page)
})

const known = Object.keys(recipes).filter((id) => recipes[id]?.says)

test.each(known)(
  '[AG5] %s: the page says how it is installed and signed in, as the program does',
  (id) => {
    const { name, install, signIn } =
      knownAgents.find((agent) => agent.id === id) ?? expect.fail(id)
    const line = page.split('\n').find((each) => each.startsWith(`| ${name} |`))
    const command =
      'npm' in install ? ['npm install -g', ...install.npm].join(' ') : install.command
    for (const part of [command, signIn.command, ...signIn.keys])
      expect(line).toContain(`\`${part}\``)
  },
)
