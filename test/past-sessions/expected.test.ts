import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PastAgent } from '../../src/past-sessions/port.ts'
import { oneOf, opencodeDatabase, type Read, readAll, samples, summaryOf } from './read-samples.ts'

interface ExpectedTool {
  readonly name: string
  readonly status: string
  readonly output?: string
}

interface ExpectedTurn {
  readonly prompt: string
  readonly at: string
  readonly answer: string
  readonly thoughts: number
  readonly tools: readonly ExpectedTool[]
  readonly end: string
  readonly images?: number
  readonly files?: number
  readonly compaction?: boolean
}

interface Expected {
  readonly title: string
  readonly folder: string
  readonly branch?: string
  readonly model?: string
  readonly version?: string
  readonly made?: string
  readonly parent?: string
  readonly forkOf?: string
  readonly takenBack?: number
  readonly archived?: boolean
  readonly turns: readonly ExpectedTurn[]
}

/** What a first reader made of the samples: a second opinion, its texts cut. */
const expected = JSON.parse(readFileSync(join(samples, 'expected.json'), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, Expected>>>
>

const roots: readonly (readonly [name: string, agent: PastAgent, root: () => string])[] = [
  ['claude', 'claude', () => join(samples, 'claude/config/projects')],
  ['codex', 'codex', () => join(samples, 'codex/home')],
  ['codex-legacy', 'codex', () => join(samples, 'codex/home-legacy')],
  ['codex-compressed', 'codex', () => join(samples, 'codex/home-compressed')],
  ['opencode', 'opencode', () => opencodeDatabase().file],
  ['gemini', 'gemini', () => join(samples, 'gemini/home/tmp')],
  ['pi', 'pi', () => join(samples, 'pi/agent/sessions')],
  ['copilot', 'copilot', () => join(samples, 'copilot/home/session-state')],
]

/** Where our reading differs: what it says instead, and why. */
const argued: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Nobody gave this one a title.
  ses_e0fda3d7dffeN5gSW5cYWwMj1j: { title: '"count killed [[run sleep 1]] [[slow 100 100]]"' },
  // The person refused the tool, which stopped the turn.
  ses_e0fdaaa19ffeyDDqP4hx6a3uz7: { 'end denied': 'cancelled' },
  ses_e0fd3b855ffePrxG5NbRzEFoQ6: { 'end denied': 'cancelled' },
  // `rejected`, by the person, is a denial as `denied`, by a rule, is.
  '6e0097cb-c19f-4590-9b23-05a5117469ba': { 'tool failed': 'denied' },
}

/** Pictures of Copilot are found by their digest; the first reader did not look for them. */
const hasMedia = (name: string): boolean => name !== 'copilot'

const isMain = ({ parent, turns }: Expected): boolean => parent === undefined && turns.length > 0

const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

function compare({ past, turns }: Read, want: Expected): void {
  const wanted = argued[past.id] ?? {}
  const title = wanted['title'] ?? oneLine(want.title)
  expect.soft(past.title.slice(0, title.length)).toBe(title)
  expect.soft(past.folder).toBe(want.folder)
  expect.soft(past.branch).toBe(want.branch ?? null)
  expect.soft(past.model).toBe(want.model ?? null)
  expect.soft(past.version).toBe(want.version ?? null)
  expect.soft(past.archived).toBe(want.archived ?? false)
  expect.soft(past.forkOf).toBe(want.forkOf ?? null)
  expect.soft(turns.filter(({ takenBack }) => takenBack)).toHaveLength(want.takenBack ?? 0)
  const given = turns.filter(({ takenBack }) => !takenBack)
  expect(given.map(({ prompt }) => prompt)).toEqual(want.turns.map(({ prompt }) => prompt))
  for (const [index, was] of want.turns.entries()) {
    const turn = given[index]
    if (!turn) throw new Error(`no turn ${index}`)
    const is = summaryOf(turn)
    expect.soft(is['at']).toBe(was.at)
    const answer = (is['answer'] as string) || (turn.error ?? '')
    expect.soft(answer.slice(0, was.answer.length)).toBe(was.answer)
    expect.soft(is['thoughts']).toBe(was.thoughts)
    expect.soft(is['end']).toBe(wanted[`end ${was.end}`] ?? was.end)
    expect.soft(is['compaction']).toBe(was.compaction ?? false)
    if (hasMedia(past.agent)) expect.soft(is['media']).toBe((was.images ?? 0) + (was.files ?? 0))
    const tools = is['tools'] as readonly ExpectedTool[]
    expect
      .soft(tools.map(({ name, status }) => ({ name, status })))
      .toEqual(
        was.tools.map(({ name, status }) => ({ name, status: wanted[`tool ${status}`] ?? status })),
      )
    for (const [nth, { output = '' }] of was.tools.entries())
      expect.soft(tools[nth]?.output?.slice(0, output.length)).toBe(output)
  }
}

describe.each(roots)('the samples of %s', (name, agent, root) => {
  test('[IM1] give the sessions, turns and ends that a first reader found', async () => {
    const read = await readAll(agent, root())
    const wanted = Object.entries(expected[name] ?? {}).filter(([, each]) => isMain(each))
    expect(read.map(({ past }) => past.id).toSorted()).toEqual(wanted.map(([id]) => id).toSorted())
    for (const [id, want] of wanted)
      compare(
        oneOf(read, ({ past }) => past.id === id),
        want,
      )
  })
})
