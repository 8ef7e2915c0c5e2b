/** Sessions of agents that pull: a process that was started for one serves it, and no other. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getConversation } from '../../../src/services/conversations/queries.ts'
import { beginThread } from '../../../src/services/flows/conversations/begin-thread.ts'
import { promptSession } from '../../../src/services/flows/conversations/prompt-session.ts'
import { answerChat } from '../../../src/services/flows/messages/answer-chat.ts'
import { handOverMessages } from '../../../src/services/flows/messages/hand-over-messages.ts'
import { changeProject } from '../../../src/services/projects/change-project.ts'
import { readSince } from '../../../src/services/turns/read-since.ts'
import { answeredBy } from '../../../src/store/conversations/unread.ts'
import { openTestStore } from '../../support/store.ts'
import { openPad, ordered, type Said } from '../processes/launch-pad.ts'
import { by } from '../projects/installation.ts'
import { planOf } from '../work/query-plan.ts'

async function open() {
  const { store, clock } = await openTestStore()
  const pad = await openPad(store, clock)
  const { projectId, agentId } = pad
  const begin = (content: string) => store.run(beginThread, { projectId, agentId, content, by })
  const order = async (lane: string) => {
    const process = await pad.launches.order({ projectId, agentId, lane })
    if (!process) throw new Error('nothing was ordered')
    return process.launchId
  }
  /** A process of a lane that has signed in, and what it is handed. */
  const serve = async (launchId: string) => {
    const { launchToken } = await pad.coordinator.start(launchId)
    const signedIn = await pad.signInAs(launchToken)
    if (signedIn.status !== 'ok') throw new Error('there was no work')
    const { id: agentSessionId, conversationKey } = signedIn.agentSession
    const caller = { agentId, projectId, agentSessionId }
    return { caller, conversationKey, messages: await store.run(handOverMessages, caller) }
  }
  return { store, pad, begin, order, serve, projectId, agentId }
}

const textsOf = ({ messages }: { messages: readonly { content: string }[] }) =>
  messages.map(({ content }) => content)

test('[SN10] two threads and the common process of an agent are handed their own messages', async () => {
  const { pad, begin, order, serve } = await open()
  const { key: one } = await begin('one')
  const { key: other } = await begin('other')
  await pad.say('common')
  const inOne = await serve(await order(one))
  const inOther = await serve(await order(other))
  const inCommon = await serve((await ordered(pad)).launchId)
  expect([inOne, inOther, inCommon].map(({ conversationKey }) => conversationKey)).toEqual([
    one,
    other,
    undefined,
  ])
  expect([inOne, inOther, inCommon].map(({ messages }) => textsOf(messages))).toEqual([
    ['one'],
    ['other'],
    ['common'],
  ])
})

test('[SN10] a process that signs in with its passkey and its launch id serves its thread', async () => {
  const { store, pad, begin, order, projectId, agentId } = await open()
  const { key } = await begin('one')
  await pad.say('common')
  const launchId = await order(key)
  await pad.coordinator.start(launchId)
  const signedIn = await pad.signIn(agentId, launchId)
  expect(signedIn.agentSession.conversationKey).toBe(key)
  const handed = await store.run(handOverMessages, {
    agentId,
    projectId,
    agentSessionId: signedIn.agentSession.id,
  })
  expect(textsOf(handed)).toEqual(['one'])
  // Without naming one it is a common process.
  const common = await pad.signIn(agentId)
  expect(common.agentSession.conversationKey).toBeUndefined()
})

test('[SN10] nothing is ordered twice for a thread, and its messages start no common process', async () => {
  const { pad, begin, order, serve, projectId, agentId } = await open()
  const { key } = await begin('one')
  expect(await pad.order()).toBeNull()
  const launchId = await order(key)
  expect(await pad.launches.order({ projectId, agentId, lane: key })).toBeNull()
  await serve(launchId)
  expect(await pad.launches.order({ projectId, agentId, lane: key })).toBeNull()
})

test('[SN10] the process of a session is started in its place, by a coordinator that can make one', async () => {
  const { store, pad, order, projectId, agentId } = await open()
  await store.run(changeProject, { projectId, path: '/srv/repository', by })
  const begun = { projectId, agentId, content: 'one', workplace: 'worktree', by } as const
  const { key, workplace } = await store.run(beginThread, begun)
  expect(workplace).toMatchObject({ kind: 'worktree', folder: null })
  const launchId = await order(key)
  // One of the build before says so, and nothing runs in a person's folder.
  await expect(pad.coordinator.take(launchId)).rejects.toMatchObject({ code: 'launch_withdrawn' })
  expect(await pad.process(launchId)).toMatchObject({
    state: 'ended',
    detail: expect.stringContaining('earlier build'),
  })
  pad.coordinator.about = { threads: true }
  await pad.coordinator.register('anew')
  const again = await order(key)
  const particulars = await pad.coordinator.start(again)
  expect(particulars).toMatchObject({
    acp: null,
    folder: '/srv/repository',
    workspace: { userSessionShort: 'chat', path: null, orFolder: true },
  })
  const folder = '/srv/worktrees/chat/one'
  const made = { type: 'workspace-made', launchId: again, kind: 'worktree', folder, top: folder }
  const tree = { branch: 'holdfast/chat/one', baseBranch: 'main', note: null, setUp: null }
  await pad.coordinator.tell({ ...made, ...tree } as Said)
  expect((await store.query(getConversation, { key })).workplace).toMatchObject({
    kind: 'worktree',
    folder,
    branch: 'holdfast/chat/one',
  })
})

test('[SN25] the prompt of a turn that was pulled is its messages, also when it is over', async () => {
  const { store, begin, order, serve } = await open()
  const { key } = await begin('mend the gate')
  const said = { key, content: 'and paint it', by, scopes: ['write'] } as const
  await store.run(promptSession, said)
  const { caller } = await serve(await order(key))
  const turns = async () => (await store.query(readSince, { key })).turns.map(({ turn }) => turn)
  const content = [{ type: 'text', text: 'mend the gate\n\nand paint it' }]
  expect(await turns()).toMatchObject([{ state: 'running', content }])
  await store.run(promptSession, { ...said, content: 'is it dry?' })
  expect(await turns()).toMatchObject([{ content }])
  await store.run(answerChat, { ...caller, content: 'done' })
  expect(await turns()).toMatchObject([{ state: 'answered', content, text: 'done' }])
})

test('[SN25] the messages that a turn has answered are found by an index', async () => {
  const { folder } = await openTestStore()
  const plan = await planOf(join(folder, 'holdfast.db'), (reader) => answeredBy(reader, 'turn'))
  expect(plan).toEqual(['SEARCH messages USING INDEX messages_of_turn (turn_id=?)'])
})
