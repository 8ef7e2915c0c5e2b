/** A console that moves from one node to another is attached all the while (US3, SC1). */
import { expect, test } from 'vitest'
import {
  createUserSession,
  touchUserSessions,
} from '../../../src/services/flows/consoles/change-user-session.ts'
import { createProject } from '../../../src/services/projects/change-project.ts'
import { openTestStore } from '../../support/store.ts'
import { by } from '../projects/installation.ts'

test('[US3] [SC1] a node that lost a console does not undo what another node has seen since', async () => {
  const { store, clock } = await openTestStore()
  const { id: projectId } = await store.run(createProject, { name: 'console', by })
  const { userSessionId: id } = await store.run(createUserSession, {
    projectId,
    by,
    requestId: undefined,
  })
  const attachedUntil = async () =>
    (
      await store.read((reader) =>
        reader.query((db) => db.selectFrom('user_sessions').select('attached_until')),
      )
    )[0]
  const first = await store.run(touchUserSessions, { attached: [id], detached: [] })
  clock.advance(1000)
  const second = await store.run(touchUserSessions, { attached: [id], detached: [] })
  await store.run(touchUserSessions, { attached: [], detached: [{ id, seenUntil: first }] })
  expect(await attachedUntil()).toEqual({ attached_until: second })
  await store.run(touchUserSessions, { attached: [], detached: [{ id, seenUntil: second }] })
  expect(await attachedUntil()).toEqual({ attached_until: new Date(clock.now()).toISOString() })
})
