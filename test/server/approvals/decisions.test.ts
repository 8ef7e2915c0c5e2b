/**
 * Decisions travel (AP8): the agent that asked waits again when it is back, and is told what was
 * decided while it was away.
 */
import { expect, test } from 'vitest'
import { started } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { type McpAgent, openWorkplace, type Workplace } from '../../support/mcp.ts'

const question = { checkpoint_type: 'danger', instruction_content: 'May I drop table users?' }

/** Ann has asked about her task and is gone; its work session is interrupted. */
async function askedAndLeft() {
  const workplace = await openWorkplace()
  const { post, server, projectId } = workplace
  const project = `/api/projects/${projectId}`
  const draft = { phase: 1, type: 'code', title: 'Migrate', assignedTo: 'ann' }
  const { id: taskId } = await post(`${project}/tasks`, draft)
  await server.ask(`${project}/tasks/${taskId}`, {
    method: 'PATCH',
    body: { status: 'in_progress' },
  })
  const ann = await workplace.signedIn()
  await ann.call('get_next_action')
  const { approval_id: approvalId } = await ann.call('request_approval', question)
  await ann.call('logout')
  const [work] = (await server.ask(`${project}/sessions`)).json.items
  expect(work).toMatchObject({ state: 'interrupted' })
  const decide = (status: string, feedback?: string) =>
    post(`${project}/approvals/${approvalId}/decision`, { status, feedback })
  const resume = () => post(`${project}/sessions/${work.id}/resume`, {})
  return { workplace, project, taskId, approvalId, decide, resume }
}

test('[AP12] a rejection made while the agent was away, and its words, are in every form of resume', async () => {
  const { workplace, approvalId, taskId, decide, resume } = await askedAndLeft()
  await decide('rejected', 'never on a Friday')
  const made = {
    approvalId,
    taskId,
    status: 'rejected',
    feedback: 'never on a Friday',
    decidedBy: 'owner',
  }
  const resumed = await resume()
  expect(resumed.decisions).toMatchObject([
    { ...made, checkpointType: 'danger', question: 'May I drop table users?' },
  ])
  const received = [
    {
      approval_id: approvalId,
      status: 'rejected',
      feedback: 'never on a Friday',
      question: 'May I drop table users?',
    },
  ]
  const ann = await workplace.signedIn()
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'resume_work',
    resume_context: { decisions: received },
  })
  expect((await ann.call('get_resume_context')).resume_context.decisions).toMatchObject(received)
  expect((await ann.call('get_my_task')).decisions).toMatchObject(received)
  // The agent was told; that is not said again with each call.
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'work_on_task',
    task: { id: taskId },
  })
  expect((await ann.call('get_next_action')).decisions).toBeUndefined()
})

test('[AP8] an approval that is still undecided is waited for again by whoever is back, and the decision comes with the work', async () => {
  const { workplace, approvalId, decide, resume } = await askedAndLeft()
  expect((await resume()).decisions).toMatchObject([
    { approvalId, status: 'pending', feedback: null },
  ])
  const ann = await workplace.signedIn()
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'wait_for_approval',
    approval_id: approvalId,
  })
  const held = ann.call('get_next_action', { wait_seconds: 50 })
  await decide('approved', 'after the backup')
  expect(await held).toMatchObject({
    action: 'resume_work',
    resume_context: {
      decisions: [{ approval_id: approvalId, status: 'approved', feedback: 'after the backup' }],
    },
  })
})

test('[AP12] an approval that is sent back brings its feedback with the task, and is submitted again under its number', async () => {
  const { workplace, project, approvalId, decide, resume } = await askedAndLeft()
  await resume()
  const ann = await workplace.signedIn()
  const held = ann.call('get_next_action', { wait_seconds: 50 })
  await decide('revision_requested', 'smaller steps')
  await held
  const received = await ann.call('get_my_task')
  expect(received.decisions).toMatchObject([
    { approval_id: approvalId, status: 'revision_requested', feedback: 'smaller steps' },
  ])
  await ann.call('request_approval', {
    ...question,
    instruction_content: 'One table?',
    approval_id: approvalId,
  })
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'wait_for_approval',
    approval_id: approvalId,
  })
  await workplace.post(`${project}/approvals/${approvalId}/decision`, { status: 'approved' })
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'work_on_task',
    decisions: [{ approval_id: approvalId, status: 'approved', question: 'One table?' }],
  })
})

