/**
 * The installed page without its server. That it can be installed: everywhere.test.ts; what an open
 * page says while the server is away: live.test.ts.
 */
import { expect, test } from 'vitest'
import { visit } from './visit.ts'

const here = visit()

test('[UI5] the installed page opened while the server is away says so', async () => {
  const page = await here.ownerPage('/', { serviceWorkers: 'allow' })
  await page.evaluate(() => navigator.serviceWorker.ready)
  await here.restartAfter(async () => {
    await page.goto('/agents')
    await page.getByText('The server cannot be reached.').waitFor()
    await page.getByRole('button', { name: 'Try now' }).click()
  })
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  const kept = await page.evaluate(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return requests.flat().map((request) => new URL(request.url).pathname)
  })
  expect(kept).toContain('/')
  expect(kept.filter((path) => path.startsWith('/api'))).toEqual([])
})
