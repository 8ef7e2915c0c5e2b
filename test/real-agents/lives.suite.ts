/**
 * What each agent is lived with for, one thing after the other, whichever of them fails: the second
 * table of docs/agents.md. The whole product but for the model, which writes down what it is sent.
 * With `--record DIR` the results are kept.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../src/platform/processes/sandbox-probe.ts'
import type { Message } from '../support/person.ts'
import { installedAgents } from './installed.ts'
import { type Life, openLife, plantedKey } from './life.ts'
import type { LifeReport } from './matrix.ts'
import type { Recipe } from './recipes.ts'

/** One loads a session in another minute only. */
const longestMs = 30 * 60_000
const stepWithinMs = 4 * 60_000
/** Said at first, and in what the model is sent as long as the agent remembers. */
const fact = 'the word is plum'
const { works } = await probeSandbox(process.env)

type Lived = LifeReport['lived'][number]

class Steps {
  readonly lived: Lived[] = []
  readonly #agent: string

  constructor(agent: string) {
    this.#agent = agent
  }

  async take(name: string, step: () => Promise<string | undefined>): Promise<boolean> {
    const late = new Promise<never>((_, reject) => {
      const why = new Error(`not done after ${stepWithinMs / 60_000} minutes`)
      setTimeout(() => reject(why), stepWithinMs).unref()
    })
    const done = await Promise.race([step(), late]).then(
      (detail = '') => ({ ok: true, detail }),
      (error: Error) => ({ ok: false, detail: error.message.slice(0, 2000) }),
    )
    this.lived.push({ name, ...done })
    console.log(`${this.#agent} ${done.ok ? '✓' : '✗'} ${name} ${done.detail}`)
    return done.ok
  }
}

/** What the model was sent for the last prompt, titles left out. */
function lastSent({ model }: Life): string {
  return model.sent.findLast(({ tools }) => tools > 0)?.text ?? ''
}

/**
 * Some put words of their own around a prompt, or one that was cut off before the next: what is
 * answered need not repeat it.
 */
async function answers(life: Life, words: string): Promise<void> {
  const { end } = await life.say(words)
  expect(end).toMatchObject({ type: 'agent:response', error: null })
  expect(end.content).not.toBe('')
  const sent = life.model.sent.filter(({ tools, text }) => tools > 0 && text.includes(words))
  expect(sent.length).toBeGreaterThan(0)
}

async function writes(life: Life): Promise<string> {
  await answers(life, fact)
  const wrote = await life.say(`[[write ${life.file('notes.txt')} by ${life.role}]] write`)
  expect(wrote.end).toMatchObject({ error: null })
  expect(readFileSync(life.file('notes.txt'), 'utf8').trim()).toBe(`by ${life.role}`)
  return wrote.asked.length > 0 ? 'asked' : 'without asking'
}

/**
 * Two denials in a row are no failure, and the context that holds the first words is not given up.
 */
async function isDeniedTwice(life: Life, { asks }: Recipe): Promise<string | undefined> {
  const reasons: string[] = []
  for (const n of [1, 2]) {
    const denied = await life.say(`[[run touch ${life.file(`never-${n}.txt`)}]] denied`, 'deny')
    const { type, stopReason, error } = denied.end
    // Who ends the turn without a word has not failed either.
    expect([type, stopReason === 'denied' || error === null]).toEqual(['agent:response', true])
    reasons.push(stopReason)
    if (!asks) continue
    expect(denied.asked.length, 'asked').toBeGreaterThan(0)
    expect(existsSync(life.file(`never-${n}.txt`))).toBe(false)
  }
  const { end, kept } = await life.say('and on')
  expect(end).toMatchObject({ error: null })
  expect(kept.primer ?? null, 'told again').toBe(null)
  expect(lastSent(life)).toContain(fact)
  return asks ? [...new Set(reasons)].join(', ') : 'never asks'
}

async function isStopped(life: Life): Promise<undefined> {
  const stopped = await life.say('count [[slow 200 50]]', 'allow', () =>
    life.person.send('agent:cancel', { role: life.role }),
  )
  expect(stopped.end).toMatchObject({ type: 'agent:response', stopReason: 'cancelled' })
  await answers(life, 'after the stop')
}

async function isKilled(life: Life): Promise<string> {
  // The recorder is the first.
  const [, outer = 0] = await life.processes()
  const killed = life.say('count [[slow 200 50]]', 'allow', () => process.kill(outer, 'SIGKILL'))
  expect((await killed).end).toMatchObject({ type: 'agent:failed' })
  const { how } = await life.spawn(true)
  await answers(life, 'after the kill')
  expect(lastSent(life)).toContain(fact)
  return how
}

