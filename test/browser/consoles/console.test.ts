/**
 * The console with the real thing: Holdfast with its coordinator, demo agents as processes of their
 * own, and a browser.
 */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, WebSocketRoute } from 'playwright-core'
import { expect, test } from 'vitest'
import { main } from '../../support/built-product.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { axeFindings } from '../axe.ts'
import { visit } from '../visit.ts'
import { addAgent, inState, openProject, pane, say } from './open-console.ts'

const here = visit({ up: true, env: { PATH: `${machineWithOpencode()}:${process.env['PATH']}` } })

/** A folder of programs in which the demo agent goes by the name of another. */
function machineWithOpencode(): string {
  const folder = temporaryFolder()
  const program = join(folder, 'opencode')
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = acp ] && exec '${process.execPath}' '${main}' demo-acp\necho 1.18.33\n`,
  )
  chmodSync(program, 0o755)
  return folder
}

/**
 * The WebSockets that the page opens from here on can be cut, and stay so until they are mended.
 */
async function cuttable(page: Page): Promise<{ cut: () => void; mend: () => void }> {
  const open = new Set<WebSocketRoute>()
  let broken = false
  await page.routeWebSocket('**/ws', (socket) => {
    if (broken) return void socket.close({ code: 1001 })
    socket.connectToServer()
    open.add(socket)
  })
  return {
    cut() {
      broken = true
      for (const socket of open) void socket.close({ code: 1001 })
      open.clear()
    },
    mend() {
      broken = false
    },
  }
}

const markdown = [
  '# Findings',
  'It is **wrong** in `a.ts`, see [the docs](https://example.com) and [this](javascript:alert(1)) <b>raw</b> ![p](https://example.com/p.png)',
  '```ts\nconst sum = 1 // comment\n```',
].join('\n\n')

test('[UI3] two agents side by side show Markdown, plan, diff, permission, failure', async () => {
  const { page, projectId } = await openProject(here, 'amy')
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  await page.getByRole('button', { name: 'New console' }).click()
  await page.waitForURL(`**/projects/${projectId}/console/*`)
  await addAgent(page, 'coder')
  await addAgent(page, 'reviewer')

  await say(page, 'reviewer', `[[say ${markdown}]]`)
  const shown = pane(page, 'reviewer').getByRole('log')
  await shown.locator('[data-code="keyword"]', { hasText: 'const' }).waitFor()
  await shown.locator('strong', { hasText: 'wrong' }).waitFor()
  // SE6: no markup of the agent's, no scripts in links, nothing fetched.
  expect(await shown.locator('b, img, h1, [href^="javascript"]').count()).toBe(0)
  expect(await shown.getByRole('link', { name: 'the docs' }).getAttribute('rel')).toBe(
    'noopener noreferrer',
  )

  await say(page, 'coder', '[[plan]] [[write hello.txt hello there]] [[ask]] go')
  await inState(page, 'coder', 'waiting')
  const coder = pane(page, 'coder')
  await coder.locator('[data-tool] ins', { hasText: 'hello there' }).waitFor()
  await coder.getByText(/of 3 done$/).waitFor()
  await say(page, 'coder', 'and this')
  await say(page, 'coder', 'not this')
  await coder.locator('[data-queued="2"]').waitFor()
  await coder.locator('[data-queued="2"]').getByRole('button', { name: 'Withdraw' }).click()
  await coder.locator('[data-queued="2"]').waitFor({ state: 'detached' })
  // What was taken back is there to be written otherwise.
  expect(await coder.getByRole('textbox').inputValue()).toBe('not this')
  await coder.getByRole('textbox').fill('')
  expect(await axeFindings(page)).toEqual([])
  await coder
    .locator('[data-permission]')
    .getByRole('button', { name: 'Approve', exact: true })
    .click()
  await coder.locator('[data-outcome="allowed"]').waitFor()
  await coder.getByText('echo: and this', { exact: true }).waitFor()
  expect(await coder.getByText('not this').count()).toBe(0)

  // An answer is shown before the turn ends, and Escape would stop that turn.
  await inState(page, 'coder', 'idle')
  await say(page, 'coder', '[[hang]]')
  await inState(page, 'coder', 'working')
  await coder.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await coder.getByText('Stopped.').waitFor()
  await inState(page, 'coder', 'idle')
  await say(page, 'coder', '[[crash]]')
  await coder.locator('[data-failed="running"]').waitFor()
  await inState(page, 'reviewer', 'idle')
  expect(await axeFindings(page)).toEqual([])
  await coder.getByRole('button', { name: 'Start afresh' }).click()
  await inState(page, 'coder', 'idle')
  await say(page, 'coder', '[[limit 3600]]')
  await coder.getByRole('button', { name: /^Go on by itself at .*\d\d:\d\d$/ }).click()
  await coder.locator('[data-limit="goes-on"]').waitFor()
  // The card says it all: no error beside it, after a reload neither.
  const errors = coder.locator('[data-turn="failed"] [role="alert"]')
  expect(await errors.count()).toBe(0)
  await page.reload()
  await coder.locator('[data-limit="goes-on"]').waitFor()
  expect(await errors.count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  expect(problems).toEqual([])

  // Somebody who looks at the list elsewhere sees it come and go, without asking again and again.
  const elsewhere = await here.ownerPage(`/projects/${projectId}/all-sessions`)
  const row = elsewhere
    .getByRole('list', { name: 'Consoles' })
    .getByRole('link', { name: /reviewer/ })
  await row.waitFor()
  await page.getByRole('button', { name: 'Details' }).click()
  await page.getByRole('button', { name: 'End console' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText('No console is open').waitFor()
  await row.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New console' }).click()
  await elsewhere.getByText('No agent yet').waitFor()
})

test('[AG5] an installed agent is added, assigned and put into a role by one choice', async () => {
  const { page, projectId } = await openProject(here, 'gus')
  await page.getByRole('button', { name: 'New console' }).click()
  await page.getByRole('button', { name: 'Add agent' }).click()
  await page.getByRole('textbox', { name: 'Role', exact: true }).fill('guest')
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'opencode 1.18.33' })
  await page.getByText('It is added to this project first.').waitFor()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await inState(page, 'guest', 'idle')
  await say(page, 'guest', 'hello')
  await pane(page, 'guest').getByText('echo: hello').waitFor()
  const { agentIds } = await here.elsewhere.get('/api/projects/{projectId}', {
    params: { projectId },
  })
  expect(agentIds).toEqual(['gus', 'opencode-acp'])
})

test('[UI7] every device sees the same after a reload, offline and in mid-turn', async () => {
  const { page } = await openProject(here, 'ben', { anew: true })
  const wire = await cuttable(page)
  await page.getByRole('button', { name: 'New console' }).click()
  await addAgent(page, 'one')
  await say(page, 'one', '[[slow 8 150]] first')
  await inState(page, 'one', 'working')
  await page.reload()
  const log = pane(page, 'one').getByRole('log')
  await log.getByText('echo: first').waitFor()
  expect(await log.getByText('piece 1 ', { exact: false }).count()).toBe(1)
  const other = await here.ownerPage(new URL(page.url()).pathname)
  await pane(other, 'one').getByText('echo: first').waitFor()

  wire.cut()
  await page.locator('[data-relay="reconnecting"]').waitFor()
  await say(page, 'one', 'written while it was away')
  await page.locator('[data-unsent]').getByText('Not sent yet.', { exact: false }).waitFor()
  wire.mend()
  for (const each of [page, other])
    await pane(each, 'one').getByText('echo: written while it was away').waitFor()
  await page.locator('[data-unsent]').waitFor({ state: 'detached' })
  const text = async (each: Page) =>
    (await pane(each, 'one').getByRole('log').innerText()).replaceAll(/\s+/g, ' ')
  // What belongs to the end of a turn reaches one a moment before the other.
  await expect.poll(async () => new Set([await text(other), await text(page)]).size).toBe(1)
  expect(await pane(page, 'one').locator('[data-turn]').count()).toBe(2)
})

test('[AP4] a permission is answered in the inbox, and the console’s card follows', async () => {
  const { page } = await openProject(here, 'cat')
  await page.getByRole('button', { name: 'New console' }).click()
  await addAgent(page, 'asker')
  await say(page, 'asker', '[[ask]]')
  await pane(page, 'asker').locator('[data-outcome="open"]').waitFor()
  const [waiting] = (await here.elsewhere.get('/api/approvals')).items
  const params = { projectId: waiting?.projectId ?? '', approvalId: String(waiting?.id) }
  await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params,
    body: { status: 'rejected' },
  })
  await pane(page, 'asker').locator('[data-outcome="denied"]').waitFor()
  await inState(page, 'asker', 'idle')
})

