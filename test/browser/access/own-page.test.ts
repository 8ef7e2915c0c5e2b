/**
 * SE25, SE26: the example of docs/operating/own-pages.md, as it stands there, in a browser that
 * opened it at another address.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { launchBrowser } from '../../support/browser.ts'
import { startHoldfast } from '../../support/running-server.ts'

const guide = join(import.meta.dirname, '../../../docs/operating/own-pages.md')
const [, example = ''] = /```html\n(.*?)```/s.exec(readFileSync(guide, 'utf8')) ?? []

/** A web server of somebody's own. */
async function ownSite() {
  const site = { page: '', origin: '' }
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(site.page),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return site
}

test('[SE26] [SE25] an own page reads and hears at an allowed origin, no other', async () => {
  const [own, others] = [await ownSite(), await ownSite()]
  const holdfast = await startHoldfast({ env: { HOLDFAST_ALLOWED_ORIGINS: own.origin } })
  onTestFinished(() => holdfast.kill())
  const client = createClient(holdfast)
  const { token } = await client.post('/api/tokens', {
    body: { name: 'panel', kind: 'script', scopes: ['read', 'write'] },
  })
  expect(example).toContain('http://127.0.0.1:4747')
  own.page = example.replace('http://127.0.0.1:4747', holdfast.url)
  others.page = own.page
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const opened = async (origin: string) => {
    const page = await browser.newPage()
    const failures: string[] = []
    page.on('pageerror', ({ message }) => failures.push(message))
    page.on('dialog', (dialog) => void dialog.accept(token))
    const refused = page.waitForEvent('console', (line) => line.text().includes('CORS policy'))
    await page.goto(origin)
    return { page, failures, refused }
  }
  const { page, failures, refused } = await opened(own.origin)
  refused.catch(() => {})
  await page.getByText(/^\d+ projects\. /).waitFor()
  await page.getByText('subscribed').waitFor()
  await client.post('/api/projects', { body: { name: 'made while it looks' } })
  await page.getByText('made while it looks').waitFor()
  expect(failures).toEqual([])

  const other = await opened(others.origin)
  await other.refused
  await expect.poll(() => other.failures).toEqual([expect.stringContaining('Failed to fetch')])
  expect(await other.page.locator('body').innerText()).toBe('')
})
