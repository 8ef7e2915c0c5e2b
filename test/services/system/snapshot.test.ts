import { describe, expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { conversationStream, projectStream } from '../../../src/domain/stream-name.ts'
import {
  type ConversationState,
  type HomeState,
  snapshotListLimit,
  snapshotMessageLimit,
} from '../../../src/protocol/snapshot.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { getAgent } from '../../../src/services/agents/queries.ts'
import { getOrCreateConversation } from '../../../src/services/conversations/change-conversation.ts'
import { getConversation } from '../../../src/services/conversations/queries.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { assignAgent, createProject } from '../../../src/services/projects/change-project.ts'
import { getProject } from '../../../src/services/projects/queries.ts'
import { readSnapshot } from '../../../src/services/system/read-snapshot.ts'
import { sealedEnvironment } from '../../support/seals.ts'
import { openOffice } from '../agent-sessions/agent-office.ts'
import { by, open } from '../projects/installation.ts'

describe('snapshots', () => {
  test('[HT6] the state of home and of a project, with the positions they stand for', async () => {
    const { store } = await open()
    const { id: projectId } = await store.run(createProject, { name: 'p', by })
    const { id: other } = await store.run(createProject, { name: 'q', by })
    const { id: agentId } = await store.run(createAgent, {
      name: 'a',
      protocol: 'acp',
      env: sealedEnvironment({ KEY: 'secret-value' }),
      by,
    })
    await store.run(createAgent, { name: 'idle', protocol: 'mcp', by })
    for (const id of [projectId, other])
      await store.run(assignAgent, { projectId: id, agentId, by })
    const snapshot = await store.query(readSnapshot, {
      streams: ['home', projectStream(projectId)],
    })
    const project = await store.query(getProject, { projectId })
    const agent = await store.query(getAgent, { agentId })
    expect(agent.projectIds).toEqual([projectId, other].sort())
    expect(snapshot.positions).toEqual(await store.positions(['home', projectStream(projectId)]))
    expect(snapshot.state[projectStream(projectId)]).toEqual({
      project,
      agents: [agent],
      workSessions: [],
      tasks: [],
      pendingApprovals: 0,
    })
    const home = snapshot.state['home'] as HomeState
    expect(home.projects).toContainEqual(project)
    expect(home.agents.map(({ id }) => id).sort()).toEqual([agentId, 'idle'])
    expect(JSON.stringify(snapshot)).not.toContain('secret-value')
  })

  test('[HT6] the state of a conversation is itself and its newest messages', async () => {
    const { store } = await open()
    const key = 'telegram:1'
    const stream = conversationStream(key)
    await store.run(getOrCreateConversation, { key })
    for (let n = 0; n < 60; n++)
      await store.run(addMessage, { key, role: 'user', content: `m${n}`, by })
    const { positions, state } = await store.query(readSnapshot, { streams: [stream] })
    const { conversation, messages } = state[stream] as ConversationState
    // The route adds figures of its turns, which no event of this stream changes.
    expect(await store.query(getConversation, { key })).toMatchObject(conversation ?? {})
    expect(conversation).toMatchObject({ key, messageCount: 60 })
    expect(messages.map(({ content }) => content)).toEqual(
      Array.from({ length: snapshotMessageLimit }, (_, n) => `m${59 - n}`),
    )
    expect(positions).toEqual([{ head: messages[0]?.seq, floor: 0 }])
  })

  test('[CH9] the state of a chat says what its agent has been handed and has not answered, while that lives', async () => {
    const { store, clock } = await open()
    const office = await openOffice(store, clock)
    const stream = conversationStream(webKey(office.projectId, office.agentId))
    const handedOver = async () => {
      const { state } = await store.query(readSnapshot, { streams: [stream] })
      return (state[stream] as ConversationState).handedOver
    }
    await office.say('one')
    await office.say('two')
    const signed = await office.signIn()
    expect(await handedOver()).toEqual([])
    const handed = (await office.handOver(signed)).map(({ seq }) => seq)
    await office.say('three')
    expect(handed).toHaveLength(2)
    expect(await handedOver()).toEqual(handed)
    await office.answer(signed, 'done')
    expect(await handedOver()).toEqual([])
    await office.handOver(signed)
    expect(await handedOver()).toHaveLength(1)
    await office.calls.logout(signed)
    expect(await handedOver()).toEqual([])
  })

  test('[HT6] a project or conversation that is deleted or never was has no state, and other streams have none yet', async () => {
    const { store } = await open()
    const { id: projectId } = await store.run(createProject, { name: 'p', by })
    await store.run(deleteProject, { projectId, by })
    const nothing = { project: null, agents: [], workSessions: [], tasks: [], pendingApprovals: 0 }
    const streams = [
      projectStream(projectId),
      'project:never',
      'conversation:web:x',
      'user-session:x',
    ] as const
    expect(await store.query(readSnapshot, { streams })).toEqual({
      positions: [
        { head: 2, floor: 0 },
        { head: 0, floor: 0 },
        { head: 0, floor: 0 },
        { head: 0, floor: 0 },
      ],
      state: {
        [projectStream(projectId)]: nothing,
        'project:never': nothing,
        'conversation:web:x': {
          conversation: null,
          messages: [],
          handedOver: [],
          waiting: [],
          limit: null,
        },
        'user-session:x': { userSession: null, turns: [] },
      },
    })
  })

  test('[HT6] lists in a snapshot are bounded, the newest first', async () => {
    const { store, clock } = await open()
    for (let n = 0; n <= snapshotListLimit; n++) {
      clock.advance(1)
      await store.run(createProject, { name: `p${n}`, by })
    }
    const { state } = await store.query(readSnapshot, { streams: ['home'] })
    const { projects } = state['home'] as HomeState
    expect(projects).toHaveLength(snapshotListLimit)
    expect(projects[0]?.name).toBe(`p${snapshotListLimit}`)
  })

  test('[HT6] state and position are of the same moment, whatever is written meanwhile', async () => {
    const { store } = await open()
    const seen = new Set<number>()
    const writing = Array.from({ length: 40 }, (_, n) =>
      store.run(createProject, { name: `p${n}`, by }),
    )
    while (!seen.has(writing.length)) {
      const { positions, state } = await store.query(readSnapshot, { streams: ['home'] })
      const head = positions[0]?.head ?? -1
      expect((state['home'] as HomeState).projects.length).toBe(head)
      seen.add(head)
    }
    await Promise.all(writing)
  })
})
