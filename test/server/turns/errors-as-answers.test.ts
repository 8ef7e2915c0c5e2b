/**
 * Errors of a model that agents nobody has recorded present as their answers (CX12): three scripted
 * ones, as real processes.
 */
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { hostile } from '../../support/hostile-agent.ts'

const tells = (what: string) =>
  hostile({
    onPrompt: `const over = (usage) => send({ id, result: { stopReason: 'end_turn', usage } }); ${what}`,
  })
const used = '{ inputTokens: 812, outputTokens: 40, totalTokens: 852 }'

const strangeAgents: readonly [name: string, what: string, words: string, state: string][] = [
  [
    'repeats the tokens of its last turn',
    `if (text === 'fail') say('Oh no, the thinking box said: HTTP 401 (who are you?)'); else say('Hello'); over(${used})`,
    'Oh no, the thinking box said: HTTP 401 (who are you?)',
    'error',
  ],
  [
    'tells that nothing was said',
    `if (text !== 'fail') { say('Hello'); return over(${used}) } say('Model trouble: 429 Too Many Requests.'); over({ inputTokens: 0, outputTokens: 0, totalTokens: 0 })`,
    'Model trouble: 429 Too Many Requests.',
    'error',
  ],
  [
    'tells no tokens at all',
    `say(text === 'fail' ? 'Exception in the backend, status=500' : 'Hello'); over()`,
    'Exception in the backend, status=500',
    'probably_error',
  ],
]

test.each(strangeAgents)(
  '[CX12] an agent that %s: its error is no plain success',
  async (_, what, words, stopReason) => {
    const room = await openAgentOnServer(tells(what))
    expect(await room.tell('hello')).toMatchObject({ state: 'answered', text: 'Hello' })
    expect(await room.tell('fail')).toMatchObject({ state: 'failed', stopReason })
    const shown = {
      error: `It did not work: ${words}`,
      probably_error: `${words}\n\nThis is probably an error of its model and not an answer. Send it again to retry.`,
    }[stopReason]
    expect((await room.messages()).at(-1)).toBe(`coder: ${shown}`)
    expect(await room.tell('hello again')).toMatchObject({
      state: 'answered',
      text: 'Hello',
      primer: null,
    })
  },
)
