/**
 * The oracle itself: content with what a real store holds after a load, and not with the same thing
 * harmed in any one way.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { openStoreOf, productFolder } from './build.ts'
import { Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { judge, newTally, noFindings } from './oracle.ts'
import { scratchFolder } from './power-cut/scratch.ts'
import { chance } from './random.ts'
import { sendToStore } from './send-to-store.ts'
import { readStored, type Stored } from './stored.ts'
import { markdownTable, passed } from './table.ts'

const ledger = new Ledger()
let stored: Stored

beforeAll(async () => {
  const { folder, remove } = await scratchFolder()
  const store = await openStoreOf(productFolder, { folder })
  const send = sendToStore(store, undefined)
  const report = ledger.take.bind(ledger)
  await runLoad({
    run: '0',
    chance: chance('oracle'),
    writers: 4,
    each: 30,
    again: [],
    send,
    report,
  })
  stored = await store.read(readStored)
  await store.close()
  await remove()
})

type Events = Stored['events']
const homeOf = (events: Events): Events => events.filter(({ stream }) => stream === 'home')
const swapTexts = (events: Events, a: number, b: number): Events =>
  events.map((event) => {
    const other = event.stream === 'home' && (event.seq === a ? b : event.seq === b ? a : undefined)
    const from = other ? homeOf(events)[other - 1] : undefined
    return from ? { ...event, type: from.type, data: from.data } : event
  })

describe('the oracle of the fault bench', () => {
  test('[RE1] the oracle is content with an undisturbed store', () => {
    expect(ledger.acknowledged.size).toBeGreaterThan(80)
    expect(ledger.refused.size).toBeGreaterThan(3)
    expect(judge(stored, ledger)).toEqual(noFindings())
  })

  test('[RE1] the oracle misses an acknowledged write, even if its number went with it', () => {
    const last = homeOf(stored.events).at(-1)
    const events = stored.events.filter((event) => event !== last && event.ref_seq !== last?.seq)
    const streams = stored.streams.map((row) => ({
      ...row,
      head: events.findLast(({ stream }) => stream === row.name)?.seq ?? 0,
    }))
    expect(judge({ ...stored, events, streams }, ledger).lost).toHaveLength(1)
  })

  test('[RE1] the oracle sees a duplicate, a hole, a wrong head and a missing copy', () => {
    const home = homeOf(stored.events)
    const again = { ...(home[5] as (typeof home)[number]), seq: home.length + 1 }
    const at = stored.events.findLastIndex(({ stream }) => stream === 'home') + 1
    expect(
      judge({ ...stored, events: stored.events.toSpliced(at, 0, again) }, ledger).doubled,
    ).toHaveLength(1)
    expect(judge({ ...stored, events: stored.events.toSpliced(3, 1) }, ledger).torn).not.toEqual([])
    const streams = stored.streams.map((row) =>
      row.name === 'home' ? { ...row, head: row.head + 1 } : row,
    )
    expect(judge({ ...stored, streams }, ledger).torn).toHaveLength(1)
    const copy = stored.events.findIndex(
      ({ ref_seq, type }) => ref_seq !== null && type === 'project-changed',
    )
    expect(judge({ ...stored, events: stored.events.toSpliced(copy, 1) }, ledger).torn).not.toEqual(
      [],
    )
  })

  test('[RE4] the oracle sees two writes of one writer in the wrong order', () => {
    const ofOne = [...ledger.acknowledged.values()].filter(
      ({ attempt, late }) => attempt.writer === '0.1' && !late,
    )
    const [first, second] = ofOne.map(({ data }) =>
      homeOf(stored.events).find((event) => event.data === data),
    )
    const events = swapTexts(stored.events, first?.seq ?? 0, second?.seq ?? 0)
    expect(judge({ ...stored, events }, ledger).reordered).not.toEqual([])
  })

  test('[RE1] the oracle sees other bytes, state that no event explains, and half writes', () => {
    const [event] = homeOf(stored.events)
    const events = stored.events.map((each) =>
      each === event ? { ...each, data: `${each.data} ` } : each,
    )
    expect(judge({ ...stored, events }, ledger).torn).toHaveLength(1)
    for (const table of [
      'projects',
      'agents',
      'assignments',
      'people',
      'receipts',
      'credentials',
    ] as const) {
      const { lost, torn } = judge({ ...stored, [table]: stored[table].slice(1) }, ledger)
      expect(lost.length + torn.length, table).toBeGreaterThan(0)
    }
    const projects = stored.projects.map((row, index) =>
      index === 0 ? { ...row, name: 'another' } : row,
    )
    expect(judge({ ...stored, projects }, ledger).torn).toHaveLength(1)
  })

  test('[RE1] the oracle sees what a refused request left behind', () => {
    const [[id, attempt] = []] = ledger.acknowledged
    const refused = new Map([[id ?? '', attempt?.attempt]]) as Ledger['refused']
    expect(judge(stored, { acknowledged: new Map(), refused, violations: [] }).torn).not.toEqual([])
  })
})

test('[RE2] what could not be run here is said, and on a build machine it has failed', () => {
  const result = {
    rule: 'RE2',
    test: 't',
    points: '',
    seed: '',
    tally: newTally(),
    controls: [],
    seconds: 0,
    notRun: 'no compiler',
  }
  vi.stubEnv('CI', undefined)
  expect([passed(result), markdownTable([result]).includes('not run: no compiler')]).toEqual([
    true,
    true,
  ])
  vi.stubEnv('CI', 'true')
  expect(passed(result)).toBe(false)
})
