/**
 * Fills a data folder as a company that works with many agents would have it, through the API: 21
 * projects, 15 agents, 200 conversations with 5,000 messages, 500 tasks, 2,000 tool calls, a change
 * of 2,000 lines, approvals, notes, work that was resumed.
 *   npm run fill -- --data FOLDER            fills it, and ends
 *   npm run fill -- --data FOLDER --stay     goes on serving it, and prints a link to sign in
 *   --share 0.1                                 a tenth of everything
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from '../src/client/client.ts'
import { startHoldfast } from '../test/support/running-server.ts'
import { fill } from './page/filling.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    stay: { type: 'boolean', default: false },
    share: { type: 'string', default: '1' },
  },
})
const share = Number(values.share)
if (!values.data || !(share > 0 && share <= 1))
  throw new Error('Usage: npm run fill -- --data FOLDER [--stay] [--share 0.1]')
const data = resolve(values.data)
mkdirSync(data, { recursive: true })
const server = await startHoldfast({ data, up: true, onFile: true })
await fill({
  client: createClient({ url: server.url, token: server.token }),
  folder: `${data}-repositories`,
  share,
})
if (values.stay) console.log(`Filled. Sign in: ${server.signInLink}`)
else await server.stop()
