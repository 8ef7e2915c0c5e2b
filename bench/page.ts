/**
 * `npm run bench:page`: fills a server (fill.ts) and looks at every page of it with a real browser: how long until it can be used, the
 * longest frame and task while it is scrolled from end to end, and what the tab holds after it was everywhere several times.
 *   --share 0.1    a tenth of the whole amounts
 *   --rounds 5     how often each is measured; the median counts
 * Exit code 1 when a goal is missed. The goals are for two cores at rest.
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

const whole = (ms: number | undefined): string => String(Math.round(ms ?? 0)).padStart(9)

const goals = { usableMs: 1000, frameMs: 50, heapMb: 150 }
const patienceMs = 60_000

const { values } = parseArgs({ options: { share: { type: 'string', default: '1' }, rounds: { type: 'string', default: '3' } } })
const rounds = Number(values.rounds)

const folder = mkdtempSync(join(tmpdir(), 'holdfast-page-'))
const server = await startHoldfast({ data: join(folder, 'data'), up: true, onFile: true })
const client = createClient({ url: server.url, token: server.token })
const filled = await fill({ client, folder: join(folder, 'repositories'), share: Number(values.share) })

const browser = await launchBrowser('--js-flags=')
const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 800 }, serviceWorkers: 'block' })
context.setDefaultTimeout(patienceMs)
const page = await context.newPage()
await page.request.post('/api/login', { data: { token: server.token }, failOnStatusCode: true })

const places = placesOf(filled)
let missed = false
console.log('page                 usable ms   longest frame ms   longest task ms')
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
  const isMissed = (ms ?? 0) > goals.usableMs || (frame ?? 0) > goals.frameMs
  missed ||= isMissed
  console.log(
    `${name.padEnd(20)} ${whole(ms)} ${whole(frame).padStart(18)} ${whole(task).padStart(17)}${isMissed ? '   missed' : ''}`,
  )
}
const heap = await heapAfter(page, Object.values(places))
missed ||= (heap.at(-1) ?? 0) > goals.heapMb
console.log(`heap after 1 to ${heap.length} visits of all, MB: ${heap.map((mb) => Math.round(mb)).join(' ')}`)

await browser.close()
await server.stop()
rmSync(folder, { recursive: true, force: true })
process.exitCode = missed ? 1 : 0

function placesOf({ projectId, longChat, worker, worktreeId }: Filled): Record<string, string> {
  const project = `/projects/${projectId}`
  return {
    now: '/',
    project,
    tasks: `${project}/tasks`,
    history: `${project}/sessions`,
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

/** Scrolls what scrolls from end to end, half a screen at each frame, and back. */
function scroll(on: Page): Promise<{ frame: number; task: number }> {
  return on.evaluate(async () => {
    const rooms = [document.scrollingElement, ...document.querySelectorAll('main *')].filter(
      (each) => each && each.scrollHeight > each.clientHeight + 100 && /auto|scroll/.test(getComputedStyle(each).overflowY),
    )
    const room = rooms.sort((one, other) => (other?.scrollHeight ?? 0) - (one?.scrollHeight ?? 0))[0] ?? document.scrollingElement
    let task = 0
    const watcher = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) task = Math.max(task, duration)
    })
    watcher.observe({ type: 'longtask' })
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
    watcher.disconnect()
    return { frame, task }
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
      await on.waitForFunction(() => document.querySelector('h1') && !document.querySelector('[aria-busy="true"]'))
    }
    await wire.send('HeapProfiler.collectGarbage')
    const { usedSize } = await wire.send('Runtime.getHeapUsage')
    held.push(usedSize / 1024 / 1024)
  }
  return held
}
