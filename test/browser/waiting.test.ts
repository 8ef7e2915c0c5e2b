/** How the page waits, with the hands of its clock turned by the test: never a flash, never silence. */
import { expect, test } from 'vitest'
import { visit } from './visit.ts'

const here = visit()

test('[UI5] waiting shows nothing for 300 ms, then a skeleton, after 2 s words, after 10 s a way out that works', async () => {
  const page = await here.ownerPage('/', { anew: true })
  await page.clock.install()
  // From here on only the test turns the hands, however slow the machine is.
  await page.clock.pauseAt(Date.now() + 1000)
  let held = true
  await page.route('**/api/people*', (route) => (held ? undefined : route.continue()))
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  const skeleton = page.locator('[aria-busy="true"]')
  await page.clock.runFor(250)
  expect(await skeleton.count()).toBe(0)
  await page.clock.runFor(100)
  // Under a slow machine the list beside it may wait as well.
  await skeleton.first().waitFor()
  expect(await page.getByText('Loading the people…').count()).toBe(0)
  await page.clock.runFor(2000)
  await page.getByText('Loading the people…').waitFor()
  await page.clock.runFor(8000)
  await page.getByText('Still waiting for the server to send the people.').waitFor()
  held = false
  await page.clock.resume()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('list', { name: 'People' }).getByText('Owner').first().waitFor()
})

test('[HT4] a form that was given up after a lost answer is sent again as the same request, and done once', async () => {
  const page = await here.ownerPage('/?new=project', { anew: true })
  const keys: (string | undefined)[] = []
  let lose = true
  await page.route('**/api/projects', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (!lose) return route.continue()
    // It reaches the server, but the answer never arrives.
    await route.fetch()
  })
  await page.clock.install()
  await page.getByLabel('Name').fill('only-once')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.locator('a', { hasText: 'only-once' }).first().waitFor()
  await page.clock.runFor(10_500)
  await page.getByText('The server has not answered for 10 seconds.').waitFor()
  await page.getByRole('button', { name: 'Stop waiting' }).click()
  lose = false
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'only-once', level: 1 }).waitFor()
  expect(new Set(keys).size).toBe(1)
  const names = (await here.elsewhere.get('/api/projects')).items.map((project) => project.name)
  expect(names.filter((name) => name === 'only-once')).toHaveLength(1)
})
