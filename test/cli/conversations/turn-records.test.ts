/**
 * What became of turns, for who comes later at a terminal or has an export (CH17). A scripted agent
 * as a real process.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { askingAgent } from '../../support/asking-agent.ts'
import { commandLineOf, runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[CH17] `conversations show` and an export tell decisions and failures of turns', async () => {
  const room = await openAgentOnServer(askingAgent())
  await room.say('write')
  const { id } = await room.asked()
  await room.decide(id, { status: 'approved' })
  await room.ended(1)
  expect(await room.tell('fail')).toMatchObject({ state: 'failed' })
  const { holdfast } = await commandLineOf(room.server)
  const { stdout } = await holdfast(['conversations', 'show', room.key])
  expect(stdout).toMatch(/Permission allowed by owner: write a\.txt\n[^\n]* done\n/)
  expect(stdout).toMatch(/The turn failed: .*no such model/)
  const { records } = (await holdfast(['conversations', 'show', room.key, '--json'])).json()
  expect(records.map(({ what, outcome }: Record<string, string>) => [what, outcome])).toEqual([
    ['permission', 'allowed'],
    ['failed', undefined],
  ])
  const folder = temporaryFolder()
  expect(
    await runCommand(['export', folder], { env: { HOLDFAST_DATA: room.server.folder } }),
  ).toMatchObject({ code: 0 })
  const name = `${room.key.replace(':', '_')}.jsonl`
  const turns = readFileSync(join(folder, 'turns', name), 'utf8')
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each))
  expect(turns).toMatchObject([
    { state: 'failed' },
    {
      state: 'answered',
      items: [
        { kind: 'tool' },
        { kind: 'permission', permission: { outcome: 'allowed' } },
        { kind: 'text' },
      ],
    },
  ])
})
