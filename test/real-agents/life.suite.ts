/**
 * The whole life of each agent in a console of the whole product (AC5, AC6, AG13), with its wire
 * recorded beside what a person is shown: no output is lost, no update is dropped unseen, and the
 * tokens are the model's or not reported.
 */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Message } from '../support/person.ts'
import { allAgents, findProgram, installedAgents } from './installed.ts'
import { type Life, type LivedTurn, openLife } from './life.ts'
import type { Recipe } from './recipes.ts'

const lines = 2000
const manyLines = `i=0; while [ $i -lt ${lines} ]; do echo line $i of the output; i=$((i+1)); done`

/**
 * A context is opened anew when two turns in it end in silence, and in another process when that
 * does not help.
 */
const maxPromptsWithout = 5
/** One loads a session in another minute only. */
const longestMs = 15 * 60_000

for (const { name, recipe } of allAgents().filter(({ program }) => !program))
  test(`[AC5] ${name} is not installed here and was not tried (${recipe.packages.join(' ')})`, () => {
    expect(findProgram(name, recipe, undefined)).toBeUndefined()
  })

const withSays = installedAgents().flatMap((agent) => {
  const { says } = agent.recipe
  return says ? [{ ...agent, recipe: { ...agent.recipe, says } }] : []
})

test.each(withSays)(
  '[AC5] [AC6] $name: from a fresh home to its end, what is on its wire is what a person is shown',
  async (agent) => {
    const { name, recipe } = agent
    const life = await openLife(agent)
    const turns: LivedTurn[] = []
    const said = async (...given: Parameters<Life['say']>): Promise<LivedTurn> => {
      const turn = await life.say(...given)
      turns.push(turn)
      return turn
    }
    await life.spawn()
    const first = await said('hello there')
    expect(first.end).toMatchObject({ type: 'agent:response', error: null })
    expect(first.end.content).toContain('echo: hello there')

    const wrote = await said(`[[write ${life.file('notes.txt')} written by ${name}]] first`)
    expect(wrote.end).toMatchObject({ error: null })
    expect(readFileSync(life.file('notes.txt'), 'utf8').trim()).toBe(`written by ${name}`)
    const denied = await said(`[[run touch ${life.file('never.txt')}]] denied`, 'deny')
    if (recipe.asks) {
      expect(wrote.asked.length).toBeGreaterThan(0)
      expect(denied.asked.length).toBeGreaterThan(0)
      expect(existsSync(life.file('never.txt'))).toBe(false)
    } else expect([...wrote.asked, ...denied.asked]).toEqual([])

    // Some change what they ask about after a no; the next turn begins clean.
    await said('go on')
    const always = `[[run date +%s%N >> ${life.file('always.txt')}]]`
    const asked = await said(`${always} once`, 'always')
    const again = await said(`${always} twice`, 'deny')
    expect(readFileSync(life.file('always.txt'), 'utf8').trim().split('\n')).toHaveLength(
      recipe.says.input ? 2 : 1,
    )
    if (recipe.asks) {
      expect(asked.asked.length).toBeGreaterThan(0)
      if (recipe.says.input) expect(again.asked).toEqual([])
    }
    const other = await said(`[[run date +%s%N >> ${life.file('other.txt')}]] another`, 'deny')
    if (recipe.asks)
      expect([other.asked.length > 0, existsSync(life.file('other.txt'))]).toEqual([true, false])

    await said('and on')
    const long = await said(`[[run ${manyLines}]] long`)
    await expectOutput(life, long)

    if (recipe.says.tools) {
      const { calls } = await said('[[tool get_history {}]] ours')
      expect(
        calls.find(({ title, input }) => `${title} ${input}`.includes('get_history')),
      ).toMatchObject({ status: 'completed' })
    }

    if (recipe.question) {
      const { question: call, questionOption: change } = recipe
      if (change) {
        life.person.send('agent:configure', { role: name, change })
        expect(await life.person.next('agent:configured', name)).toMatchObject({ error: null })
      }
      const question = await said(`[[tool ${call}]] question`)
      expect(question.questions).toHaveLength(1)
      expect(question.end).toMatchObject({ error: null, content: expect.stringContaining('Red') })
      const { end } = await life.answerAfterKill(`[[tool ${call}]] over a kill`)
      expect(end).toMatchObject({
        error: null,
        content: expect.stringMatching(/over a kill.*Red/s),
      })
    }

    const cancelled = await life.say('count [[slow 200 50]]', 'allow', () =>
      life.person.send('agent:cancel', { role: life.role }),
    )
    expect(cancelled.end).toMatchObject({ type: 'agent:response', stopReason: 'cancelled' })
    expect((await said('still there?')).end.content).toContain('echo: still there?')

    // The recorder is the first.
    const [, outer = 0] = await life.processes()
    await life.killed(outer)
    expect(await life.person.next('agent:failed', name)).toMatchObject({ step: 'running' })
    expect(await life.spawn(true)).toMatchObject(
      recipe.says.load ? { notRestored: null } : { how: 'new' },
    )
    expect((await said('after the kill')).end.content).toContain('echo: after the kill')

    const inner = (await life.processes()).slice(2).at(-1)
    if (inner !== undefined) await loseInner(life, inner)
    expect((await said('to the end')).end.content).toContain('echo: to the end')

    expectTokens(turns, recipe.says.tokens)
    await life.terminate()
    expectShown(life)
    await expectCounted(life)
  },
  longestMs,
)

