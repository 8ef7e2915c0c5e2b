/**
 * What the adapters of Slack and Discord switch off (CN2), tried with it switched on: by themselves
 * the libraries send again what has arrived.
 */
import { REST } from '@discordjs/rest'
import { WebClient } from '@slack/web-api'
import { expect, onTestFinished, test } from 'vitest'
import { DiscordStandIn, discordToken } from '../support/discord.ts'
import { SlackStandIn, slackBotToken } from '../support/slack.ts'

test('[CN2] the control: with the default retries Slack gets a message twice', async () => {
  const slack = await new SlackStandIn().open()
  onTestFinished(() => slack.close())
  slack.trouble('chat.postMessage', 'cut-after')
  const web = new WebClient(slackBotToken, { slackApiUrl: `${slack.url}/api/` })
  const message = { channel: 'D1', text: 'once', unfurl_links: false, unfurl_media: false }
  await web.chat.postMessage(message)
  expect(slack.textsOf('D1')).toEqual(['once', 'once'])
})

test('[CN2] the control: with the default retries Discord gets a message twice', async () => {
  const discord = await new DiscordStandIn().open()
  onTestFinished(() => discord.close())
  discord.trouble('POST /channels/:id/messages', 'fail-after')
  const rest = new REST({ version: '10', api: `${discord.url}/api` }).setToken(discordToken)
  const body = { content: 'once', allowed_mentions: { parse: [] }, flags: 4 }
  await rest.post('/channels/10/messages', { body })
  expect(discord.textsOf('10')).toEqual(['once', 'once'])
})
