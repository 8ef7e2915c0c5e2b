import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { Agent } from '../../../src/protocol/agents/agent.ts'
import { maskedValue } from '../../../src/protocol/agents/masked-value.ts'
import { changeAgent, createAgent } from '../../../src/services/agents/change-agent.ts'
import { getAgent, listAgents } from '../../../src/services/agents/queries.ts'
import { replacePasskey } from '../../../src/services/flows/agent-sessions/replace-passkey.ts'
import { deleteAgent } from '../../../src/services/flows/projects/delete-agent.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { unassignAgent } from '../../../src/services/flows/projects/unassign-agent.ts'
import { assignAgent, createProject } from '../../../src/services/projects/change-project.ts'
import { getProject, listProjects } from '../../../src/services/projects/queries.ts'
import type { Store } from '../../../src/store/store.ts'
import { sealedEnvironment, testSeals } from '../../support/seals.ts'
import { by, eventsOf, open, refused, typesOf, whoHas } from '../projects/installation.ts'

const storedEnvironment = async (store: Store, id: string): Promise<unknown> =>
  JSON.parse((await store.read((reader) => reader.row('agents', { id })))?.env ?? 'null')

describe('agents', () => {
  test('[AS7] a new agent shows its passkey once; only its hash is kept, and the passkey authenticates it', async () => {
    const { store } = await open()
    const { passkey, ...agent } = await store.run(createAgent, {
      name: 'Claude Code',
      protocol: 'acp',
      command: 'claude',
      by,
    })
    expect(passkey).toMatch(/^hf_agent_[\w-]{43}$/)
    expect(Agent.parse(agent)).toEqual(agent)
    expect(agent).toMatchObject({
      id: 'claude-code',
      args: [],
      env: {},
      role: null,
      maxProcesses: null,
      holdSeconds: 50,
    })
    expect(await store.query(getAgent, { agentId: agent.id })).toEqual(agent)
    expect(await eventsOf(store, 'home')).toEqual([{ type: 'agent-created', data: { agent, by } }])
    expect(await whoHas(store, passkey)).toMatchObject({
      kind: 'agent',
      id: agent.id,
      role: null,
      scopes: ['agent'],
    })
    const row = await store.read((reader) => reader.row('agents', { id: agent.id }))
    expect(JSON.stringify(row)).not.toContain(passkey)
  })

  test('[AS7] a replaced passkey stops working at once, and the new one is another credential', async () => {
    const { store } = await open()
    const { id: agentId, passkey: old } = await store.run(createAgent, {
      name: 'a',
      protocol: 'mcp',
      by,
    })
    const before = await whoHas(store, old)
    const { passkey } = await store.run(replacePasskey, { agentId, by })
    expect(await whoHas(store, old)).toBeUndefined()
    const after = await whoHas(store, passkey)
    expect(after?.id).toBe(agentId)
    expect(after?.credentialId).not.toBe(before?.credentialId)
    expect(await eventsOf(store, 'home')).toContainEqual({
      type: 'passkey-replaced',
      data: { agentId, by },
    })
    expect(
      await refused(store, () => store.run(replacePasskey, { agentId: 'nobody', by })),
    ).toMatchObject({
      code: 'agent_not_found',
    })
  })

  test('[ID1] a chosen id that is taken is refused; one made from the name steps aside', async () => {
    const { store } = await open()
    const draft = { name: 'Demo', protocol: 'acp', by } as const
    await store.run(createAgent, { ...draft, id: 'demo' })
    expect(await refused(store, () => store.run(createAgent, { ...draft, id: 'demo' }))).toEqual({
      code: 'already_exists',
      fields: { id: 'demo' },
    })
    expect((await store.run(createAgent, draft)).id).toBe('demo-2')
    expect((await store.run(createAgent, draft)).id).toBe('demo-3')
  })

  test('[SE3] no agent can bear the id of a person, nor one that stands for the server or a program', async () => {
    const { store } = await open()
    const draft = { name: 'Owner', protocol: 'acp', by } as const
    for (const id of ['system', 'library'])
      expect(await refused(store, () => store.run(createAgent, { ...draft, id }))).toMatchObject({
        code: 'already_exists',
      })
    expect((await store.run(createAgent, { ...draft, name: 'System' })).id).toBe('system-2')
    expect(
      await refused(store, () => store.run(createAgent, { ...draft, id: 'owner' })),
    ).toMatchObject({
      code: 'already_exists',
    })
    expect((await store.run(createAgent, draft)).id).toBe('owner-2')
  })

  test('[SE7] the values of an environment are in no answer and no event', async () => {
    const { store } = await open()
    const secret = 'sk-live-4f9a8b7c6d5e'
    const env = sealedEnvironment({ ANTHROPIC_API_KEY: secret })
    const created = await store.run(createAgent, { name: 'a', protocol: 'acp', env, by })
    const changed = await store.run(changeAgent, { agentId: created.id, name: 'b', by })
    const seen = { ANTHROPIC_API_KEY: maskedValue }
    expect([created.env, changed.env]).toEqual([seen, seen])
    const everything = [
      await store.query(listAgents, { limit: 50 }),
      await store.query(getAgent, { agentId: created.id }),
    ]
    expect(JSON.stringify([...everything, await eventsOf(store, 'home')])).not.toContain(secret)
    expect(await storedEnvironment(store, created.id)).toEqual(env)
  })

  test('[SE7] a mask sent back keeps the stored value; a mask for nothing is refused', async () => {
    const { store } = await open()
    const [one, two] = [testSeals.seal('KEY', 'one'), testSeals.seal('NEW', 'two')]
    const { id: agentId } = await store.run(createAgent, {
      name: 'a',
      protocol: 'acp',
      env: { KEY: one, URL: one },
      by,
    })
    await store.run(changeAgent, { agentId, env: { KEY: maskedValue, NEW: two }, by })
    expect(await storedEnvironment(store, agentId)).toEqual({ KEY: one, NEW: two })
    const change = { agentId, env: { OTHER: maskedValue }, by } as const
    expect(await refused(store, () => store.run(changeAgent, change))).toMatchObject({
      code: 'invalid_request',
    })
    const draft = { name: 'b', protocol: 'acp', env: { KEY: maskedValue }, by } as const
    expect(await refused(store, () => store.run(createAgent, draft))).toMatchObject({
      code: 'invalid_request',
    })
    expect(await storedEnvironment(store, agentId)).toEqual({ KEY: one, NEW: two })
  })

  test('[HT2] a change keeps what it does not name, takes null for none, and leaves no event when nothing is new', async () => {
    const { store, clock } = await open()
    const draft = {
      name: 'a',
      protocol: 'acp',
      command: 'run',
      args: ['-x'],
      env: sealedEnvironment({ KEY: 'k' }),
      role: 'coder',
      maxProcesses: 2,
    } as const
    const { passkey: _, ...created } = await store.run(createAgent, { ...draft, args: ['-x'], by })
    const agentId = created.id
    clock.advance(1000)
    const same = { agentId, name: 'a', args: ['-x'], env: { KEY: maskedValue } as const, by }
    expect(await store.run(changeAgent, same)).toEqual(created)
    expect(await typesOf(store, 'home')).toEqual(['agent-created'])
    const changed = await store.run(changeAgent, {
      agentId,
      command: null,
      maxProcesses: null,
      holdSeconds: 600,
      by,
    })
    expect(changed).toEqual({
      ...created,
      command: null,
      maxProcesses: null,
      holdSeconds: 600,
      updatedAt: '2026-03-01T09:00:01.000Z',
    })
    expect(await eventsOf(store, 'home')).toContainEqual({
      type: 'agent-changed',
      data: { agent: changed, by },
    })
    expect(
      await refused(store, () => store.run(changeAgent, { agentId: 'nobody', by })),
    ).toMatchObject({
      code: 'agent_not_found',
    })
  })
})

