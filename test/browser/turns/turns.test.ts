/** What a chat shows of its turns: that one waits, what it asks, and that its answer is none. */
import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { hostile } from '../../support/hostile-agent.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[CX11] a message that waits for a folder says so; "Answer now" has it answered', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: {
      name: 'shared',
      path: makeRepository().folder,
      settings: { 'chat.workplace': 'checkout' },
    },
  })
  for (const id of ['first', 'second']) {
    await here.elsewhere.post('/api/agents', {
      body: { id, name: id, protocol: 'acp', command: 'holdfast', args: ['demo-acp'] },
    })
    await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId: id },
    })
  }
  const waiting = async () =>
    (await here.elsewhere.get('/api/approvals')).items.filter(
      (each) => each.projectId === projectId && each.status === 'pending',
    )
  // The turn lasts until somebody allows what it asks for.
  await here.elsewhere.post('/api/chat', {
    body: { projectId, toAgentId: 'first', content: '[[ask]] done' },
  })
  await expect.poll(waiting).toHaveLength(1)

  const page = await here.ownerPage(`/projects/${projectId}/chat/second`, { viewport: phone })
  await page.getByRole('textbox', { name: /^Write to/ }).fill('hello')
  await page.keyboard.press('Enter')
  const note = page.locator('[data-waits-for="checkout"]')
  await note.getByText('Another conversation works in this folder').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  await note.getByRole('button', { name: 'Answer now' }).click()
  await page.getByRole('log').getByText('echo: hello', { exact: true }).waitFor()
  await note.waitFor({ state: 'detached' })
  // The first was not disturbed: it asks as before.
  expect(await waiting()).toHaveLength(1)
})

const option = (optionId: string, name: string) => ({ optionId, name, kind: 'allow_once' })
/** Says what the prompt says, or asks for a colour. */
const { file, args } = hostile({
  onPrompt: `
    const words = params.prompt.at(-1).text
    const toolCall = { toolCallId: 't', title: 'Which colour?', kind: 'other', rawInput: {} }
    const options = ${JSON.stringify([option('r', 'Red'), option('b', 'Blue')])}
    const { result } = words !== 'ask' ? {}
      : await ask('session/request_permission', { sessionId: 's1', toolCall, options })
    say(result ? 'chosen: ' + result.outcome.optionId : words)
    done(words.includes('401') ? { stopReason: 'end_turn', usage: { outputTokens: 0 } } : undefined)`,
})

test('[CX12] [AP14] errors phrased as answers and questions sent as permissions are shown as such', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: { name: 'odd' } })
  await here.elsewhere.post('/api/agents', {
    body: { id: 'odd', name: 'odd', protocol: 'acp', command: file, args: [...args] },
  })
  const params = { projectId, agentId: 'odd' }
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', { params })
  const page = await here.ownerPage(`/projects/${projectId}/chat/odd`)
  const log = page.getByRole('log')
  const say = async (text: string): Promise<void> => {
    await page.getByRole('textbox', { name: /^Write to/ }).fill(text)
    await page.keyboard.press('Enter')
  }
  await say('ask')
  const card = log.getByRole('region', { name: 'Which colour?', exact: true })
  await card.getByRole('button', { name: 'Decline' }).waitFor()
  await card.getByRole('button', { name: 'Blue' }).click()
  await card.getByText('“Blue”').waitFor()
  await log.getByText('chosen: b').waitFor()

  const sure = 'API Error: 401 {"type":"error","message":"invalid x-api-key"}'
  await say(sure)
  await log.getByRole('alert').filter({ hasText: 'odd could not answer' }).waitFor()
  await say('Error from the model: 503 Service Unavailable')
  const doubtful = log.getByRole('alert').filter({ hasText: 'probably an error of its model' })
  await doubtful.waitFor()
  // The prompt and the error: not a third time, as an answer.
  expect(await log.getByText(sure).count()).toBe(2)
  // What something has followed is a row.
  await log.locator('details[data-failure="error"]').getByText('odd could not answer').waitFor()
  expect(await log.getByRole('button', { name: 'Try again' }).count()).toBe(1)
})

/** Begins a sub-agent, which writes and asks in a session of its own. */
const withSubAgent = hostile({
  onPrompt: `
    const claudeCode = (rest) => ({ _meta: { claudeCode: rest } })
    say('Somebody looks into it. ')
    update({ sessionUpdate: 'tool_call', toolCallId: 'task', title: 'Look for colours', kind: 'think', status: 'in_progress', ...claudeCode({ toolName: 'Agent' }) })
    update({ sessionUpdate: 'tool_call', toolCallId: 'inner', title: 'grep -r colour src', kind: 'search', status: 'completed', ...claudeCode({ toolName: 'Bash', parentToolUseId: 'task' }) })
    await ask('session/request_permission', {
      sessionId: 'of the child',
      toolCall: {
        toolCallId: 'write', title: 'Write colours.txt', kind: 'edit',
        ...claudeCode({ parentToolUseId: 'task' }),
      },
      options: [${JSON.stringify(option('y', 'Yes'))}, { optionId: 'n', name: 'No', kind: 'reject_once' }],
    })
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'task', status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'There are two.' } }] })
    say('Red and blue.')
    done()`,
})

test('[AC16] a sub-agent is one row that unfolds, counted on Now; what it asks is asked', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: { name: 'many' } })
  const { file: command, args: words } = withSubAgent
  await here.elsewhere.post('/api/agents', {
    body: { id: 'many', name: 'many', protocol: 'acp', command, args: [...words] },
  })
  const params = { projectId, agentId: 'many' }
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', { params })
  const page = await here.ownerPage(`/projects/${projectId}/chat/many`, { viewport: phone })
  await page.getByRole('textbox', { name: /^Write to/ }).fill('which colours?')
  await page.keyboard.press('Enter')
  const log = page.getByRole('log')
  const row = log.locator('[data-strand="task"]')
  await row.getByText('runs').waitFor()
  const inside = row.getByText('grep -r colour src')
  expect(await inside.isVisible()).toBe(false)
  await row.getByText('Look for colours').click()
  await inside.waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  const { items } = await here.elsewhere.get('/api/conversations', { query: { live: true } })
  expect(items.find((each) => each.projectId === projectId)?.doing?.subAgents).toBe(1)
  await log.getByText('Sub-agent “Look for colours”').waitFor()
  await log.getByRole('button', { name: 'Approve', exact: true }).click()
  const head = row.locator('summary').filter({ hasText: 'Look for colours' })
  await head.getByText('done', { exact: true }).waitFor()
  await log.getByText('Red and blue.').waitFor()
  await row.getByText('There are two.').waitFor()
})
