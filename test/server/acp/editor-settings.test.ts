/** What is entered in editors, as the page shows it (EC11). */
import { expect, test } from 'vitest'
import { editors } from '../../../src/domain/conversations/editor-settings.ts'
import { openTestServer } from '../../support/server.ts'

test('[EC11] who may read is told what to enter in each editor, with absolute paths', async () => {
  const server = await openTestServer()
  const viewer = { method: 'POST', body: { name: 'Vic', role: 'viewer' } }
  const { token } = (await server.ask('/api/people', viewer)).json
  const { items } = (await server.ask('/api/editors', { token })).json
  expect(items.map(({ editor }: { editor: string }) => editor)).toEqual([...editors])
  for (const { file, text } of items) {
    expect(file).not.toBe('')
    for (const word of [process.execPath, process.argv[1], 'acp', '--data', server.folder])
      expect(text).toContain(JSON.stringify(word))
    // No secret is in it: whose sessions they are is said by the environment of the editor.
    expect(text).not.toContain(server.ownerToken)
  }
  const { agent_servers: agents } = JSON.parse(items[0].text)
  expect(agents.Holdfast).toMatchObject({ command: process.execPath, type: 'custom' })
  expect((await server.ask('/api/editors', { token: null })).status).toBe(401)
})
