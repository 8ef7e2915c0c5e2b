/**
 * The lives of real agents as `npm run test:agents -- --record DIR life` has recorded them, read
 * again without the agents: every update is understood, what was said is whole, the same command is
 * known again and another is not, and the tokens are those of each turn.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { permissionRequestOf } from '../../../src/coordinator/acp/permissions.ts'
import { questionOf } from '../../../src/coordinator/acp/questions.ts'
import { ToolCalls } from '../../../src/coordinator/acp/tool-calls.ts'
import { Compactions, readUpdate } from '../../../src/coordinator/acp/updates.ts'
import { TurnTokens } from '../../../src/coordinator/acp/usage.ts'

const folder = join(import.meta.dirname, 'lives')

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
type Message = any

/** One life: several processes, one after the other. */
function live(agent: string) {
  const lines = readFileSync(join(folder, `${agent}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  const [calls, compactions] = [new ToolCalls(), new Compactions()]
  let tokens = new TurnTokens('')
  let open: { id: unknown; prompt: string; said: string } | undefined
  const lived = {
    notRead: [] as string[],
    asked: [] as { title: string; likeness: string | null }[],
    /** What it asked its person, and what it was answered. */
    questions: [] as { id: unknown; fields: string[]; answer?: object }[],
    turns: [] as { prompt: string; said: string; stopReason: string; input: number | null }[],
    /** The ids of the sessions that were opened or brought back. */
    opened: [] as string[],
    sent: '',
    read: '',
  }
  for (const line of lines) {
    const { to, from }: { to?: Message; from?: Message } = JSON.parse(line)
    if (/^session\/(load|resume)$/.test(to?.method)) lived.opened.push(to.params.sessionId)
    if (from?.result?.agentInfo) tokens = new TurnTokens(from.result.agentInfo.name)
    if (from?.result?.sessionId && !open) lived.opened.push(from.result.sessionId)
    if (to?.method === 'session/prompt')
      open = { id: to.id, prompt: to.params.prompt.at(-1).text, said: '' }
    if (from?.method === 'session/request_permission') {
      const request = permissionRequestOf(from.params, calls)
      if (request)
        lived.asked.push({
          title: JSON.stringify(from.params.toolCall),
          likeness: request.likeness,
        })
      else lived.notRead.push('session/request_permission')
    }
    if (from?.method === 'elicitation/create') {
      const read = questionOf(from.params)
      if (read)
        lived.questions.push({
          id: from.id,
          fields: Object.keys(read.question.schema?.properties ?? {}),
        })
      else lived.notRead.push('elicitation/create')
    }
    const answered =
      to && !to.method && lived.questions.find(({ id, answer }) => id === to.id && !answer)
    if (answered) answered.answer = to.result
    if (from?.method === 'session/update') {
      const read = readUpdate(from.params, calls, compactions)
      if (read === undefined) lived.notRead.push(from.params.update.sessionUpdate)
      if (!open) continue
      if (from.params.update.sessionUpdate === 'agent_message_chunk')
        lived.sent += from.params.update.content.text
      if (read?.update.kind === 'text') open.said += read.update.text
    }
    if (open && from?.id === open.id && !from.method) {
      const { prompt, said } = open
      lived.read += said
      lived.turns.push({
        prompt,
        said,
        stopReason: from.result?.stopReason,
        input: tokens.of(from.result).inputTokens,
      })
      calls.clear()
      open = undefined
    }
  }
  return lived
}

const agents = readdirSync(folder).map((file) => file.replace('.jsonl', ''))

test.each(agents)(
  '[AC5] %s: every update and request of its life is understood, and no word of it is lost',
  (agent) => {
    const { notRead, sent, read, turns } = live(agent)
    expect(notRead).toEqual([])
    expect(read).toBe(sent)
    expect(turns.find(({ prompt }) => prompt.startsWith('count'))).toMatchObject({
      stopReason: 'cancelled',
    })
    for (const words of ['hello there', 'still there?', 'after the kill', 'to the end'])
      expect(turns.find(({ prompt }) => prompt === words)?.said).toContain(`echo: ${words}`)
  },
)

test.each(agents)('[AC4] %s: after a kill its own session is asked for', (agent) => {
  const [first, ...later] = live(agent).opened
  expect(later.length).toBeGreaterThan(0)
  expect(later).toContain(first)
})

test.each(agents.filter((agent) => agent !== 'pi'))(
  '[AP9] %s: the same command is known again, another one is not',
  (agent) => {
    const { asked } = live(agent)
    const about = (file: string) =>
      asked.filter(({ title }) => title.includes(file)).map(({ likeness }) => likeness)
    const [[once, twice], [other]] = [about('always.txt'), about('other.txt')]
    expect(once).toBe(twice)
    expect(other).not.toBeUndefined()
    // Gemini does not say what it would run.
    if (agent === 'gemini') expect([once, other]).toEqual([null, null])
    else expect(once !== null && once !== other).toBe(true)
  },
)

test.each([
  ['claude', 'question_0'],
  ['codex', 'colour'],
])(
  '[AP13] %s: its questions are understood, and it works with the answers, one of which came after a kill of the server',
  (agent, field) => {
    const { questions, turns } = live(agent)
    expect(questions.map(({ fields, answer }) => [fields[0], answer])).toEqual(
      Array.from({ length: 2 }, () => [field, { action: 'accept', content: { [field]: 'Red' } }]),
    )
    const said = turns.flatMap((turn) =>
      /\]\] (question|over a kill)$/.test(turn.prompt) ? [turn.said] : [],
    )
    expect(said).toEqual([expect.stringContaining('Red'), expect.stringContaining('Red')])
  },
)

/** What the model counted for the turns in that run; null: not reported. */
test.each([
  ['claude', 2955],
  ['codex', 2602],
  ['copilot', 1739],
  ['gemini', 2094],
  ['opencode', null],
  ['pi', null],
])('[AC7] %s: the tokens of its turns are what its model has counted', (agent, counted) => {
  const received = live(agent).turns.map(({ input }) => input)
  expect(
    received.every((input) => input === null)
      ? null
      : received.reduce<number>((sum, input) => sum + (input ?? 0), 0),
  ).toBe(counted)
})