/** What one does not report of a cancelled turn, it reports with the next. */
function expectTokens(
  turns: readonly LivedTurn[],
  tokens: NonNullable<Recipe['says']>['tokens'],
): void {
  let [input, output] = [0, 0]
  const wrong = turns.flatMap(({ kept, counted, end }) => {
    const { inputTokens = null, outputTokens = null } = kept.usage ?? {}
    const said = [inputTokens, outputTokens]
    const { input: more, output: written } = tokens ? counted[tokens] : { input: 0, output: 0 }
    input += more
    output += written
    if (said.every((each) => each === null))
      return tokens && end.stopReason !== 'cancelled' ? [[end.content, ...said]] : []
    const isRight = inputTokens === input && outputTokens === output
    const received = isRight ? [] : [[end.content, ...said, input, output]]
    input = 0
    output = 0
    return received
  })
  expect(wrong).toEqual([])
  if (tokens) expect([input, output]).toEqual([0, 0])
}

/**
 * All lines that came over the wire are kept, and all that the command wrote where the agent does
 * not cut it.
 */
async function expectOutput(life: Life, { calls, ...turn }: LivedTurn): Promise<void> {
  const run = calls.findLast(({ title, command, input }) =>
    `${title} ${command} ${input}`.includes('of the output'),
  )
  expect(run).toMatchObject({ status: 'completed' })
  const linesOf = (text: string) => new Set(text.match(/line \d+ of the output/g))
  const whole = linesOf(await life.output({ calls, ...turn }, run.toolCallId))
  const sent = life
    .wire()
    .filter(({ from }) => from?.params?.update?.toolCallId === run.toolCallId)
    .map(({ from }) => textsIn(from))
  expect([...linesOf(sent.join('\n')).difference(whole)]).toEqual([])
  console.log(`${life.role}: ${whole.size} of ${lines} lines of output`)
}

const textsIn = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null
      ? Object.values(value).map(textsIn).join('\n')
      : ''

/**
 * Each prompt says that it failed or is answered; after a few of them at most it is answered,
 * brought back by us where it must be.
 */