test('[AG6] mode and model are chosen in the pane, and a file goes with the prompt', async () => {
  const { page } = await openProject(here, 'fay')
  await page.getByRole('button', { name: 'New console' }).click()
  await addAgent(page, 'coder')
  const coder = pane(page, 'coder')
  await coder.getByRole('combobox', { name: 'Mode', exact: true }).selectOption('careful')
  await coder.getByRole('combobox', { name: 'Model', exact: true }).selectOption('Demo Large')
  // The option is checked when the agent has set it, not at once.
  await coder.getByLabel('Brief').click()
  await expect.poll(() => coder.getByLabel('Brief').isChecked()).toBe(true)
  const files = [{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('my notes') }]
  await coder.locator('input[type=file]').setInputFiles(files)
  await coder.locator('[data-attached]', { hasText: 'notes.txt' }).waitFor()
  // The file stays with what is being written while one looks elsewhere.
  await page.getByRole('banner').getByRole('link', { name: 'fay', exact: true }).click()
  await page.getByRole('link', { name: 'Tasks', exact: true }).click()
  await page.getByText('No tasks yet').waitFor()
  await page.goBack()
  await page.goBack()
  await coder.locator('[data-attached]', { hasText: 'notes.txt' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await say(page, 'coder', 'read this [[write a.txt x]]')
  // Careful: it asks before it writes.
  await coder
    .locator('[data-permission]')
    .getByRole('button', { name: 'Approve', exact: true })
    .click()
  await coder.getByText('(attachment:///notes.txt)').waitFor()
  await coder.getByText(/of 100,000 tokens/).waitFor()
  await page.reload()
  await inState(page, 'coder', 'idle')
  const chosen = (name: string) => coder.getByRole('combobox', { name, exact: true }).inputValue()
  await expect
    .poll(() => Promise.all([chosen('Mode'), chosen('Model')]))
    .toEqual(['careful', 'demo-large'])
  await expect.poll(() => coder.getByLabel('Brief').isChecked()).toBe(true)
  // AC6: stopped while it asks, the tool neither waits nor runs any longer.
  await say(page, 'coder', '[[write b.txt y]]')
  await coder.getByRole('region', { name: 'Edit b.txt?' }).waitFor()
  await coder.getByRole('button', { name: 'Stop', exact: true }).click()
  await coder.locator('[data-tool]', { hasText: 'b.txt' }).getByText('not finished').waitFor()
})
