/**
 * Two people, a viewer and a script in one project, and all that a console leaves behind: its
 * permission and question, output, crash, worktree, file states and fork. What is Ann's own has the
 * word `zebra` in it; the machine is played. Others follow from before the beginning.
 */
import { exited, type Said, started } from '../services/processes/launch-pad.ts'
import { type EventClient, followEvents, type SocketClient } from './feed-clients.ts'
import {
  asks,
  openConsole,
  question,
  questions,
  readyAgent,
  said,
  turnEnded,
  update,
} from './relay.ts'
import { temporaryFolder } from './temporary-folder.ts'

const word = 'zebra'
const tree = (n: number): string => String(n).repeat(40)
const files = (n: number) => ({
  top: `/w/${word}`,
  state: { tree: tree(n), leftOut: null, head: tree(9) },
  leftOut: [],
})

/** Streams catch up one after the other. */
export const heard = ({ inbox }: EventClient, event: string, stream: string) =>
  inbox.next((message) => message.event === event && message.data.stream === stream)

export interface Person {
  readonly name: string
  readonly token: string
}

export async function openOthersConsole() {
  const room = await openConsole()
  const { server, projectId } = room
  const post = async (path: string, body: object, token = server.ownerToken) => {
    const answer = await server.ask(path, { method: 'POST', body, token })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
    return answer.json
  }
  const person = async (name: string, role: string): Promise<Person> => ({
    name,
    token: (await post('/api/people', { name, role })).token,
  })
  const ann = await person('Ann', 'member')
  const bob = await person('Bob', 'member')
  const vi = await person('Vi', 'viewer')
  const scopes = ['read', 'write', 'approve']
  const script = {
    name: 'script',
    token: (await post('/api/tokens', { name: 'script', kind: 'script', scopes })).token,
  }
  const others = [bob, vi, script]
  await server.ask(`/api/projects/${projectId}`, {
    method: 'PATCH',
    body: { path: temporaryFolder() },
  })
  const machine = await room.machine()

  const streams = ['home', `project:${projectId}`]
  const start = (await server.ask(`/api/snapshot?streams=${streams}`)).json.cursor as string
  const follow = (token: string): Promise<EventClient> =>
    followEvents({ port: server.port, token, streams: streams.join(), after: start })
  const watching: {
    who: string
    text: () => string
    saw(event: string, stream: string): Promise<unknown>
  }[] = []
  for (const { name, token } of others) {
    const [sse, socket] = [await follow(token), await room.client(token)]
    await socket.subscribe(streams)
    const inbox = socket.inbox
    watching.push({
      who: `${name} by events`,
      text: sse.text,
      saw: (event, stream) => heard(sse, event, stream),
    })
    const saw = (event: string, stream: string) =>
      inbox.next((message) => message.event?.type === event && message.event.stream === stream)
    watching.push({ who: `${name} by WebSocket`, text: () => JSON.stringify(inbox.all), saw })
  }

  const client = await room.client(ann.token)
  const inside = await room.created(client)
  const spawn = async (
    on: SocketClient,
    about: { sessionId: string },
    role: string,
    where: string,
  ) => {
    on.send({ type: 'agent:spawn', ...about, role, agentId: 'coder' })
    const { launchId } = await machine.order('launch-begun')
    const { launchToken } = machine.particulars(launchId)
    const made = {
      kind: 'worktree',
      folder: `/w/${where}`,
      top: `/w/${where}`,
      branch: `holdfast/${where}/${role}`,
    } as const
    await machine.tell(
      { type: 'workspace-made', launchId, ...made, baseBranch: 'main', note: null, setUp: null },
      started(launchId),
      { type: 'process-output', launchId, text: `${where} on stderr\n` },
      readyAgent(launchId),
    )
    return { launchId, launchToken: launchToken as string }
  }
  const { launchId } = await spawn(client, inside, 'auth', word)
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: `${word} to write` })
  const first = await machine.turn()
  const call = {
    ...question().call,
    input: JSON.stringify({ path: `${word}.txt` }),
    content: [
      {
        type: 'diff' as const,
        path: `/w/${word}.txt`,
        oldText: null,
        newText: `${word} in a diff`,
      },
    ],
  }
  const request = { ...question(), call }
  const tool = { ...call, output: `${word} of a tool`, status: 'completed' as const }
  await machine.tell(
    { type: 'turn-files', launchId, turnId: first.turnId, before: files(1) } as Said,
    said(launchId, first.turnId, `I wrote ${word}`),
    asks(launchId, first.turnId, 'a1', request),
  )
  const asked = await client.next('permission:requested')
  const always = { scope: 'request', expiresInMinutes: 60 }
  client.send({
    type: 'permission:answer',
    ...inside,
    approvalId: asked.approvalId,
    outcome: 'allowed',
    always,
  })
  await client.next('permission:resolved')
  await machine.tell(update(launchId, first.turnId, { kind: 'tool', call: tool }), {
    ...turnEnded(launchId, first.turnId),
    files: { ...files(2), changes: null },
  } as Said)
  await client.next('agent:response')

  const key = `console:${inside.sessionId}.auth`
  const path = `/api/conversations/${encodeURIComponent(key)}`
  const forking = post(`${path}/turns/${first.turnId}/fork`, {}, ann.token)
  const { questionId } = await machine.order('question-asked')
  const top = `/w/${word}-fork`
  const value = { folder: top, top, branch: `holdfast/${word}/fork`, baseBranch: 'main' }
  const text = JSON.stringify({ ok: true, value })
  await machine.tell({ type: 'question-answered', questionId, part: 0, text, last: true })
  const forkKey = (await forking).conversation as string

  // A turn that goes on, with a permission and a question that wait.
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: `${word} once more` })
  const second = await machine.turn()
  const form = { message: 'Which colour?', schema: null, url: `https://example.com/${word}` }
  const other = { ...request, likeness: 'c'.repeat(64), call: { ...call, input: `${word} twice` } }
  await machine.tell(
    asks(launchId, second.turnId, 'a2', other),
    questions(launchId, second.turnId, 'a3', form),
  )
  const pending = await client.next('permission:requested')
  const open = await client.next('question:requested')

  // Another role, which breaks.
  const broken = await spawn(client, inside, 'broken', `${word}-broken`)
  await machine.tell(exited(broken.launchId, { exitCode: 3 }))

  // Bob's own console, with the same agent.
  const bobs = await room.client(bob.token)
  const bobsConsole = await room.created(bobs)
  const { launchToken } = await spawn(bobs, bobsConsole, 'auth', 'horse')

  const own = async (route: string) => (await server.ask(route, { token: ann.token })).json
  const worktreeId = (await own(`/api/projects/${projectId}/worktrees?role=auth`)).items[0]
    .id as string
  const { workSessionId } = (await own(`/api/user-sessions/${inside.sessionId}`)).agents[0]
  const [day] = (await own(`${path}/chapters`)).items
  // Everybody has heard everything when they have heard this.
  await server.ask(`/api/projects/${projectId}`, {
    method: 'PATCH',
    body: { name: 'the last of it' },
  })
  for (const { saw } of watching) await saw('project-changed', `project:${projectId}`)
  return {
    room,
    server,
    projectId,
    ann,
    bob,
    vi,
    script,
    others,
    machine,
    watching,
    follow,
    streams,
    start,
    launchToken,
    word,
    userSessionId: inside.sessionId,
    key,
    forkKey,
    worktreeId,
    workSessionId,
    launchId,
    day: day?.day as string,
    turnId: first.turnId,
    toolCallId: call.toolCallId,
    decidedId: asked.approvalId,
    approvalId: pending.approvalId,
    questionId: open.questionId as number,
  }
}
