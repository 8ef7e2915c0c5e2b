/** Approvals over MCP with the official client. */
import { expect, test } from 'vitest'
import { giveTask, openWorkplace, type Workplace } from '../../support/mcp.ts'

const decide = (
  { post, projectId }: Workplace,
  approvalId: number,
  status: string,
  feedback?: string,
) => post(`/api/projects/${projectId}/approvals/${approvalId}/decision`, { status, feedback })

test('[AP3] an agent asks, waits in one held call, and is woken by the decision', async () => {
  const workplace = await openWorkplace()
  await giveTask(workplace)
  const ann = await workplace.signedIn()
  const plan = {
    checkpoint_type: 'plan',
    instruction_content: 'I would do it so',
    artifacts: ['plan.md'],
  }
  const asked = await ann.call('request_approval', plan)
  expect(asked).toEqual({ approval_id: expect.any(Number), status: 'pending' })
  expect(await ann.call('request_approval', plan)).toEqual(asked)
  expect(await ann.call('get_next_action')).toMatchObject({
    action: 'wait_for_approval',
    approval_id: asked.approval_id,
  })
  const held = ann.call('get_next_action', { wait_seconds: 50 })
  await decide(workplace, asked.approval_id, 'revision_requested', 'smaller')
  expect((await held).action).toBe('work_on_task')
  expect(await ann.call('get_approval', { approval_id: asked.approval_id })).toMatchObject({
    approval_id: asked.approval_id,
    status: 'revision_requested',
    feedback: 'smaller',
    decided_by: 'owner',
    checkpoint_type: 'plan',
  })
  const again = await ann.call('request_approval', {
    ...plan,
    instruction_content: 'less',
    approval_id: asked.approval_id,
  })
  expect(again).toEqual(asked)
  await decide(workplace, asked.approval_id, 'approved')
  const decided = await ann.call('get_approval', { approval_id: asked.approval_id })
  expect(decided).toMatchObject({ status: 'approved', instruction_content: 'less' })
  expect(decided.revision_history).toMatchObject([
    { instruction_content: 'I would do it so', feedback: 'smaller' },
  ])
})

test('[SE3] an agent reads no approval of another', async () => {
  const workplace = await openWorkplace()
  await giveTask(workplace)
  const ann = await workplace.signedIn()
  const { approval_id } = await ann.call('request_approval', { checkpoint_type: 'plan' })
  await workplace.write('hello', { toAgentId: 'bob' })
  const bob = await workplace.signedIn('bob')
  expect(await bob.failure('get_approval', { approval_id })).toBe('not_found')
})