async function loseInner(life: Life, pid: number): Promise<void> {
  await life.killed(pid)
  const seen: string[] = []
  for (let n = 1; n <= maxPromptsWithout; n++) {
    const { end } = await life.say(`without a part of it, ${n}`)
    seen.push(end.error ?? end.content)
    if (end.type === 'agent:failed') await life.spawn(true)
    else if (end.error === null) break
  }
  console.log(`${life.role} without its inner process: ${JSON.stringify(seen)}`)
  expect(seen.at(-1)).toContain('echo: without a part of it')
}

/** AC10: what was counted as unknown of its processes is what `/metrics` says, by kind and name. */
async function expectCounted({ client, role, house: { holdfast } }: Life): Promise<void> {
  const sums = new Map<string, number>()
  for (const { launchId } of (await client.get('/api/processes', { query: { agentId: role } }))
    .items) {
    const { unknown } = await client.get('/api/processes/{launchId}', { params: { launchId } })
    for (const { kind, name, count } of unknown)
      sums.set(`${kind} ${name}`, (sums.get(`${kind} ${name}`) ?? 0) + count)
  }
  const answer = await fetch(`${holdfast.url}/metrics`, {
    headers: { authorization: `Bearer ${holdfast.token}` },
  })
  const lines = (await answer.text()).matchAll(
    /^holdfast_agent_unknown_total\{kind="(\w+)",name="([^"]*)"\} (\d+)/gm,
  )
  const counted = new Map(
    [...lines].map(([, kind, name, count]) => [`${kind} ${name}`, Number(count)]),
  )
  console.log(`${role} sent what is not known: ${JSON.stringify([...sums])}`)
  // A server that was killed has begun to count anew.
  for (const [name, count] of counted) expect(sums.get(name), name).toBeGreaterThanOrEqual(count)
}

/** Where what an agent sends is shown. */
const shownAs: Readonly<Record<string, readonly string[]>> = {
  agent_message_chunk: ['text', 'media'],
  agent_thought_chunk: ['thought'],
  tool_call: ['tool'],
  tool_call_update: ['tool'],
  plan: ['plan'],
  plan_update: ['plan'],
  current_mode_update: ['mode'],
  config_option_update: ['options'],
  available_commands_update: ['commands'],
  usage_update: ['usage'],
  session_info_update: ['title'],
  notice: ['notice'],
  compaction_update: ['compaction'],
}

function expectShown(life: Life): void {
  const updates: Message[] = life.person.log
    .filter(({ type }) => type === 'agent:update')
    .map(({ update }) => update)
  const shown = new Set(updates.map(({ kind }) => kind))
  const open = new Set<unknown>()
  const [text, kinds, ids] = [[] as string[], new Set<string>(), new Set<string>()]
  for (const { to, from } of life.wire()) {
    if (to?.method === 'session/prompt') open.add(to.id)
    if (from?.id !== undefined && !from.method) open.delete(from.id)
    const update = from?.method === 'session/update' ? from.params.update : undefined
    if (!update || open.size === 0) continue
    if (update.sessionUpdate === 'session_info_update' && update.title === undefined) continue
    if (update.sessionUpdate !== 'user_message_chunk') kinds.add(update.sessionUpdate)
    if (update.sessionUpdate === 'agent_message_chunk') text.push(update.content.text ?? '')
    if (update.toolCallId) ids.add(update.toolCallId)
  }
  console.log(`${life.role} sent: ${[...kinds].join(', ')}`)
  expect(
    [...kinds].filter((kind) => !(shownAs[kind] ?? []).some((each) => shown.has(each))),
  ).toEqual([])
  const calls = new Set(
    updates.flatMap(({ kind, call }) => (kind === 'tool' ? [call.toolCallId] : [])),
  )
  expect([...ids.difference(calls)]).toEqual([])
  const texts = updates.flatMap((update) => (update.kind === 'text' ? [update.text] : []))
  const bare = (parts: readonly string[]): string => parts.join('').replaceAll(/\s+/g, '')
  expect(bare(texts)).toBe(bare(text))
}