/** The same agent comes back without a resume: another one held the work meanwhile. */
async function comesBack(workplace: Workplace, ann: McpAgent): Promise<McpAgent> {
  await ann.call('logout')
  return workplace.signedIn()
}

test('[AP8] an agent that is away and back while its work goes on waits again, and hears of no other agent’s decisions', async () => {
  const workplace = await openWorkplace()
  const { post, server, projectId } = workplace
  const project = `/api/projects/${projectId}`
  const { id: workSessionId } = await post(`${project}/sessions`, {})
  for (const assignedTo of ['bob', 'ann']) {
    const draft = {
      ['sessionId']: workSessionId,
      phase: 1,
      type: 'code',
      title: 'part',
      assignedTo,
    }
    const { id } = await post(`${project}/tasks`, draft)
    await server.ask(`${project}/tasks/${id}`, { method: 'PATCH', body: { status: 'in_progress' } })
  }
  const bob = await workplace.signedIn('bob')
  await bob.call('get_next_action')
  const ann = await workplace.signedIn()
  await ann.call('get_next_action')
  const { approval_id } = await ann.call('request_approval', question)
  const back = await comesBack(workplace, ann)
  expect(await back.call('get_next_action')).toMatchObject({
    action: 'wait_for_approval',
    approval_id,
  })
  await back.call('logout')
  await post(`${project}/approvals/${approval_id}/decision`, { status: 'rejected', feedback: 'no' })
  expect((await bob.call('get_next_action')).decisions).toBeUndefined()
  expect((await bob.call('get_my_task')).decisions).toEqual([])
  const again = await workplace.signedIn()
  expect(await again.call('get_next_action')).toMatchObject({
    action: 'work_on_task',
    decisions: [{ approval_id, status: 'rejected', feedback: 'no' }],
  })
})

test('[AP8] in a chat the agent that asked waits again too, whichever of its sessions asked', async () => {
  const workplace = await openWorkplace()
  await workplace.write('clean up')
  const ann = await workplace.signedIn()
  await ann.call('get_pending_messages')
  const { approval_id } = await ann.call('request_approval', question)
  const back = await comesBack(workplace, ann)
  await back.call('get_pending_messages')
  expect(await back.call('get_next_action')).toMatchObject({
    action: 'wait_for_approval',
    approval_id,
  })
})

test('[AP12] an agent that is spoken to is told of the decision with its task', async () => {
  const { room, server, machine } = await openAcpChat()
  const project = `/api/projects/${room.projectId}`
  const ask = async (path: string, body: object, method = 'POST') =>
    (await server.ask(project + path, { method, body })).json
  const { id } = await ask('/tasks', {
    phase: 1,
    type: 'code',
    title: 'Migrate',
    assignedTo: 'coder',
  })
  const { id: workSessionId } = await ask('/sessions', {})
  await ask(`/sessions/${workSessionId}/end`, { reason: 'stopped' })
  const approval = {
    ['sessionId']: workSessionId,
    leaderId: 'coder',
    taskId: id,
    checkpointType: 'danger',
  }
  const { id: approvalId } = await ask('/approvals', {
    ...approval,
    instructionContent: 'May I drop table users?',
  })
  await ask(`/approvals/${approvalId}/decision`, {
    status: 'rejected',
    feedback: 'never on a Friday',
  })
  await ask(`/tasks/${id}`, { status: 'in_progress' }, 'PATCH')
  const launchId = await bringUp(machine)
  expect(started(launchId)).toBeDefined()
  const { content } = await machine.turn()
  const given = content.map(({ text }: { text: string }) => text).join('\n')
  expect(given).toContain(`Approval ${approvalId} (danger) was rejected: never on a Friday`)
  expect(given).toContain('May I drop table users?')
})
