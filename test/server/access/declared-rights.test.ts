/** Rights stand with the use case alone: what is changed there changes the answers of the doors. */
import { expect, onTestFinished, test } from 'vitest'
import type { Rights } from '../../../src/domain/access/rights.ts'
import { sendPrompt } from '../../../src/services/flows/turns/send-prompt.ts'
import { createProject } from '../../../src/services/projects/change-project.ts'
import { listProjects } from '../../../src/services/projects/queries.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { openTestServer } from '../../support/server.ts'
import { classOf } from './classes.ts'

/** Lets a use case need another scope until the test is over. */
function needs(declared: Rights, scope: Rights['scope']): void {
  const before = declared.scope
  Object.assign(declared, { scope })
  onTestFinished(() => void Object.assign(declared, { scope: before }))
}

test('[SE15] a changed scope is seen in the answer of the route', async () => {
  const server = await openTestServer()
  const { token } = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'Mel', role: 'member' } })
  ).json
  const create = () =>
    server.ask('/api/projects', { method: 'POST', token, body: { name: 'mine' } })
  expect((await create()).status).toBe(201)
  needs(createProject, 'manage')
  expect((await create()).json).toMatchObject({ code: 'missing_scope', scope: 'manage' })
  expect((await server.ask('/api/projects', { token })).status).toBe(200)
  expect(classOf('listProjects')).toBe('seen')
  needs(listProjects, 'manage')
  expect(classOf('listProjects')).toBe('managed')
  expect((await server.ask('/api/projects', { token })).json).toMatchObject({ scope: 'manage' })
})

test('[SE15] a changed scope is seen in the answer of the relay', async () => {
  const server = await openTestServer()
  const { token } = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'Mel', role: 'member' } })
  ).json
  const socket = await openSocket({ port: server.port, token })
  const prompt = { type: 'agent:message', sessionId: 'none', role: 'r', content: 'hi' }
  socket.send(prompt)
  expect(await socket.next('error')).toMatchObject({ code: 'user_session_not_found' })
  needs(sendPrompt, 'manage')
  socket.send(prompt)
  expect(await socket.next('error')).toMatchObject({ code: 'missing_scope', scope: 'manage' })
})
