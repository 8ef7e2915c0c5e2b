/**
 * `npm run bench:page`: fills a server (fill.ts) and looks at every page of it with a real browser:
 * how long until it can be used, the longest frame while it is scrolled from end to end, the
 * processor time of the longest task in that (traced, so that other programs do not count), how
 * long a switch to another session takes, and what the tab holds after it was everywhere several
 * times.
 *   --share 0.1    a tenth of the whole amounts
 *   --rounds 5     how often each is measured; the median counts
 *   --minutes 20   ends then, unfinished
 *   --memory-minutes 60   instead of all that, what one tab holds over an hour of use, sampled every minute (page/memory.ts)
 * Exit code 1 when a goal is missed, 2 when it did not finish. The time until a page can be used is
 * for two cores at rest.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { createClient } from '../src/client/client.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { startHoldfast } from '../test/support/running-server.ts'
import { median } from './harness/statistics.ts'
import { type Filled, fill } from './page/filling.ts'
import { staysBounded } from './page/memory.ts'
import { switchingIsSlow } from './page/switching.ts'

const whole = (ms: number | undefined): string => String(Math.round(ms ?? 0)).padStart(9)

const goals = { usableMs: 1000, taskMs: 50, heapMb: 150 }
const patienceMs = 60_000
const restMs = 1000

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    minutes: { type: 'string' },
    'memory-minutes': { type: 'string', default: '0' },
  },
})
const rounds = Number(values.rounds)
const memoryMinutes = Number(values['memory-minutes'])
const minutes = Number(values.minutes ?? memoryMinutes + 20)

const bound = setTimeout(async () => {
  console.log(`Not finished after ${minutes} minutes.`)
  await server.stop()
  process.exit(2)
}, minutes * 60_000)
const folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'))
const server = await startHoldfast({ data: join(folder, 'data'), up: true, onFile: true })
const client = createClient({ url: server.url, token: server.token })
const filled = await fill({
  client,
  folder: join(folder, 'repositories'),
  share: Number(values.share),
})

const browser = await launchBrowser('--js-flags=')
const context = await browser.newContext({
  baseURL: server.url,
  viewport: { width: 1280, height: 800 },
  serviceWorkers: 'block',
})
context.setDefaultTimeout(patienceMs)
const page = await context.newPage()
await page.request.post('/api/login', { data: { token: server.token }, failOnStatusCode: true })

const places = placesOf(filled)
const missed = memoryMinutes
  ? !(await staysBounded({
      page,
      client,
      filled,
      paths: Object.values(places),
      minutes: memoryMinutes,
    }))
  : await measured()

clearTimeout(bound)
await browser.close()
await server.stop()
rmSync(folder, { recursive: true, force: true })
process.exitCode = missed ? 1 : 0

/** Measures every page; whether a goal was missed. */
async function measured(): Promise<boolean> {
  let missed = false
  console.log('page                 usable ms   longest frame ms   task, processor ms')
  for (const [name, path] of Object.entries(places)) {
    const usable: number[] = []
    const frames: number[] = []
    const tasks: number[] = []
    for (let round = 0; round < rounds; round++) {
      usable.push(await open(page, path))
      const scrolled = await scroll(page)
      frames.push(scrolled.frame)
      tasks.push(scrolled.task)
    }
    const [ms, frame, task] = [usable, frames, tasks].map(median)
    const isMissed = (ms ?? 0) > goals.usableMs || (task ?? 0) > goals.taskMs
    missed ||= isMissed
    console.log(
      `${name.padEnd(20)} ${whole(ms)} ${whole(frame).padStart(18)} ${whole(task).padStart(17)}${isMissed ? '   missed' : ''}`,
    )
  }
  missed = (await switchingIsSlow(page)) || missed
  const heap = await heapAfter(page, Object.values(places))
  console.log(
    `heap after 1 to ${heap.length} visits of all, MB: ${heap.map((mb) => Math.round(mb)).join(' ')}`,
  )
  return missed || (heap.at(-1) ?? 0) > goals.heapMb
}

