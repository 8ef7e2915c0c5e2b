/**
 * RE10: data folders of earlier builds. The last build of each form of the database makes one, over
 * HTTP; today's opens it, looks through it, reads what was written and goes on. Afterwards the
 * build that made it refuses it, in words, and changes nothing.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pieceOf } from './build.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { checkOut, type EarlierForm } from './version-before.ts'

const run = promisify(execFile)
const token = 'a-token-that-all-builds-are-given-0123456789'

export interface EarlierBuildOptions {
  /** What the folders are opened with. */
  readonly build: string
  readonly forms: readonly EarlierForm[]
  /** PostgreSQL: an empty database. SQLite in the folder when left out. */
  readonly newUrl?: () => Promise<string>
}

export async function upgradedFolders({
  build,
  forms,
  newUrl,
}: EarlierBuildOptions): Promise<Tally> {
  const tally = newTally()
  for (const { version, commit } of forms) {
    const before = await checkOut(commit)
    const data = await mkdtemp(join(tmpdir(), 'holdfast-earlier-'))
    const env: Record<string, string> = {
      HOLDFAST_TOKEN: token,
      ...(newUrl && { DATABASE_URL: await newUrl() }),
    }
    try {
      const projectId = await working(before.folder, data, env, fill)
      const torn = [
        ...(await working(build, data, env, (ask) => use(ask, projectId, version))),
        ...(await looksThrough(build, data, env)),
        ...(await refuses(before.folder, data, env)),
      ]
      addTo(tally, { ...noFindings(), torn }, `a folder of ${commit}, schema version ${version}`)
    } finally {
      await rm(data, { recursive: true, force: true })
      await before.remove()
    }
  }
  return tally
}

type Ask = (
  path: string,
  body?: unknown,
  method?: string,
) => Promise<{ status: number; json: Json }>
// biome-ignore lint/suspicious/noExplicitAny: it reads whatever a build answers
type Json = any

/** Starts a build, does something with it, and stops it as a person does. */
export async function working<T>(
  build: string,
  data: string,
  env: Readonly<Record<string, string>>,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const server = await startServer(build, data, 0, env)
  try {
    const { url } = await server.ready
    return await work(async (path, body, method = body === undefined ? 'GET' : 'POST') => {
      const headers = {
        authorization: `Bearer ${env['HOLDFAST_TOKEN']}`,
        'content-type': 'application/json',
      }
      const answer = await fetch(url + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, json: text === '' ? null : JSON.parse(text) }
    })
  } finally {
    await stopped(server)
  }
}

async function stopped({ child, exited }: ServerProcess): Promise<void> {
  child.kill('SIGTERM')
  await exited
}

/** Some of everything that a build has a route for; the first ones had few. */
export async function fill(ask: Ask): Promise<string> {
  const { json: project } = await ask('/api/projects', { name: 'alpha', path: null })
  const inside = `/api/projects/${project.id}`
  await ask(inside, { settings: { 'chat.soft_timeout_minutes': 8 } }, 'PATCH')
  for (const [id, protocol] of [
    ['ann', 'mcp'],
    ['bob', 'acp'],
  ] as const) {
    await ask('/api/agents', { id, name: id, protocol, command: 'true', env: { A: 'b' } })
    await ask(`${inside}/agents/${id}`, {}, 'PUT')
  }
  await ask('/api/people', { name: 'Bo', role: 'member' })
  await ask('/api/tokens', { name: 'script', kind: 'script', scopes: ['read'] })
  await ask('/api/chat', {
    projectId: project.id,
    toAgentId: 'ann',
    content: 'hello from before 承認',
  })
  await ask(`${inside}/tasks`, {
    phase: 1,
    type: 'code',
    title: 'Jump',
    description: 'High',
    assignedTo: 'ann',
  })
  const conversation = encodeURIComponent('test:before')
  await ask(`/api/conversations/${conversation}/messages`, { role: 'user', content: 'kept' })
  return project.id
}

async function use(ask: Ask, projectId: string, version: number): Promise<string[]> {
  const wrong: string[] = []
  const must = async (
    what: string,
    path: string,
    holds: (json: Json) => boolean,
    body?: unknown,
    method?: string,
  ) => {
    const { status, json } = await ask(path, body, method)
    if (status >= 300 || !holds(json))
      wrong.push(`${what}: ${status} ${JSON.stringify(json).slice(0, 500)}`)
  }
  const inside = `/api/projects/${projectId}`
  await must(
    'its project',
    inside,
    ({ name, settings }) => name === 'alpha' && settings['chat.soft_timeout_minutes'] === 8,
  )
  await must('its agents', '/api/agents', ({ items }) =>
    ['ann', 'bob'].every((id) => items.some((one: Json) => one.id === id)),
  )
  await must('its people', '/api/people', ({ items }) =>
    items.some(({ name }: Json) => name === 'Bo'),
  )
  if (version > 1) {
    const chat = `${inside}/agents/ann/messages`
    await must('its chat', chat, ({ items }) =>
      items.some(({ content }: Json) => content === 'hello from before 承認'),
    )
    await must('its tasks', `${inside}/tasks`, ({ items }) => items[0]?.title === 'Jump')
  }
  await must('a change', inside, ({ name }) => name === 'beta', { name: 'beta' }, 'PATCH')
  await must('another', '/api/agents/ann', ({ name }) => name === 'Ann', { name: 'Ann' }, 'PATCH')
  await must('a message', '/api/chat', ({ id }) => id, {
    projectId,
    toAgentId: 'ann',
    content: 'hello again',
  })
  await must('a task', `${inside}/tasks`, ({ id }) => id, {
    phase: 2,
    type: 'code',
    title: 'Land',
    description: 'Softly',
  })
  for (const path of [
    '/api/processes',
    '/api/conversations',
    `${inside}/sessions`,
    '/api/channels',
    '/api/coordinators',
  ]) {
    await must(path, path, ({ items }) => Array.isArray(items))
  }
  return wrong
}

async function looksThrough(
  build: string,
  data: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const args = [await pieceOf(build, 'main'), 'doctor', '--deep', '--data', data]
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } }).catch(
    (error) => error,
  )
  return stdout.includes('✓ Deep check') ? [] : [`doctor --deep says ${stdout}`]
}

/** What an operator is told who starts the old version again. */
export async function refuses(
  build: string,
  data: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const server = await startServer(build, data, 0, env)
  try {
    await server.ready
    await stopped(server)
    return ['the build that made it opens it, although it was upgraded']
  } catch (error) {
    return /schema version \d+; this Holdfast knows up to \d+/.test(String(error))
      ? []
      : [`it is refused with ${error}`]
  }
}
