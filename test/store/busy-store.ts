/** A store with some of everything in it, made by the product's own use cases. */
import { owner, ownerId } from '../../src/domain/access/caller.ts'
import { webKey } from '../../src/domain/conversations/key.ts'
import { addPerson, createToken, removePerson } from '../../src/services/access/change-access.ts'
import { changeAgent, createAgent } from '../../src/services/agents/change-agent.ts'
import { replacePasskey } from '../../src/services/flows/agent-sessions/replace-passkey.ts'
import { beginThread } from '../../src/services/flows/conversations/begin-thread.ts'
import { continueWithAgent } from '../../src/services/flows/conversations/continue-with-agent.ts'
import { deleteConversation } from '../../src/services/flows/conversations/delete-conversation.ts'
import { startChat } from '../../src/services/flows/conversations/start-chat.ts'
import { deleteAgent } from '../../src/services/flows/projects/delete-agent.ts'
import { deleteProject } from '../../src/services/flows/projects/delete-project.ts'
import { unassignAgent } from '../../src/services/flows/projects/unassign-agent.ts'
import {
  assignAgent,
  changeProject,
  createProject,
} from '../../src/services/projects/change-project.ts'
import type { ReceiptKey, Store } from '../../src/store/store.ts'
import { sealedEnvironment } from '../support/seals.ts'

const by = ownerId

export const receipt = (key: string): ReceiptKey => ({
  credentialId: ownerId,
  operation: 'POST /x',
  key,
  contentHash: 'h',
  sealedBy: 'hf_owner_presented',
})

export interface Made {
  readonly projectIds: readonly string[]
  readonly agentIds: readonly string[]
  readonly personId: string
  readonly tokenId: string
  /** A session that Scout began and Builder goes on in. */
  readonly threadKey: string
  /** Scout's first chat, which goes on as another session. */
  readonly chatKey: string
  /** The answer kept under the receipt `kept`. */
  readonly passkey: string
}

export async function fill(store: Store): Promise<Made> {
  const projects = []
  for (const name of ['設計 🚀', 'two', 'three', 'gone'])
    projects.push(await store.run(createProject, { name, by }))
  const [one, two, three, gone] = projects.map(({ id }) => id) as [string, string, string, string]
  const scout = await store.run(
    createAgent,
    { name: 'Scout', protocol: 'acp', command: 'x', env: sealedEnvironment({ KEY: 'hidden' }), by },
    receipt('kept'),
  )
  const builder = await store.run(createAgent, { name: 'Builder', protocol: 'mcp', by })
  const left = await store.run(createAgent, { name: 'Left', protocol: 'mcp', by })
  for (const [projectId, agentId] of [
    [one, scout.id],
    [one, builder.id],
    [two, scout.id],
    [gone, builder.id],
    [three, left.id],
  ] as const) {
    await store.run(assignAgent, { projectId, agentId, by })
  }
  await store.run(changeProject, {
    projectId: one,
    name: '設計 2',
    settings: { 'chat.soft_timeout_minutes': 7 },
    by,
  })
  await store.run(changeAgent, { agentId: builder.id, role: 'builder', args: ['-v'], by })
  await store.run(replacePasskey, { agentId: builder.id, by })
  await store.run(unassignAgent, { projectId: two, agentId: scout.id, by })
  await store.run(deleteProject, { projectId: gone, by })
  await store.run(deleteAgent, { agentId: left.id, by })
  const person = await store.run(addPerson, { name: 'Ada', role: 'member', by })
  const other = await store.run(addPerson, { name: 'Bo', role: 'viewer', by })
  await store.run(removePerson, { personId: other.id, by })
  const token = await store.run(createToken, { name: 'ci', kind: 'script', by: owner })
  const threads = await fillThreads(store, one, [scout.id, builder.id])
  return {
    ...threads,
    projectIds: [one, two, three],
    agentIds: [scout.id, builder.id],
    personId: person.id,
    tokenId: token.id,
    passkey: scout.passkey,
  }
}

async function fillThreads(store: Store, projectId: string, agents: [string, string]) {
  const [agentId, next] = agents
  const begin = async (content: string) =>
    (await store.run(beginThread, { projectId, agentId, content, by })).key
  const threadKey = await begin('mend the gate')
  await store.run(continueWithAgent, { key: threadKey, agentId: next, by })
  const chatKey = webKey(projectId, agentId)
  await store.run(startChat, { projectId, agentId, by })
  await store.run(continueWithAgent, { key: chatKey, agentId: next, by })
  await store.run(deleteConversation, { key: await begin('never mind'), by })
  return { threadKey, chatKey }
}

export const addProject = (store: Store, name: string): Promise<{ id: string }> =>
  store.run(createProject, { name, by })
