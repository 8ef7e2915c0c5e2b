/**
 * What the model of a real agent is sent (CX2, CX4) after its process was killed, slept, its panel
 * was closed and the server was killed: what it was told is there each time, and after a reset and
 * a cutover it is not, but for the summary of the day. Beside the agents of several vendors one
 * that pulls its work. The whole product but for the model, which writes down what it is sent.
 */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Talker } from '../support/chat.ts'
import { keepsInMind } from '../support/kept-in-mind.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf, installedAgents } from './installed.ts'
import { startModel } from './model/scripted-model.ts'

const question = 'What do you know?'
/** One of them loads a session in another minute only, and it is killed four times. */
const longestMs = 15 * 60_000

const pulling = (model: string): Talker => ({
  protocol: 'mcp',
  command: process.execPath,
  args: [join(import.meta.dirname, 'pulling-agent.ts')],
  env: { MODEL: model },
})

const talkers = [
  ...installedAgents().map(({ name, recipe, program }) => ({
    name,
    entry: (model: string): Talker =>
      entryOf(program, recipe, join(temporaryFolder(), name), model),
  })),
  { name: 'an agent that pulls', entry: pulling },
]

test.each(talkers)(
  '[CX2] [CX4] $name is reminded after a kill, a sleep and a closed panel, not after a cutover',
  async ({ entry }) => {
    const model = await startModel()
    onTestFinished(() => model.close())
    await keepsInMind(entry(model.url), async (chat) => {
      const before = model.sent.length
      await chat.say(question)
      await chat.answer()
      // Titles are asked without tools, and what a person might say next with other words.
      const sent = model.sent
        .slice(before)
        .filter(({ heard, tools }) => tools > 0 && heard.endsWith(question))
      expect(sent.length, 'requests with the question').toBeGreaterThan(0)
      return sent.map(({ text }) => text).join('\n')
    })
  },
  longestMs,
)
