/**
 * A chat with the demo agent over ACP in a project whose folder is a git repository; all of it ends
 * with the test.
 */
import { onTestFinished } from 'vitest'
import { demos, openChat } from './chat.ts'
import { endCoordinator } from './coordinator-process.ts'
import { makeRepository } from './git-repository.ts'
import { startHoldfast } from './running-server.ts'

export async function openRepositoryChat() {
  const holdfast = await startHoldfast({ up: true })
  onTestFinished(async () => {
    await holdfast.kill()
    await endCoordinator(holdfast.data)
  })
  const repository = makeRepository()
  const chat = await openChat(holdfast, undefined, demos.acp)
  const params = { projectId: chat.projectId }
  await chat.client.patch('/api/projects/{projectId}', {
    params,
    body: { path: repository.folder },
  })
  return { holdfast, repository, chat }
}
