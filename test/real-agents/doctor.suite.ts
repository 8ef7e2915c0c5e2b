/**
 * `agents doctor` on each agent, as a person runs it (AG13). With `--record DIR` the reports are
 * kept: the matrix of docs/agents.md is made of them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { AgentReport } from '../../src/protocol/agents/report.ts'
import { main } from '../support/built-product.ts'
import { clientOf, openHouse } from '../support/person.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf, installedAgents } from './installed.ts'
import { startModel } from './model/scripted-model.ts'

/** One loads a session in another minute only. */
const longestMs = 10 * 60_000

test.each(installedAgents())(
  '[AG13] $name: agents doctor says what it can',
  async ({ name, recipe, program }) => {
    const model = await startModel()
    onTestFinished(() => model.close())
    const house = await openHouse()
    onTestFinished(house.end)
    const { command, args, env } = entryOf(
      program,
      recipe,
      join(temporaryFolder(), name),
      model.url,
    )
    const body = {
      id: name,
      name,
      protocol: 'acp' as const,
      command,
      args: [...args],
      env: { ...env },
    }
    await clientOf(house).post('/api/agents', {
      body: { ...body, allow: { folders: [], hosts: [new URL(model.url).host] } },
    })
    const words = [main, 'agents', 'doctor', name, '--json', '--data', house.holdfast.data]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [written, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    expect(exitCode).toBe(0)
    const report = AgentReport.parse(JSON.parse(written))
    const results = Object.fromEntries(report.checks.map(({ name: check, ok }) => [check, ok]))
    expect(results).toMatchObject({
      start: true,
      prompt: true,
      cancel: true,
      end: true,
      permission: recipe.asks,
    })
    const { REAL_AGENTS_RECORD: folder } = process.env
    if (folder) writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`)
  },
  longestMs,
)
