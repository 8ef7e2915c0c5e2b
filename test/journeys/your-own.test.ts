/**
 * What docs/your-own.md tells people to send is sent, line by line, to a server as a new user has
 * it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startHoldfast } from '../support/running-server.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/your-own.md'), 'utf8')
/** `post PATH 'BODY'` and `tool NAME 'ARGUMENTS'`, in their order. */
const lines = [...page.matchAll(/^(post|tool) "?([^\s"]+)"? '([^']*)'/gm)].map(
  ([, how, what = '', body = '']) => ({
    how,
    what,
    body,
  }),
)

test('[WK4] [CH1] [PX1] [US1] every request of the page for people who bring a part of their own is answered', async () => {
  const server = await startHoldfast({ up: true })
  onTestFinished(() => server.stop().then(() => {}))
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const ask = async (path: string, body?: string) => {
    const init =
      body === undefined ? { headers } : { method: 'POST', headers, ...(body !== '' && { body }) }
    const response = await fetch(`${server.url}${path}`, init)
    return { status: response.status, text: await response.text() }
  }
  const demo = async () =>
    JSON.parse((await ask('/api/projects')).text).items[0]?.id as string | undefined
  await expect.poll(demo).toBeDefined()
  const P = String(await demo())
  const made = new Map([['P', P]])
  const filled = (text: string) =>
    text.replaceAll(/(?<=["/])[PSC](?=["/])/g, (letter) => made.get(letter) ?? letter)
  const agent = JSON.stringify({ id: 'ann', name: 'Ann', protocol: 'mcp' })
  expect((await ask('/api/agents', agent)).status).toBe(201)
  await fetch(`${server.url}/api/projects/${P}/agents/ann`, { method: 'PUT', headers, body: '{}' })
  const token = JSON.parse(
    (await ask('/api/tokens', JSON.stringify({ name: 'machine', kind: 'coordinator' }))).text,
  ).token as string

  expect(lines).toHaveLength(15)
  for (const { how, what, body } of lines) {
    if (how === 'tool') {
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: what, arguments: JSON.parse(filled(body)) },
      }
      const more = {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
      }
      const response = await fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(call),
      })
      expect(await response.text(), what).toMatch(/"(action|decision)"/)
      continue
    }
    const path = filled(what)
    const send = () => ask(path, filled(body))
    let answer = await send()
    // Until the agent is ready, a prompt is refused.
    if (path.endsWith('/prompts')) {
      const status = async () => {
        answer = await send()
        return answer.status
      }
      await expect.poll(status).toBe(202)
    }
    expect(answer.status, `${what} ${body}: ${answer.text}`).toBeLessThan(300)
    if (path.endsWith('/sessions')) made.set('S', JSON.parse(answer.text).id)
    if (path.endsWith('/user-sessions')) made.set('C', JSON.parse(answer.text).id)
  }
})