async function isResumed(life: Life): Promise<undefined> {
  await life.restarted()
  await answers(life, 'after the restart')
  expect(lastSent(life)).toContain(fact)
}

async function isRewound(life: Life): Promise<undefined> {
  const file = life.file('rewound.txt')
  await life.say(`[[write ${file} apricot]] the apricot`)
  expect(existsSync(file)).toBe(true)
  const key = life.ready.conversation
  const { items } = await life.client.get('/api/conversations/{key}/turns', {
    params: { key },
    query: { limit: 1 },
  })
  const [turn] = items
  const rewind = { params: { key, turnId: turn?.id ?? '' }, body: { to: 'before' as const } }
  await life.client.post('/api/conversations/{key}/turns/{turnId}/rewind', rewind)
  expect(existsSync(file)).toBe(false)
  await answers(life, 'after the rewind')
  expect(lastSent(life)).not.toContain('apricot')
  expect(lastSent(life)).toContain(fact)
}

/** A second of the same agent beside it, in its own workplace, asked in the same moment. */
async function isBeside(life: Life): Promise<undefined> {
  const { person, role } = life
  const second: Message = await person.spawn('second', { agentId: role })
  expect(second.workspace).not.toBe(life.ready.workspace)
  const asked = [answers(life, 'to the first'), person.say('second', 'to the second')] as const
  const [, other] = await Promise.all(asked)
  expect(other).toMatchObject({ error: null, content: expect.stringContaining('to the second') })
  const sent = life.model.sent.filter(({ heard, tools }) => tools > 0 && heard.includes('second'))
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.some(({ text }) => text.includes(fact))).toBe(false)
}

async function livesInside(life: Life, { optionInside: change }: Recipe): Promise<undefined> {
  await life.spawn()
  if (change) {
    life.person.send('agent:configure', { role: life.role, change })
    expect(await life.person.next('agent:configured', life.role)).toMatchObject({ error: null })
  }
  await writes(life)
  const commit = 'git add -A && git commit -qm inside && git log -1 --format=committed:%s'
  const committed = await life.say(`[[run ${commit}]] commit`)
  expect(committed.end.content).toContain('committed:inside')
  const { git } = life.project
  expect(git('log', '-1', '--format=%s', life.ready.branch).trim()).toBe('inside')
  expect(git('show', `${life.ready.branch}:notes.txt`).trim()).toBe(`by ${life.role}`)
  await life.killed((await life.processes()).at(-1) ?? 0)
  await life.endProcess()
  await life.spawn(true)
  await answers(life, 'after the kill')
  expect(lastSent(life)).toContain(fact)
}

/** The model saw its key alone, the agent never; what was counted is what the model wrote. */
async function isBehindGateway(life: Life): Promise<undefined> {
  const shown = await life.say('[[run env]] look')
  expect(JSON.stringify([shown.end, shown.calls])).not.toContain(plantedKey)
  expect([...life.model.keys]).toEqual([plantedKey])
  const { projectId } = life
  const { items } = await life.client.get('/api/projects/{projectId}/model-usage', {
    params: { projectId },
  })
  const used = life.model.sent.flatMap((sent) => sent.used ?? [])
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
  expect(sum(items.map(({ inputTokens }) => inputTokens))).toBe(sum(used.map(({ input }) => input)))
}

test.each(installedAgents())(
  '[AC5] $name: write, deny twice, stop, kill, resume, rewind, columns, sandbox, gateway',
  async (agent) => {
    const { name, recipe } = agent
    const steps = new Steps(name)
    const life = await openLife(agent)
    await steps.take('start', async () => void (await life.spawn()))
    await steps.take('write', () => writes(life))
    await steps.take('deny twice', () => isDeniedTwice(life, recipe))
    await steps.take('stop', () => isStopped(life))
    await steps.take('kill', () => isKilled(life))
    await steps.take('resume', () => isResumed(life))
    await steps.take('rewind', () => isRewound(life))
    await steps.take('columns', () => isBeside(life))
    await steps.take('end', async () => void (await life.terminate()))
    for (const mode of works ? (['workplace', 'strict'] as const) : []) {
      const inside = await openLife(agent, mode)
      await steps.take(mode, () => livesInside(inside, recipe))
      if (mode === 'strict') await steps.take('gateway', () => isBehindGateway(inside))
      await inside.terminate().catch(() => {})
    }
    const { REAL_AGENTS_RECORD: folder } = process.env
    const version = recipe.packages[0]?.split('@').at(-1) ?? ''
    const report: LifeReport = { agent: name, version, lived: steps.lived }
    if (folder) writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`)
    expect(steps.lived.filter(({ ok }) => !ok)).toEqual([])
  },
  longestMs,
)
