/**
 * SE28: person × what is Ann's own × way in. The ways are those of the OpenAPI document, the kinds
 * of streams, the relay's messages, the MCP tools and resources; what others get by each follows
 * from its declaration (classes.ts). Whatever that is, nothing that a read answers may have Ann's
 * word in it.
 */
import { expect, test } from 'vitest'
import type { StreamKind, streamKinds } from '../../../src/domain/stream-name.ts'
import { listedTools } from '../../../src/doors/mcp/tool-list.ts'
import { type Routes, routes } from '../../../src/protocol/routes.ts'
import { followEvents, openSocket } from '../../support/feed-clients.ts'
import { connectMcp } from '../../support/mcp.ts'
import { heard, openOthersConsole, type Person } from '../../support/others-console.ts'
import { classOf, isShared, relayTypesAboutOnes, toolAnswer } from './classes.ts'
import { leaks, type Scene, throughOwnAgents } from './own-agents.ts'

interface Operation {
  readonly name: keyof Routes
  readonly method: string
  readonly path: string
  readonly parameters: readonly { name: string; in: string }[]
}

async function operationsOf({ server }: Scene): Promise<Operation[]> {
  const { paths } = (await server.ask('/api/openapi.json')).json as {
    paths: Record<
      string,
      Record<string, { operationId: keyof Routes; parameters: Operation['parameters'] }>
    >
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters }]) => ({
      name: operationId,
      method: method.toUpperCase(),
      path,
      parameters,
    })),
  )
}

/** Each way to fill in the names of a path with what is Ann's. */
function fillings(scene: Scene): Record<string, readonly (string | number)[]> {
  const {
    projectId,
    userSessionId,
    key,
    forkKey,
    worktreeId,
    workSessionId,
    launchId,
    turnId,
    toolCallId,
    day,
  } = scene
  return {
    projectId: [projectId],
    userSessionId: [userSessionId],
    worktreeId: [worktreeId],
    launchId: [launchId],
    key: [key, forkKey],
    workSessionId: [workSessionId],
    turnId: [turnId],
    toolCallId: [toolCallId],
    approvalId: [scene.approvalId, scene.decidedId],
    questionId: [scene.questionId],
    day: [day],
    seq: [1],
    role: ['auth'],
    agentId: ['coder'],
    agent: ['claude'],
    channel: ['telegram'],
    name: ['none'],
    taskId: ['none'],
    personId: ['none'],
    userId: ['none'],
    tokenId: ['none'],
    coordinatorId: [scene.machine.id],
    chatId: ['none'],
    commentId: ['none'],
    approachId: ['none'],
    allowanceId: ['none'],
  }
}

function pathsOf(scene: Scene, { path, parameters }: Operation): string[] {
  const filled = fillings(scene)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  let paths = [path]
  for (const name of names) {
    const values = filled[name]
    if (!values) throw new Error(`nothing is known to stand for {${name}}`)
    paths = paths.flatMap((each) =>
      values.map((value) => each.replace(`{${name}}`, encodeURIComponent(value))),
    )
  }
  // As much as can be asked for.
  const query = new URLSearchParams()
  const asked = {
    q: scene.word,
    streams: scene.streams.join(),
    titles: true,
    removed: true,
    hidden: true,
    items: true,
    ended: true,
  }
  for (const { name } of parameters.filter((each) => each.in === 'query'))
    if (Object.hasOwn(asked, name)) query.set(name, String(asked[name as keyof typeof asked]))
  return paths.map((each) => (query.size > 0 ? `${each}?${query}` : each))
}

/** What the routes of others' things are asked with: it would be taken, were it one's own. */
const bodies: Partial<Record<keyof Routes, object>> = {
  spawnAgent: { role: 'other' },
  promptRole: { content: 'hello' },
  mergeWorktree: { branch: 'main' },
  changeConversation: { title: 'mine' },
  markSeen: { seq: 1 },
  addMessage: { role: 'user', content: 'hello' },
  setHistory: { messages: [] },
  setConversationSummary: { summary: 'none' },
  truncateHistory: { keepLast: 1 },
  importConversation: { messages: [] },
  rewindToTurn: { to: 'before' },
  addComment: { file: 'a', side: 'new', line: 1, text: 'why?' },
  changeComment: { text: 'why?' },
  setViewed: { file: 'a', viewed: true },
  setReviewed: { to: 'a'.repeat(40) },
  setConversationOption: { modeId: 'any' },
  setFlags: {},
  decideApproval: { status: 'approved' },
  decideApprovalByNumber: { status: 'approved' },
  answerQuestion: { action: 'decline' },
  goOnInConversation: { goOn: true },
  moveMessage: { now: true },
  continueWithAgent: { agentId: 'critic' },
}

/** Questions to a machine, which the scene does not answer. */
const asksMachine = new Set([
  'getWorktree',
  'getWorktreeDiff',
  'getWorktreePatch',
  'getWorktreeLosses',
  'findFiles',
  'getTurnDiff',
  'getReview',
  'planLanding',
])

