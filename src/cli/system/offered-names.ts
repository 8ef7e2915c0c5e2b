/**
 * Names offered by completion: agents, projects, sessions and others, read from the server. A shell
 * waits for it at each Tab, so it has one second, one request, and prints nothing when it fails.
 */
import { type Client, createClient } from '../../client/client.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { findConnection } from '../connect.ts'
import type { Terminal } from '../terminal.ts'

const maxMs = 1000
const maxNames = 200
const maxProjects = 20

const once = { timeoutMs: maxMs, retries: 0 }
const page = { query: { limit: maxNames }, ...once }

const readers = {
  agents: async (client: Client) =>
    (await client.get('/api/agents', page)).items.map(({ id }) => id),
  projects: async (client: Client) => names((await client.get('/api/projects', page)).items),
  people: async (client: Client) => names((await client.get('/api/people', page)).items),
  tokens: async (client: Client) => names((await client.get('/api/tokens', page)).items),
  consoles: async (client: Client) =>
    (await client.get('/api/user-sessions', page)).items.map(({ id }) => id),
  sessions: async (client: Client) =>
    (await client.get('/api/conversations', page)).items.map(({ key }) => key),
  work: workSessionIds,
} as const

export type NameKind = keyof typeof readers
export const nameKinds = Object.keys(readers) as NameKind[]

/** Kind of name by placeholder in the help. */
const kindsByPlaceholder: Readonly<Record<string, NameKind>> = {
  agent: 'agents',
  project: 'projects',
  person: 'people',
  token: 'tokens',
  console: 'consoles',
  session: 'sessions',
  work: 'work',
}

/** `project`, `[console]`, `--agent <agent>` */
export function namesFor(written: string): NameKind | undefined {
  const [, word = ''] = /([a-z]+)[\]>]?$/.exec(written) ?? []
  return kindsByPlaceholder[word]
}

/** `line` is the command line typed so far, which may name the server. */
export async function offeredNames(
  terminal: Terminal,
  kind: NameKind,
  line: string,
): Promise<string[]> {
  try {
    const option = (name: string): string | undefined => valueIn(line, name)
    const [server, tokenFile] = [option('server'), option('token-file')]
    // Standard input belongs to the shell.
    if (tokenFile === '-') return []
    const flags = { data: option('data'), config: option('config') }
    const config = loadConfig({ flags, env: terminal.env, cwd: terminal.cwd })
    const found = await readers[kind](
      createClient(await findConnection(terminal, config, { server, tokenFile })),
    )
    // One name per line; names with control characters cannot be typed.
    return found.filter((name) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)).slice(0, maxNames)
  } catch {
    return []
  }
}

/** Returns names, and ids where several items share a name. */
function names(items: readonly { readonly id: string; readonly name: string }[]): string[] {
  const counts = Map.groupBy(items, ({ name }) => name)
  return items.map(({ id, name }) => (counts.get(name)?.length === 1 ? name : id))
}

async function workSessionIds(client: Client): Promise<string[]> {
  const projects = await client.get('/api/projects', { query: { limit: maxProjects }, ...once })
  const path = '/api/projects/{projectId}/sessions'
  const lists = await Promise.all(
    projects.items.map(({ id }) => client.get(path, { params: { projectId: id }, ...page })),
  )
  return lists.flatMap(({ items }) => items.map(({ id }) => id))
}

/** Returns the value of an option in the typed line, without the shell's quotes. */
function valueIn(line: string, name: string): string | undefined {
  const found = new RegExp(
    `\\s--${name}(?:=|\\s+)((?:"[^"]*"|'[^']*'|\\\\.|[^\\s"'\\\\])+)(?=\\s)`,
  ).exec(line)
  return found?.[1]?.replaceAll(/"([^"]*)"|'([^']*)'|\\(.)/g, (_, ...parts: string[]) =>
    parts.slice(0, 3).join(''),
  )
}
