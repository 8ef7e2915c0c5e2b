/**
 * What one tab holds over a working day, made shorter: it goes from page to page without loading
 * anew, talks to an agent in an open chat, looks things up, and hears of what others do, while
 * garbage is collected and heap, nodes and listeners are counted.
 */
import type { CDPSession, Page } from 'playwright-core'
import type { createClient } from '../../src/client/client.ts'
import { median } from '../harness/statistics.ts'
import type { Filled } from './filling.ts'
import { questions } from './texts.ts'

export interface Day {
  readonly page: Page
  readonly client: ReturnType<typeof createClient>
  readonly filled: Filled
  readonly paths: readonly string[]
  readonly minutes: number
}

interface Sample {
  readonly minute: number
  readonly heapMb: number
  readonly nodes: number
  readonly listeners: number
}

/**
 * How much more the last quarter of the time may hold than the second: the first one loads and
 * compiles.
 */
const margins = { heapMb: 2, nodes: 500, listeners: 100 } as const
/** A person looks at a page before they leave it. */
const lookMs = 1500
const sampleMs = 60_000
const fewestSamples = 12

/** Prints a sample every minute. Returns whether all stayed within the margins. */
export async function staysBounded(day: Day): Promise<boolean> {
  const { page, paths } = day
  const wire = await page.context().newCDPSession(page)
  const samples: Sample[] = []
  const from = performance.now()
  const wholeMs = day.minutes * 60_000
  const everyMs = Math.min(sampleMs, wholeMs / fewestSamples)
  await page.goto('/')
  console.log('minute   heap MB   nodes   listeners')
  for (let nth = 0; performance.now() - from < wholeMs; nth++) {
    await goTo(page, paths[nth % paths.length] ?? '/')
    await page.mouse.wheel(0, nth % 2 ? 4000 : -4000)
    await page.waitForTimeout(lookMs)
    if (nth % 5 === 1) await meanwhile(day, nth)
    if (nth % 7 === 2) await lookUp(page, nth)
    if (nth % 4 === 3) await talk(day, nth)
    if (performance.now() - from < (samples.length + 1) * everyMs) continue
    const sample = await sampleOf(page, wire, (performance.now() - from) / 60_000)
    samples.push(sample)
    const { minute, heapMb, nodes, listeners } = sample
    console.log(
      `${minute.toFixed(1).padStart(6)} ${heapMb.toFixed(1).padStart(9)} ${column(nodes)} ${column(listeners, 11)}`,
    )
  }
  return judged(samples)
}

const column = (count: number, width = 7): string => String(count).padStart(width)

function judged(samples: readonly Sample[]): boolean {
  const quarter = Math.floor(samples.length / 4)
  const [second, last] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)]
  let isBounded = true
  for (const kind of ['heapMb', 'nodes', 'listeners'] as const) {
    const [earlier, later] = [second, last].map((some) =>
      median(some.map((sample) => sample[kind])),
    ) as [number, number]
    const isWithin = later <= earlier + margins[kind]
    isBounded &&= isWithin
    const figures = `second quarter ${earlier.toFixed(1)}, last ${later.toFixed(1)}, margin ${margins[kind]}`
    console.log(`${kind.padEnd(10)} ${figures}${isWithin ? '' : '   missed'}`)
  }
  return isBounded
}

/** By the address, as a link does. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await page.waitForFunction(
    (to) =>
      location.pathname === to &&
      !!document.querySelector('h1') &&
      !document.querySelector('[aria-busy="true"]'),
    path,
  )
}

/** One turn with everything in it, in the open chat, of which the page sees each step. */
async function talk({ page, filled }: Day, nth: number): Promise<void> {
  await goTo(page, `/projects/${filled.projectId}/chat/${filled.longChat}`)
  const words = `${nth}: ${questions[nth % questions.length]}`
  await page
    .getByRole('textbox', { name: /^Write to/ })
    .fill(`[[plan]] [[run]] [[write day/part-${nth % 20}.md ${words}]] ${words}`)
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText(`echo: ${words}`).waitFor()
}

/** A search in the palette, which is closed again. */
async function lookUp(page: Page, nth: number): Promise<void> {
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await page.keyboard.press('Control+K')
  // Each time other words, as people do: what was found must not be kept for ever.
  await palette
    .getByRole('combobox')
    .fill(`${['retry', 'round', 'build', 'notes'][nth % 4]} ${nth}`)
  await palette.getByRole('listbox').waitFor()
  await page.waitForTimeout(lookMs)
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
}

/**
 * What others do: another agent is written to, a task is made and done, something is asked for and
 * decided.
 */
async function meanwhile({ client, filled }: Day, nth: number): Promise<void> {
  const { projectId, worker } = filled
  const params = { projectId }
  await client.post('/api/chat', {
    body: { projectId, toAgentId: worker, content: `[[run]] ${nth}`, workplace: 'worktree' },
  })
  const body = { checkpointType: 'plan', leaderId: worker, instructionContent: `Plan ${nth}` }
  const { id } = await client.post('/api/projects/{projectId}/approvals', { params, body })
  await client.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params: { projectId, approvalId: String(id) },
    body: { status: 'approved' },
  })
}

/** Always of the same page, so that only what is left of the others differs. */
async function sampleOf(page: Page, wire: CDPSession, minute: number): Promise<Sample> {
  await goTo(page, '/')
  await page.waitForTimeout(lookMs)
  // What the first round frees may hold what the second one finds.
  for (let round = 0; round < 2; round++) await wire.send('HeapProfiler.collectGarbage')
  const { usedSize } = await wire.send('Runtime.getHeapUsage')
  const { nodes, jsEventListeners } = await wire.send('Memory.getDOMCounters')
  return { minute, heapMb: usedSize / 1024 / 1024, nodes, listeners: jsEventListeners }
}
