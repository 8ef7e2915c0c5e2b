/** Lets axe look at a page: everything that WCAG 2.2 AA and good practice forbid (UI5). */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** `inside`: without the frame, which is the same around every place. */
export type AxeRules = 'all' | 'colours' | 'colours inside' | 'all but colours'

const inside = `document.querySelector('[role="dialog"]') ?? document.querySelector('main') ?? document`

/** One line for each thing found, with the elements; empty when all is well. */
export async function axeFindings(page: Page, rules: AxeRules = 'all'): Promise<string[]> {
  // Colours are judged when they are what they will be, not on their way there.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await bring(page)
  const options = {
    resultTypes: ['violations'],
    ...(rules.startsWith('colours') && { runOnly: ['color-contrast'] }),
    ...(rules === 'all but colours' && { rules: { 'color-contrast': { enabled: false } } }),
  }
  const { violations } = (await page.evaluate(
    // Only what was found crosses over.
    `axe.run(${rules === 'colours inside' ? inside : 'document'}, ${JSON.stringify(options)}).then(({ violations }) => ({ violations }))`,
  )) as Pick<AxeResults, 'violations'>
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' | ')}`,
  )
}

/**
 * By the browser's own protocol, so the Content-Security-Policy stays as it is, and nobody reads
 * half a megabyte on the way.
 */
async function bring(page: Page): Promise<void> {
  const wire = await page.context().newCDPSession(page)
  const { exceptionDetails } = await wire.send('Runtime.evaluate', { expression: source })
  await wire.detach()
  if (exceptionDetails) throw new Error(`axe cannot be loaded: ${exceptionDetails.text}`)
}