async function throughRest(scene: Scene, operations: readonly Operation[]): Promise<string[]> {
  const wrong: string[] = []
  for (const operation of operations) {
    const { name, method } = operation
    const kind = classOf(name)
    if (kind === 'changes' || kind === 'streams') continue
    for (const path of pathsOf(scene, operation)) {
      const body = method === 'GET' ? {} : { body: bodies[name] ?? {} }
      const asked = { method, ...(method === 'DELETE' ? {} : body) }
      const answers = scene.others.map(async ({ name: who, token }) => ({
        who,
        ...(await scene.server.ask(path, { ...asked, token })),
      }))
      for (const { who, status, text, json } of await Promise.all(answers)) {
        const isRight = {
          own: status === 404 || json?.code === 'missing_scope',
          seen: status === 200 || json?.scope === 'person',
          elsewhere: [403, 404, 409].includes(status),
        }
        if (!(isRight[kind as keyof typeof isRight] ?? status === 403))
          wrong.push(`${who}: ${name} ${path} ${status} ${text}`)
        if (status < 300)
          for (const secret of leaks(scene, text))
            wrong.push(`${who}: ${name} ${path} tells ${secret}`)
      }
    }
  }
  return wrong
}

/** Ann and the owner get it all, so that the word is where it is looked for. */
async function controls(scene: Scene, operations: readonly Operation[]): Promise<string[]> {
  const wrong: string[] = []
  for (const [who, token] of [
    ['Ann', scene.ann.token],
    ['owner', scene.server.ownerToken],
  ] as const) {
    for (const operation of operations) {
      const kind = classOf(operation.name)
      if (
        operation.method !== 'GET' ||
        (kind !== 'own' && kind !== 'seen') ||
        asksMachine.has(operation.name)
      )
        continue
      const answers = await Promise.all(
        pathsOf(scene, operation).map((path) => scene.server.ask(path, { token })),
      )
      if (!answers.some(({ status }) => status === 200))
        wrong.push(
          `${who}: ${operation.name} ${answers.map(({ status, text }) => `${status} ${text.slice(0, 200)}`)}`,
        )
    }
    const project = `/api/projects/${scene.projectId}`
    const lists = ['approvals', 'allowances', 'worktrees', `sessions/${scene.workSessionId}`].map(
      (each) => `${project}/${each}`,
    )
    const key = encodeURIComponent(scene.key)
    const more = [
      `processes/${scene.launchId}`,
      'conversations',
      `conversations/${key}/turns?items=true`,
      'user-sessions',
    ]
    for (const path of [
      ...lists,
      ...more.map((each) => `/api/${each}`),
      `/api/search?q=${scene.word}`,
    ]) {
      const { text } = await scene.server.ask(path, { token })
      if (!text.includes(scene.word)) wrong.push(`${who}: ${path} does not show it: ${text}`)
    }
    const replay = await followEvents({
      port: scene.server.port,
      token,
      streams: scene.streams.join(),
      after: scene.start,
    })
    await heard(replay, 'project-changed', `project:${scene.projectId}`)
    for (const secret of [scene.word, scene.userSessionId, scene.worktreeId])
      if (!replay.text().includes(secret)) wrong.push(`${who}: events do not tell ${secret}`)
  }
  return wrong
}

const streamsOf = (scene: Scene): Record<(typeof streamKinds)[number], readonly string[]> => ({
  home: ['home'],
  project: [`project:${scene.projectId}`],
  conversation: [
    scene.key,
    scene.forkKey,
    `console:${scene.userSessionId}.none`,
    'work:none.coder',
  ].map((key) => `conversation:${key}`),
  turns: [scene.key, scene.forkKey, `console:${scene.userSessionId}.none`, 'fork:none'].map(
    (key) => `turns:${key}`,
  ),
  'user-session': [`user-session:${scene.userSessionId}`],
  coordinator: [`coordinator:${scene.machine.id}`],
  note: [`note:${scene.day}`],
})

/**
 * As snapshots, as events from the beginning, over a WebSocket; and what those heard who listened
 * all the time.
 */
