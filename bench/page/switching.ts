/**
 * How long it takes from a press on a session in the sidebar until its text is on the screen: the
 * first time in a tab (cold), and again (warm); and how much moves in the second after that.
 */
import type { Page } from 'playwright-core'
import { median } from '../harness/statistics.ts'

const switchingGoals = { warmMs: 100, coldMs: 250 }

const mostSwitched = 8
const links = 'nav a:is([href*="/session/"], [href*="/chat/"])'

interface Switched {
  readonly ms: number
  /** What moved afterwards, as Chromium counts it: 1 is the whole screen by its height. */
  readonly shift: number
}

/** Whether a goal was missed. */
export async function switchingIsSlow(page: Page): Promise<boolean> {
  await page.goto('/')
  await page.locator(links).first().waitFor()
  const paths = await page
    .locator(links)
    .evaluateAll((all) => [...new Set(all.map((link) => link.getAttribute('href') ?? ''))])
  const some = paths.slice(0, mostSwitched)
  // The files of the page itself are no part of a switch.
  await switched(page, some.at(-1) ?? '')
  const cold: Switched[] = []
  const warm: Switched[] = []
  for (const path of some.slice(0, -1)) cold.push(await switched(page, path))
  for (const path of some) warm.push(await switched(page, path))
  const [coldMs, warmMs] = [cold, warm].map((all) => Math.round(median(all.map(({ ms }) => ms))))
  const shift = Math.max(...[...cold, ...warm].map((each) => each.shift))
  console.log(
    `switching between ${some.length} sessions: cold ${coldMs} ms, warm ${warmMs} ms, ` +
      `largest shift afterwards ${shift.toFixed(3)}`,
  )
  return (coldMs ?? 0) > switchingGoals.coldMs || (warmMs ?? 0) > switchingGoals.warmMs
}

const switched = (page: Page, path: string): Promise<Switched> =>
  page.evaluate(async (to) => {
    const nextFrame = () => new Promise<number>((drawn) => requestAnimationFrame(drawn))
    for (const old of document.querySelectorAll('[role="log"]')) old.setAttribute('data-old', '')
    const link = document.querySelector<HTMLElement>(`nav a[href="${CSS.escape(to)}"]`)
    let shift = 0
    const observer = new PerformanceObserver((list) => {
      for (const each of list.getEntries()) shift += (each as unknown as { value: number }).value
    })
    const from = performance.now()
    link?.click()
    const text = '[role="log"]:not([data-old]) :is([data-turn], [data-seq])'
    while (!document.querySelector(text)) await nextFrame()
    // In the frame after, it has been painted.
    const ms = (await nextFrame()) - from
    observer.observe({ type: 'layout-shift' })
    await new Promise((passed) => setTimeout(passed, 1000))
    observer.disconnect()
    return { ms, shift }
  }, path)