function placesOf({ projectId, longChat, worker, worktreeId }: Filled): Record<string, string> {
  const project = `/projects/${projectId}`
  return {
    now: '/',
    project,
    tasks: `${project}/tasks`,
    history: `${project}/history`,
    approaches: `${project}/approaches`,
    approvals: `${project}/approvals`,
    settings: `${project}/settings`,
    'long chat': `${project}/chat/${longChat}`,
    'chat with tools': `${project}/chat/${worker}`,
    review: `${project}/review/${worktreeId}`,
    conversations: '/conversations',
    notes: '/conversations/notes',
    agents: '/agents',
    system: '/system',
  }
}

/** Until its head and all that it asked for are on the screen. */
async function open(on: Page, path: string): Promise<number> {
  const from = performance.now()
  await on.goto(path)
  await on.locator('h1').first().waitFor()
  await on.waitForFunction(() => document.querySelectorAll('[aria-busy="true"]').length === 0)
  return performance.now() - from
}

/** Part of what Chromium traces. */
interface Traced {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Processor time in microseconds. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/** Scrolls what scrolls from end to end, half a screen at each frame, and back. */
async function scroll(on: Page): Promise<{ frame: number; task: number }> {
  // What it loads behind the first screen is no part of scrolling.
  await on.evaluate(
    (timeout) => new Promise((idle) => requestIdleCallback(idle, { timeout })),
    patienceMs,
  )
  await on.waitForTimeout(restMs)
  await markRoom(on)
  await browser.startTracing(on, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
  })
  const frame = await scrollThrough(on)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: Traced[]
  }
  const isMain = ({ name, args }: Traced) =>
    name === 'thread_name' && args.name === 'CrRendererMain'
  const mains = new Set(traceEvents.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`))
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'RunTask' && mains.has(`${pid} ${tid}`),
  )
  return { frame, task: Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000)) }
}

/** Finds what scrolls, beforehand: to ask for all styles draws what is out of sight. */
function markRoom(on: Page): Promise<void> {
  return on.evaluate(() => {
    const rooms = [document.scrollingElement, ...document.querySelectorAll('main *')].filter(
      (each) =>
        each &&
        each.scrollHeight > each.clientHeight + 100 &&
        /auto|scroll/.test(getComputedStyle(each).overflowY),
    )
    const room = rooms.sort(
      (one, other) => (other?.scrollHeight ?? 0) - (one?.scrollHeight ?? 0),
    )[0]
    room?.setAttribute('data-scrolled', '')
  })
}

/** Returns the longest frame. */
function scrollThrough(on: Page): Promise<number> {
  return on.evaluate(async () => {
    const room = document.querySelector('[data-scrolled]') ?? document.scrollingElement
    const nextFrame = () => new Promise<number>((drawn) => requestAnimationFrame(drawn))
    let frame = 0
    let last = await nextFrame()
    const most = 200
    for (const way of [-1, 1]) {
      for (let step = 0; step < most; step++) {
        const before = room?.scrollTop
        room?.scrollBy(0, (way * innerHeight) / 2)
        const now = await nextFrame()
        frame = Math.max(frame, now - last)
        last = now
        if (room?.scrollTop === before) break
      }
    }
    await nextFrame()
    return frame
  })
}

/** What the tab holds after each visit of all places, by links, without loading the page anew. */
async function heapAfter(on: Page, paths: readonly string[]): Promise<number[]> {
  const wire = await on.context().newCDPSession(on)
  await open(on, '/')
  const held: number[] = []
  for (let visits = 0; visits < rounds + 2; visits++) {
    for (const path of paths) {
      await on.evaluate((to) => history.pushState(null, '', to), path)
      await on.waitForFunction(
        () => document.querySelector('h1') && !document.querySelector('[aria-busy="true"]'),
      )
    }
    await wire.send('HeapProfiler.collectGarbage')
    const { usedSize } = await wire.send('Runtime.getHeapUsage')
    held.push(usedSize / 1024 / 1024)
  }
  return held
}