async function throughStreams(scene: Scene): Promise<string[]> {
  const wrong: string[] = []
  const { server, others, watching, start } = scene
  for (const { who, text } of watching) {
    if (!text().includes('Write hello.txt'))
      wrong.push(`${who}: the title and the state are not told`)
    for (const secret of leaks(scene, text())) wrong.push(`${who}: tells ${secret}`)
  }
  for (const { name: who, token } of others) {
    const socket = await openSocket({ port: server.port, token })
    for (const [kind, streams] of Object.entries(streamsOf(scene))) {
      for (const stream of streams) {
        const asked = encodeURIComponent(stream)
        const statuses = [(await server.ask(`/api/snapshot?streams=${asked}`, { token })).status]
        const replay = await followEvents({
          port: server.port,
          token,
          streams: stream,
          after: start,
        })
        statuses.push(replay.status)
        socket.send({ type: 'subscribe', streams: [stream], after: start, requestId: stream })
        statuses.push(
          (await socket.inbox.next(({ requestId }) => requestId === stream)).code === 'not_found'
            ? 404
            : 200,
        )
        const expected = isShared(kind as StreamKind) ? 200 : 404
        if (statuses.some((status) => status !== expected))
          wrong.push(`${who}: ${stream} ${statuses}`)
        if (kind === 'project') await heard(replay, 'project-changed', stream)
        // A refusal names what was asked for.
        const answered = replay.status === 200 ? replay.text() : ''
        for (const secret of leaks(scene, answered)) wrong.push(`${who}: ${stream} tells ${secret}`)
      }
    }
    const isLast = ({ event }: { event?: { type: string; stream: string } }) =>
      event?.type === 'project-changed' && event.stream.startsWith('project:')
    await socket.inbox.until(() => socket.inbox.all.some(isLast))
    const answered = JSON.stringify(socket.inbox.all.filter(({ type }) => type !== 'error'))
    for (const secret of leaks(scene, answered))
      wrong.push(`${who}: over a WebSocket tells ${secret}`)
  }
  return wrong
}

async function throughRelay(scene: Scene): Promise<string[]> {
  const about = { ['sessionId']: scene.userSessionId, role: 'auth' }
  const more = {
    messageId: scene.turnId,
    change: { modeId: 'm' },
    goOn: true,
    outcome: 'allowed',
    action: 'decline',
    approvalId: scene.approvalId,
    questionId: scene.questionId,
    lastSeq: 0,
  }
  const wrong: string[] = []
  for (const { name: who, token } of scene.others) {
    const socket = await openSocket({ port: scene.server.port, token })
    for (const type of relayTypesAboutOnes) {
      const content = type === 'agent:message' ? { content: 'hi' } : {}
      socket.send({ type, ...about, ...more, ...content, requestId: type })
      const answer = await socket.inbox.next(({ requestId }) => requestId === type)
      if (answer.code !== 'user_session_not_found' && answer.code !== 'missing_scope')
        wrong.push(`${who}: ${type} ${answer.code}`)
    }
  }
  return wrong
}

/** The same agent at work for Bob, and people's own tokens. */
async function throughMcp(scene: Scene): Promise<string[]> {
  const wrong: string[] = []
  const agent = await connectMcp(scene.server.url, scene.launchToken)
  const values = {
    approval_id: scene.approvalId,
    agent_id: 'coder',
    project_id: scene.projectId,
    remaining_processes: 0,
    checkpoint_type: 'plan',
    path: '/none',
    folder: '/none',
    content: 'hi',
    summary: 'hi',
    through_seq: 1,
    flags: {},
    to_agent_id: 'critic',
    task_id: 'none',
    kind: 'failed',
    description: 'none',
    day: scene.day,
    q: scene.word,
  }
  const offered = new Set((await agent.client.listTools()).tools.map(({ name }) => name))
  for (const { name, inputSchema } of listedTools()) {
    const known = Object.entries(values).filter(([arg]) =>
      Object.hasOwn(inputSchema['properties'] as object, arg),
    )
    const { structuredContent, isError } = await agent.client.callTool({
      name,
      arguments: Object.fromEntries(known),
    })
    const answered = JSON.stringify(structuredContent)
    const code = isError ? (structuredContent as { code: string }).code : undefined
    const expected = offered.has(name) ? toolAnswer(name) : 'missing_scope'
    if (expected !== 'its own' && code !== expected) wrong.push(`${name}: ${answered}`)
    if (!isError) for (const secret of leaks(scene, answered)) wrong.push(`${name} tells ${secret}`)
  }
  for (const token of [scene.launchToken, ...scene.others.map((each: Person) => each.token)]) {
    const { client } = await connectMcp(scene.server.url, token)
    for (const { uri } of (await client.listResources()).resources) {
      const answered = JSON.stringify(await client.readResource({ uri }))
      for (const secret of leaks(scene, answered)) wrong.push(`${uri} tells ${secret}`)
    }
  }
  return wrong
}

test('[SE28] 0 leaks: nobody else sees more than title and state by any way in', async () => {
  const scene = await openOthersConsole()
  const operations = await operationsOf(scene)
  expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(routes).toSorted())
  expect([...new Set(operations.map(({ name }) => classOf(name)))].toSorted()).toEqual([
    ...['changes', 'elsewhere', 'managed', 'own', 'seen', 'streams'],
  ])
  expect(await controls(scene, operations)).toEqual([])
  const ways = [
    await throughRest(scene, operations),
    await throughStreams(scene),
    await throughRelay(scene),
    await throughMcp(scene),
    await throughOwnAgents(scene),
  ]
  expect(ways.flat()).toEqual([])
})
