/**
 * Slack and Discord end to end (CN1, CN2, CN5): the real server with its coordinator and the demo
 * agent, and stand-ins of both platforms at the other end. Each kill is SIGKILL.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { DiscordStandIn, discordBot, discordToken } from '../support/discord.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'
import { SlackStandIn, slackAppToken, slackBot, slackBotToken } from '../support/slack.ts'

let slack: SlackStandIn
let discord: DiscordStandIn
let holdfast: RunningHoldfast

const start = (data?: string): Promise<RunningHoldfast> =>
  startHoldfast({
    up: true,
    ...(data !== undefined && { data }),
    env: {
      HOLDFAST_SLACK_BOT_TOKEN: slackBotToken,
      HOLDFAST_SLACK_APP_TOKEN: slackAppToken,
      HOLDFAST_SLACK_API_ROOT: slack.url,
      HOLDFAST_DISCORD_TOKEN: discordToken,
      HOLDFAST_DISCORD_API_ROOT: discord.url,
    },
  })

const client = () => createClient({ url: holdfast.url, token: holdfast.token })
const codeFor = async (channel: 'slack' | 'discord'): Promise<string> =>
  (await client().post('/api/channels/{channel}/pairing-codes', { params: { channel } })).code
const letIn = (channel: 'slack' | 'discord', chatId: string) =>
  client().patch('/api/channels/{channel}/chats/{chatId}', {
    params: { channel, chatId },
    body: { state: 'paired' },
  })

beforeAll(async () => {
  slack = await new SlackStandIn().open()
  discord = await new DiscordStandIn().open()
  holdfast = await start()
  // The first start makes the demo project in the background.
  const isThere = async () =>
    (await client().get('/api/agents', { query: {} })).items.some(({ id }) => id === 'demo')
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 50))
})

afterAll(async () => {
  await holdfast.stop()
  await slack.close()
  await discord.close()
})

test('[CN1] [CN4] who sends the code talks with the agent on Slack and on Discord', async () => {
  slack.say(await codeFor('slack'))
  await slack.until(() => slack.textsOf('D1').length === 1)
  slack.say('good <morning>')
  await slack.until(() => slack.textsOf('D1').length === 2)
  expect(slack.textsOf('D1').at(-1)).toBe('echo: good <morning>')
  discord.say(await codeFor('discord'))
  await discord.until(() => discord.textsOf('10').length === 1)
  discord.say('good morning')
  await discord.until(() => discord.textsOf('10').length === 2)
  expect(discord.textsOf('10').at(-1)).toBe('echo: good morning')
})

test('[CN5] a thread has a conversation and a process of its own, and is answered there', async () => {
  slack.say(`<@${slackBot}> hello`, { channel: 'C1' })
  await slack.until(() => slack.textsOf('C1').length === 1)
  await letIn('slack', 'C1')
  await slack.until(() => slack.textsOf('C1').length === 2)
  const root = slack.say(`<@${slackBot}> one`, { channel: 'C1' })
  await slack.until(() => slack.textsOf('C1').length === 3)
  slack.say(`<@${slackBot}> two`, { channel: 'C1', thread: root })
  await slack.until(() => slack.textsOf('C1', root).length === 1, 60_000)
  expect(slack.textsOf('C1', root)).toEqual(['echo: two'])
  expect(slack.textsOf('C1').at(-1)).toBe('echo: one')
  discord.say(`<@${discordBot}> hello`, { channel: '20' })
  await discord.until(() => discord.textsOf('20').length === 1)
  await letIn('discord', '20')
  await discord.until(() => discord.textsOf('20').length === 2)
  discord.say(`<@${discordBot}> three`, { channel: '30' })
  await discord.until(() => discord.textsOf('30').length === 1, 60_000)
  expect(discord.textsOf('30')).toEqual(['echo: three'])
  const { items } = await client().get('/api/conversations', { query: {} })
  expect(items.filter(({ kind }) => kind === 'channel-thread').map(({ key }) => key)).toEqual(
    expect.arrayContaining([`slack:C1:${root}`, 'discord:30']),
  )
})

test('[CN2] [CN6] killed at the wrong moments: each message is taken and answered once', async () => {
  slack.trouble('chat.postMessage', 'hang')
  slack.say('alpha')
  await slack.until(() => slack.textsOf('D1').includes('echo: alpha'))
  discord.trouble('POST /channels/:id/messages', 'hang')
  discord.say('beta')
  await discord.until(() => discord.textsOf('10').includes('echo: beta'))
  await holdfast.kill()
  slack.say('gamma', { unheard: true })
  discord.say('delta')
  holdfast = await start(holdfast.data)
  const said = () => [...slack.textsOf('D1'), ...discord.textsOf('10')].join('\n')
  const words = ['alpha', 'beta', 'gamma', 'delta']
  await slack.until(() => words.slice(0, 3).every((word) => said().includes(word)), 90_000)
  await discord.until(() => words.every((word) => said().includes(word)), 90_000)
  slack.say('!status')
  await slack.until(() => said().includes('nothing to do'))
  for (const word of words) expect(said().split(word), word).toHaveLength(2)
  expect(said()).not.toContain('Sent again')
})

test('[CN7] a permission is asked with buttons, and a press lets the agent go on', async () => {
  slack.say('[[ask go]]')
  await slack.until(() => 'Allow' in slack.buttonsIn('D1'))
  slack.press(slack.buttonsIn('D1')['Allow'] ?? '')
  await slack.until(() => slack.textsOf('D1').some((text) => text.includes('allowed')))
  await slack.until(() => slack.textsOf('D1').some((text) => text.includes('Approved by')))
  expect(slack.buttonsIn('D1')).not.toHaveProperty('Allow')
  discord.say('[[question Which colour?]]')
  await discord.until(() => discord.textsOf('10').some((text) => text.includes('colour')))
})

test('[CN7] [CN8] answered now beside other work, and shown while it is written', async () => {
  // The question of the test before is open, in the same folder.
  slack.say('[[slow 14 500]]')
  await slack.until(() => 'Answer now' in slack.buttonsIn('D1'))
  slack.press(slack.buttonsIn('D1')['Answer now'] ?? '')
  const story = () => slack.textsOf('D1').filter((text) => text.includes('piece 1'))
  await slack.until(() => story().some((text) => text.endsWith('…')), 60_000)
  await slack.until(() => story().some((text) => text.endsWith('piece 14')), 60_000)
  expect(story()).toHaveLength(1)
})

test('[SE7] the tokens are in no log, no error and no answer', async () => {
  const { items } = await client().get('/api/channels', { query: {} })
  const shown = holdfast.log() + JSON.stringify(items)
  for (const token of [slackBotToken, slackAppToken, discordToken])
    expect(shown).not.toContain(token.slice(8))
  expect(items.map(({ channel, state }) => [channel, state])).toEqual([
    ['telegram', 'off'],
    ['slack', 'connected'],
    ['discord', 'connected'],
  ])
})
