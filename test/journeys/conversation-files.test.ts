/**
 * The file of a conversation and a server that is killed: what was acknowledged is in it after the
 * next start.
 */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startHoldfast } from '../support/running-server.ts'

test('[CV6] killed between the commit and the file: the file has it after the next start', async () => {
  const first = await startHoldfast()
  const { data } = first
  const send = async ({ url, token }: typeof first, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/conversations${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status).toBeLessThan(300)
    return answer.json()
  }
  await send(first, '', { key: 'telegram:1' })
  await send(first, '/telegram%3A1/save', {})
  const folder = join(data, 'conversations')
  const before = await mkdtemp(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rm(before, { recursive: true }))
  await cp(folder, before, { recursive: true })
  for (let n = 0; n < 5; n++)
    await send(first, '/telegram%3A1/messages', { role: 'user', content: String(n) })
  await first.kill()
  // However fast this machine is: the files are as they were before those commits.
  await cp(before, folder, { recursive: true, force: true })
  const path = join(folder, 'telegram_1.json')
  expect(JSON.parse(await readFile(path, 'utf8')).messages).toEqual([])
  const second = await startHoldfast({ data })
  const contents = async () =>
    JSON.parse(await readFile(path, 'utf8')).messages.map(
      (each: { content: string }) => each.content,
    )
  await expect.poll(contents).toEqual(['0', '1', '2', '3', '4'])
  await second.stop()
})
