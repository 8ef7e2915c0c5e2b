/**
 * Questions of agents (AP13): asked over the link, shown on the relay, in the inbox and in chats,
 * answered once from anywhere.
 */
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { userSessionLooks } from '../../support/due-work.ts'
import { form, openConsole, pass, questions, turnEnded } from '../../support/relay.ts'

const asked = { message: form.message, schema: form.schema, url: null }

async function openQuestion(settings: object = {}) {
  const room = await openConsole({}, settings)
  const { client, machine, inside, launchId } = await room.ready()
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'paint' })
  const { turnId } = await machine.turn()
  await machine.tell(questions(launchId, turnId, 'q1'), questions(launchId, turnId, 'q1'))
  const question = await client.next('question:requested')
  return {
    room,
    client,
    machine,
    inside,
    launchId,
    turnId,
    question,
    questionId: question.questionId as number,
  }
}

test('[AP13] a question is shown once, answered by the first device, told to the agent, and later answers learn who was first', async () => {
  const { room, client, machine, inside, launchId, turnId, question, questionId } =
    await openQuestion()
  const { server, projectId } = room
  expect(question).toMatchObject({
    ...inside,
    role: 'auth',
    messageId: turnId,
    ...asked,
    deadline: expect.any(String),
  })
  const approval = `/api/projects/${projectId}/approvals/${questionId}`
  expect((await server.ask(approval)).json).toMatchObject({
    checkpointType: 'question',
    status: 'pending',
    instructionContent: form.message,
    permission: null,
    question: { ...asked, role: 'auth', answer: null },
  })
  expect((await server.ask('/api/approvals')).json.items).toMatchObject([{ id: questionId }])
  // A device that comes later finds it.
  const phone = await room.client()
  phone.send({ type: 'session:resume', ...inside })
  expect((await phone.next('session:snapshot')).agents).toMatchObject([
    { questions: [{ questionId, ...asked }] },
  ])
  // What does not fit changes nothing.
  const answer = (content: unknown, action = 'accept') => ({
    type: 'question:answer',
    ...inside,
    questionId,
    action,
    content,
  })
  phone.send(answer({ colour: 'green' }))
  expect(await phone.next('error')).toMatchObject({
    code: 'invalid_request',
    detail: 'content.colour: This must be one of red, blue',
  })
  phone.send(answer({ colour: 'red' }, 'decline'))
  expect(await phone.next('error')).toMatchObject({ code: 'invalid_request' })
  phone.send({ type: 'permission:answer', ...inside, approvalId: questionId, outcome: 'allowed' })
  expect(await phone.next('error')).toMatchObject({ code: 'not_found' })
  phone.send({ ...answer({ colour: 'blue', count: 2 }), requestId: 'mine' })
  const content = { colour: 'blue', count: 2 }
  const resolved = { questionId, action: 'accept', content, outcome: 'allowed', decidedBy: 'owner' }
  expect(await phone.next('question:resolved')).toMatchObject({ ...resolved, requestId: 'mine' })
  expect(await client.next('question:resolved')).toMatchObject(resolved)
  const order = { launchId, askId: 'q1', optionId: null, answer: { action: 'accept', content } }
  expect(await machine.order('permission-settled')).toEqual(order)
  client.send(answer({ colour: 'red' }))
  expect(await client.next('error')).toMatchObject({ code: 'approval_decided', decidedBy: 'owner' })
  expect((await server.ask(approval)).json).toMatchObject({
    status: 'approved',
    question: { answer: { action: 'accept', content } },
  })
  // A coordinator that was away is told with its snapshot.
  const { snapshot } = await room.machine('first')
  expect(Object.values<{ permissions: unknown }>(snapshot.state)[0]?.permissions).toEqual([order])
})

test('[AP13] the inbox declines a question, and accepts it only where nothing must be filled in; revision is refused', async () => {
  const { room, machine, launchId, turnId, questionId } = await openQuestion()
  const decide = (id: number, status: string) =>
    room.server.ask(`/api/projects/${room.projectId}/approvals/${id}/decision`, {
      method: 'POST',
      body: { status },
    })
  expect(await decide(questionId, 'revision_requested')).toMatchObject({ status: 409 })
  expect((await decide(questionId, 'approved')).json).toMatchObject({ code: 'invalid_request' })
  expect((await decide(questionId, 'rejected')).json).toMatchObject({
    status: 'rejected',
    outcome: 'denied',
  })
  expect(await machine.order('permission-settled')).toMatchObject({
    answer: { action: 'decline', content: null },
  })
  const visit = { message: 'Sign in there', schema: null, url: 'https://example.com/sign-in' }
  await machine.tell(questions(launchId, turnId, 'q2', visit))
  expect((await decide(questionId + 1, 'approved')).json).toMatchObject({
    question: { url: visit.url, answer: { action: 'accept' } },
  })
})

test('[AP13] nobody answers in time, or the turn ends: the agent is told cancel, and the question is over', async () => {
  const { room, client, machine, launchId, turnId } = await openQuestion({
    'permission.deadline_minutes': 1,
  })
  const { store, clock } = room.server
  await pass(room, 61_000, client, machine.socket)
  const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })
  await userSessionLooks({ store, clock, logger }).run()
  expect(await client.next('question:resolved')).toMatchObject({
    action: 'cancel',
    outcome: 'expired',
    decidedBy: 'system',
  })
  expect(await machine.order('permission-settled')).toMatchObject({
    answer: { action: 'cancel', content: null },
  })
  await machine.tell(questions(launchId, turnId, 'q2'), turnEnded(launchId, turnId))
  expect(await client.next('question:resolved')).toMatchObject({ outcome: 'withdrawn' })
})

test('[AP13] in a chat a question is answered by POST /api/questions/{id}/answer', async () => {
  const { server, machine, say } = await openAcpChat()
  await say('paint')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(questions(launchId, turnId, 'q1'))
  const [{ id }] = (await server.ask('/api/approvals')).json.items
  const answer = (body: unknown, which = id) =>
    server.ask(`/api/questions/${which}/answer`, { method: 'POST', body })
  expect(await answer({ action: 'accept', content: {} })).toMatchObject({
    status: 400,
    json: { field: 'content' },
  })
  expect(await answer({ action: 'accept', content: { colour: 'red' } }, 999)).toMatchObject({
    status: 404,
  })
  const content = { colour: 'red' }
  expect(await answer({ action: 'accept', content })).toMatchObject({
    status: 200,
    json: { question: { answer: { content } } },
  })
  expect(await answer({ action: 'decline' })).toMatchObject({
    status: 409,
    json: { code: 'approval_decided' },
  })
  expect(await machine.order('permission-settled')).toMatchObject({
    askId: 'q1',
    answer: { action: 'accept', content },
  })
})
