/**
 * What an ACP agent's context is told, it is told once (CX20): its task, what is known of it, what
 * was decided. The test plays the machine.
 */
import { expect, test } from 'vitest'
import { estimateTokens } from '../../../src/domain/conversations/messages.ts'
import { exited } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { said, turnEnded } from '../../support/relay.ts'

const description = `DESCRIBED ${'so that it is long enough to count. '.repeat(60)}`

async function open() {
  const { room, server, machine } = await openAcpChat()
  const project = `/api/projects/${room.projectId}`
  const post = async (path: string, body?: unknown) =>
    (await server.ask(`${project}${path}`, { method: 'POST', body })).json
  return {
    machine,
    post,
    get: async (path: string) => (await server.ask(`${project}${path}`)).json,
    task: (title: string, more: object = {}) =>
      post('/tasks', { phase: 1, type: 'code', title, description, assignedTo: 'coder', ...more }),
    begin: (id: string) =>
      server.ask(`${project}/tasks/${id}`, { method: 'PATCH', body: { status: 'in_progress' } }),
    /** The next turn, whole: its primer and its prompt. */
    next: async () => {
      const { launchId, turnId, content } = await machine.turn()
      const text: string = content.map((part: { text: string }) => part.text).join('\n\n')
      const times = (words: string): number => text.split(words).length - 1
      return { launchId, turnId, times, tokens: estimateTokens(text) }
    },
  }
}

test('[CX20] a task is told once: at its beginning, after a resume and after two, with its resume context once', async () => {
  const { machine, post, get, task, begin, next } = await open()
  const { id } = await task('Write a poem')
  await begin(id)
  let launchId = await bringUp(machine)
  const first = await next()
  expect([first.times('DESCRIBED'), first.times(`Task ${id}:`)]).toEqual([1, 1])
  const tokens = [first.tokens]
  for (const description of ['Rhyming at any price', 'Free verse']) {
    const [work] = (await get('/sessions')).items
    await post(`/sessions/${work.id}/approaches`, {
      kind: 'failed',
      category: 'verse',
      description,
    })
    await machine.tell(exited(launchId, { exitCode: 1 }))
    await post(`/sessions/${work.id}/resume`)
    launchId = await bringUp(machine)
    const again = await next()
    expect([
      again.times('DESCRIBED'),
      again.times(`Task ${id}:`),
      again.times(description),
    ]).toEqual([1, 1, 1])
    expect(again.times('This work was begun before')).toBe(1)
    tokens.push(again.tokens)
  }
  // Each resume adds its approach, and not the task.
  expect(Math.max(...tokens)).toBeLessThan((tokens[0] ?? 0) + 250)
})

test('[CX20] the next task of a plan is told with what became of the one before, and not with its prompt', async () => {
  const { machine, post, get, task, begin, next } = await open()
  const { id: one } = await task('Write a poem')
  await begin(one)
  const launchId = await bringUp(machine)
  const first = await next()
  const [work] = (await get('/sessions')).items
  const { id: two } = await task('Set it to music', { sessionId: work.id, description: 'Softly.' })
  await machine.tell(said(launchId, first.turnId, 'Roses'), turnEnded(launchId, first.turnId))
  const second = await next()
  expect(second.times(`Task ${two}:`)).toBe(1)
  await machine.tell(exited(launchId, { exitCode: 1 }))
  await post(`/sessions/${work.id}/resume`)
  await bringUp(machine)
  const again = await next()
  expect([
    again.times('DESCRIBED'),
    again.times(`Task ${one}: Write a poem`),
    again.times('Roses'),
  ]).toEqual([0, 1, 1])
  expect([again.times('Softly.'), again.times(`Task ${two}:`)]).toEqual([1, 1])
})

test('[CX20] what people decided about a resumed task is told once', async () => {
  const { machine, post, get, task, begin, next } = await open()
  const { id } = await task('Write a poem')
  await begin(id)
  const launchId = await bringUp(machine)
  await next()
  const [work] = (await get('/sessions')).items
  const asked = {
    checkpointType: 'design',
    leaderId: 'coder',
    sessionId: work.id,
    taskId: id,
    instructionContent: 'Rhyme?',
  }
  const approval = await post('/approvals', asked)
  expect(approval.id).toEqual(expect.any(Number))
  await machine.tell(exited(launchId, { exitCode: 1 }))
  await post(`/approvals/${approval.id}/decision`, { status: 'approved', feedback: 'DO RHYME' })
  await post(`/sessions/${work.id}/resume`)
  await bringUp(machine)
  expect((await next()).times('DO RHYME')).toBe(1)
})