describe('assignments', () => {
  test('[HT1] an assigned agent shows in the project and the project in the agent, in the order of assigning', async () => {
    const { store, clock } = await open()
    const project = await store.run(createProject, { name: 'p', by })
    const projectId = project.id
    for (const id of ['b', 'a', 'c']) {
      await store.run(createAgent, { id, name: id, protocol: 'acp', by })
      clock.advance(1)
      await store.run(assignAgent, { projectId, agentId: id, by })
    }
    expect(await store.query(getProject, { projectId })).toEqual({
      ...project,
      agentIds: ['b', 'a', 'c'],
    })
    expect((await store.query(listProjects, { limit: 5 })).items[0]?.agentIds).toEqual([
      'b',
      'a',
      'c',
    ])
    expect((await store.query(getAgent, { agentId: 'a' })).projectIds).toEqual([projectId])
    expect(
      (await store.query(listAgents, { limit: 5 })).items.map((agent) => agent.projectIds),
    ).toEqual(Array(3).fill([projectId]))
    expect((await eventsOf(store, projectStream(projectId))).at(-1)).toEqual({
      type: 'agent-assigned',
      data: { refStream: 'home', refSeq: 7 },
    })
    expect((await eventsOf(store, 'home')).at(-1)).toEqual({
      type: 'agent-assigned',
      data: { projectId, agentId: 'c', by },
    })
  })

  test('[HT2] assigning or taking off twice changes nothing the second time', async () => {
    const { store } = await open()
    const { id: projectId } = await store.run(createProject, { name: 'p', by })
    const { id: agentId } = await store.run(createAgent, { name: 'a', protocol: 'acp', by })
    const pair = { projectId, agentId, by }
    const once = await store.run(assignAgent, pair)
    expect(await store.run(assignAgent, pair)).toEqual(once)
    await store.run(unassignAgent, pair)
    await store.run(unassignAgent, pair)
    expect((await typesOf(store, 'home')).slice(2)).toEqual(['agent-assigned', 'agent-unassigned'])
    expect((await store.query(getProject, { projectId })).agentIds).toEqual([])
  })

  test('[HT2] an unknown project or agent is not found', async () => {
    const { store } = await open()
    const { id: projectId } = await store.run(createProject, { name: 'p', by })
    const { id: agentId } = await store.run(createAgent, { name: 'a', protocol: 'acp', by })
    for (const useCase of [assignAgent, unassignAgent]) {
      const noProject = () =>
        store.run<typeof pair, unknown>(useCase, { ...pair, projectId: 'nobody' })
      const noAgent = () => store.run<typeof pair, unknown>(useCase, { ...pair, agentId: 'nobody' })
      const pair = { projectId, agentId, by }
      expect(await refused(store, noProject)).toMatchObject({ code: 'not_found' })
      expect(await refused(store, noAgent)).toMatchObject({ code: 'agent_not_found' })
    }
  })

  test('[HT2] deleting a project or an agent takes its assignments with it', async () => {
    const { store } = await open()
    const [kept, gone] = [
      await store.run(createProject, { name: 'kept', by }),
      await store.run(createProject, { name: 'gone', by }),
    ]
    for (const id of ['stays', 'leaves']) {
      await store.run(createAgent, { id, name: id, protocol: 'acp', by })
      for (const { id: projectId } of [kept, gone])
        await store.run(assignAgent, { projectId, agentId: id, by })
    }
    await store.run(deleteProject, { projectId: gone.id, by })
    await store.run(deleteAgent, { agentId: 'leaves', by })
    expect((await store.query(getProject, { projectId: kept.id })).agentIds).toEqual(['stays'])
    expect((await store.query(getAgent, { agentId: 'stays' })).projectIds).toEqual([kept.id])
    expect(await refused(store, () => store.query(getAgent, { agentId: 'leaves' }))).toMatchObject({
      code: 'agent_not_found',
    })
    expect(
      await refused(store, () => store.run(deleteAgent, { agentId: 'leaves', by })),
    ).toMatchObject({
      code: 'agent_not_found',
    })
    expect((await eventsOf(store, 'home')).at(-1)).toEqual({
      type: 'agent-deleted',
      data: { agentId: 'leaves', by },
    })
  })
})
