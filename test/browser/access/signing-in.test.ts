/** Signing in with a browser: by the link, by a token, and when neither works. */
import { expect, test } from 'vitest'
import { visit } from '../visit.ts'

const here = visit()

test('[SE1] the sign-in link signs in, cleans the address and goes where one wanted', async () => {
  const page = await here.signedOutPage({ anew: true })
  await page.goto('/agents')
  await page.waitForURL(/\/sign-in\?to=/)
  await page.goto(here.server.signInLink)
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  expect(page.url()).toBe(`${here.server.url}/agents`)
  // Neither in the address nor anywhere the way back leads.
  const code = new URL(here.server.signInLink).hash.slice(1)
  await page.goBack()
  expect(page.url()).not.toContain(code)
  const cookies = await page.context().cookies()
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
  ).not.toContain(code)
})

test('[SE1] a link that was used says calmly how to get a new one', async () => {
  const link = await here.signInLink()
  const first = await here.signedOutPage()
  await first.goto(link)
  await first.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  const second = await here.signedOutPage()
  await second.goto(link)
  await second.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
  expect(await second.getByText('holdfast open', { exact: true }).isVisible()).toBe(true)
  expect(second.url()).toBe(`${here.server.url}/sign-in`)
})

test('[SE1] without a credential every place leads to signing in and shows nothing', async () => {
  const page = await here.signedOutPage()
  for (const path of ['/', '/projects/proj_x', '/people', '/system']) {
    await page.goto(path)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByText('demo').count()).toBe(0)
  }
})

test('[SE3] a person signs in with a token, sees what a role allows, and is removed', async () => {
  const { id, token } = await here.elsewhere.post('/api/people', {
    body: { name: 'Grace', role: 'viewer' },
  })
  const page = await here.signedOutPage()
  await page.goto('/sign-in')
  await page.getByLabel('Or paste a link, a code or a token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: /^demo/ }).waitFor()
  expect(await page.getByRole('link', { name: 'New project' }).count()).toBe(0)
  // Nothing waits for somebody who may not decide: not in words, not in the title.
  const [project] = (await here.elsewhere.get('/api/projects', {})).items
  const body = { checkpointType: 'plan', leaderId: 'lead', instructionContent: 'May I?' }
  const params = { projectId: project?.id ?? '' }
  const { id: approvalId } = await here.elsewhere.post('/api/projects/{projectId}/approvals', {
    params,
    body,
  })
  await page.getByRole('region', { name: 'Waiting for a decision' }).getByText('May I?').waitFor()
  expect(await page.getByText('for you').count()).toBe(0)
  expect(await page.title()).toBe('Now · Holdfast')
  const decision = {
    params: { ...params, approvalId: String(approvalId) },
    body: { status: 'rejected' as const },
  }
  await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', decision)
  await page.goto('/people')
  await page.getByText('Only owners see tokens.').waitFor()
  await here.elsewhere.delete('/api/people/{personId}', { params: { personId: id } })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByText('You are no longer signed in').waitFor()
})

test('[SE1] a link pasted at the front door signs in, also after signing out', async () => {
  const page = await here.signedOutPage()
  await page.goto('/')
  for (let visits = 0; visits < 2; visits++) {
    await page.getByLabel('Or paste a link, a code or a token').fill(await here.signInLink())
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
    // Already signed in, the form leads on by itself.
    await page.goto('/sign-in')
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
    await page.getByRole('button', { name: /Account and preferences/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect((await page.request.get('/api/me')).status()).toBe(401)
  }
})

test('[SE1] a browser that keeps no cookie is told so', async () => {
  const page = await here.signedOutPage()
  await page.route('**/api/login', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 204 }) : route.continue(),
  )
  await page.goto('/sign-in')
  await page.getByLabel('Or paste a link, a code or a token').fill(await here.signInLink())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Allow cookies for this address').waitFor()
  expect(new URL(page.url()).pathname).toBe('/sign-in')
})

test('[SE1] signing out ends it, also in the other tab', async () => {
  const page = await here.signedOutPage({ anew: true })
  await page.goto(await here.signInLink())
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  const other = await page.context().newPage()
  await other.goto('/agents')
  await other.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.getByRole('button', { name: /Account and preferences/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expect.poll(() => page.getByText('You are no longer signed in').count()).toBe(0)
  expect((await page.request.get('/api/me')).status()).toBe(401)
})

test('[UI8] a code for a phone shows where the server can be reached, else a reason', async () => {
  const page = await here.ownerPage('/people')
  const open = async () => {
    await page.getByRole('button', { name: /Account and preferences/ }).click()
    await page.getByRole('menuitem', { name: 'Sign in on your phone' }).click()
    return page.getByRole('dialog', { name: 'Sign in on your phone' })
  }
  const dialog = await open()
  await dialog.getByText('A phone cannot reach this address').waitFor()
  const code = page.getByRole('img', { name: 'A code for the camera of your phone' })
  expect(await code.count()).toBe(0)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.route('**/api/sign-in-codes', async (route) => {
    const response = await route.fetch()
    const made = await response.json()
    await route.fulfill({
      response,
      json: { ...made, link: `https://holdfast.example.com/sign-in#${made.code}` },
    })
  })
  await open()
  await code.waitFor()
  expect(await page.getByText('A phone cannot reach this address').count()).toBe(0)
})

test('[SE24] somebody signs a browser out from another one, and it is out at once', async () => {
  const [one, other] = [await here.signedOutPage(), await here.signedOutPage()]
  await other.setExtraHTTPHeaders({ 'user-agent': 'Phone/1.0' })
  for (const page of [one, other]) {
    await page.goto(await here.signInLink())
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  }
  await one.goto('/system')
  const list = one.getByRole('list', { name: 'Signed in with' })
  const mine = list.getByRole('listitem').filter({ hasText: 'this browser' })
  await mine.waitFor()
  expect(await mine.getByRole('button').count()).toBe(0)
  await list.getByRole('button', { name: 'Sign out Phone' }).click()
  await one.getByRole('alertdialog').getByRole('button', { name: 'Sign out', exact: true }).click()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  await list.getByText('Phone').waitFor({ state: 'detached' })
  await mine.waitFor()
})
