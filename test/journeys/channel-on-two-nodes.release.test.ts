/**
 * A channel in a cluster (CN2): one node holds its connection. When it is killed another takes over
 * within 30 s, and each message is answered once.
 */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { newPostgresUrl, usePostgres } from '../support/postgres.ts'
import { startHoldfast } from '../support/running-server.ts'
import { SlackStandIn, slackAppToken, slackBotToken } from '../support/slack.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

usePostgres()

const takenOverWithinMs = 30_000

test('[CN2] a node that holds a channel is killed: another has it within 30 s, and says nothing twice', async () => {
  const slack = await new SlackStandIn().open()
  onTestFinished(() => slack.close())
  const env = {
    DATABASE_URL: await newPostgresUrl(),
    HOLDFAST_SLACK_BOT_TOKEN: slackBotToken,
    HOLDFAST_SLACK_APP_TOKEN: slackAppToken,
    HOLDFAST_SLACK_API_ROOT: slack.url,
  }
  const first = await startHoldfast({ env })
  onTestFinished(() => first.kill())
  const data = join(temporaryFolder(), 'second')
  mkdirSync(data)
  cpSync(join(first.data, 'secrets'), join(data, 'secrets'), { recursive: true })
  const second = await startHoldfast({ env, data })
  onTestFinished(async () => void (await second.stop()))
  const client = createClient({ url: second.url, token: second.token })
  // Both nodes pair and serve, by whichever holds it.
  const { code } = await client.post('/api/channels/{channel}/pairing-codes', {
    params: { channel: 'slack' },
  })
  slack.say(code)
  await slack.until(() => slack.textsOf('D1').length === 1)
  slack.say('!status')
  await slack.until(() => slack.textsOf('D1').length === 2)
  expect(slack.sockets.size).toBe(1)
  await first.kill()
  slack.say('!help', { unheard: true })
  await slack.until(() => slack.textsOf('D1').length === 3, takenOverWithinMs)
  slack.say('!status')
  await slack.until(() => slack.textsOf('D1').length === 4)
  expect(slack.sockets.size).toBe(1)
  const said = slack.textsOf('D1')
  expect(said[3]).toBe(said[1])
  expect(new Set(said.slice(0, 3)).size).toBe(3)
})
