/** The example of docs/library.md runs as it stands there, in a program of its own. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const library = new URL('../../src/library.ts', import.meta.url).href
const docs = new URL('../../docs/library.md', import.meta.url)

test('[LB1] the example of the library does what its comments say, and ends', async () => {
  const [, example = ''] =
    /```ts\n([^`]*createConversations[^`]*)```/.exec(readFileSync(docs, 'utf8')) ?? []
  const folder = temporaryFolder()
  const file = join(folder, 'example.ts')
  writeFileSync(file, example.replace("from 'holdfast'", `from ${JSON.stringify(library)}`))
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    cwd: folder,
    timeout: 60_000,
  })
  const path = join(folder, 'my-data', 'conversations', 'telegram_123456.json')
  expect(stdout.trimEnd().split('\n')).toEqual([
    'user, assistant',
    expect.stringMatching(/my-data.conversations.telegram_123456\.json$/),
  ])
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    flags: { local_only: true },
    messages: [{}, { tool_calls: [{ id: 'call_1' }] }],
  })
})

test('[LB1] the example works in a program that is typed after -e as well', async () => {
  const folder = temporaryFolder()
  const program = `
    const { createConversations } = await import(${JSON.stringify(library)})
    const conversations = await createConversations({ data: './data' })
    await conversations.addMessage('telegram:1', 'user', 'hello')
    console.log((await conversations.getHistory('telegram:1')).length)
    await conversations.close()`
  const argv = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    cwd: folder,
    timeout: 60_000,
  })
  expect(stdout).toBe('1\n')
})
