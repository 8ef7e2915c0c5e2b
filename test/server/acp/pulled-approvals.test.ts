/** What an agent that pulls its work asks for, as permissions of an editor (EC3). */
import { realpathSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lookForApprovalsEveryMs } from '../../../src/doors/acp/asked-approvals.ts'
import { openEditor, text } from '../../support/editor.ts'
import { openWorkplace } from '../../support/mcp.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[EC3] what an agent that pulls asks for is a permission', async () => {
  const { server, projectId, signedIn } = await openWorkplace()
  const folder = realpathSync(temporaryFolder())
  await server.ask(`/api/projects/${projectId}`, { method: 'PATCH', body: { path: folder } })
  const editor = await openEditor(server, { tunnel: { agent: 'ann' } })
  const opened = { cwd: folder, mcpServers: [] }
  const { sessionId: key } = (await editor.call('session/new', opened)).result
  const asked = editor.ask('session/prompt', { sessionId: key, prompt: [text('hello')] })
  await editor.next('session/update')
  const ann = await signedIn()
  await ann.call('get_pending_messages')
  const ask = (instruction: string) =>
    ann.call('request_approval', { checkpoint_type: 'release', instruction_content: instruction })
  const first = await ask('Ship it?')
  server.clock.advance(lookForApprovalsEveryMs)
  const request = await editor.next('session/request_permission')
  expect(request.params).toMatchObject({
    sessionId: key,
    toolCall: { title: 'release', content: [{ content: { text: 'Ship it?' } }] },
    options: [{ optionId: 'approved' }, { optionId: 'rejected' }],
  })
  editor.answer(request.id, { outcome: { outcome: 'selected', optionId: 'approved' } })
  const decided = async (id: number) =>
    (await server.ask(`/api/projects/${projectId}/approvals/${id}`)).json.status
  await expect.poll(() => decided(first.approval_id)).toBe('approved')
  // Decided elsewhere, it is withdrawn.
  const second = await ask('And this?')
  server.clock.advance(lookForApprovalsEveryMs)
  const other = await editor.next('session/request_permission')
  const path = `/api/approvals/${second.approval_id}/decision`
  await server.ask(path, { method: 'POST', body: { status: 'rejected' } })
  server.clock.advance(lookForApprovalsEveryMs)
  expect((await editor.next('$/cancel_request')).params.requestId).toBe(other.id)
  await ann.call('respond_chat', { content: 'Done.' })
  expect((await editor.answerTo(asked)).result.stopReason).toBe('end_turn')
})
