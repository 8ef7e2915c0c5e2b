/**
 * Reads the sessions of Codex: a rollout of records each, also archived or compressed. A fork has
 * no history of its own, but names how much of its parent's is its own too.
 */
import { basename, join } from 'node:path'
import { type Fields, fieldsOf, parsedJson } from '../platform/json.ts'
import { mediaOf, TurnCollector } from './collect-turns.ts'
import {
  fieldsIn,
  firstTime,
  listOf,
  textAt,
  textsOf,
  timeOf,
  titleOf,
  valueAt,
  wordsOf,
} from './fields.ts'
import { eachOf, filesBelow } from './files.ts'
import { maxForkDepth } from './limits.ts'
import { endsOf, linesOf, recordOf, Unread, unreadable } from './lines.ts'
import {
  type Listed,
  leftOut,
  listed,
  markOf,
  type PastMedia,
  type PastRecord,
  type PastSession,
  type PastSessions,
  type PastTurn,
  skipped,
} from './port.ts'

const payloadOf = (record: Fields): Fields => fieldsOf(record['payload'])
const isRollout = /^rollout-.*\.jsonl(?:\.zst)?$/
const idInName = (file: string): string | null =>
  /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.jsonl(?:\.zst)?$/.exec(basename(file))?.[1] ?? null

const itemOf = (payload: Fields): Fields =>
  payload['type'] === 'item_completed' ? fieldsOf(payload['item']) : {}

/** Both forms: an item, and before there were any, an event. */
function promptOf(record: Fields): string | undefined {
  const payload = payloadOf(record)
  if (payload['type'] === 'user_message') return wordsOf(payload['message']) ?? ''
  const item = itemOf(payload)
  return item['type'] === 'UserMessage' ? textsOf(item['content']) : undefined
}

/** Titles that the person or the model gave; the last of an id counts. */
async function titlesIn(home: string): Promise<ReadonlyMap<string, string>> {
  const file = join(home, 'session_index.jsonl')
  const titles = new Map<string, string>()
  const unread = new Unread(file)
  try {
    for await (const line of linesOf(file, unread)) {
      const record = recordOf(line, unread)
      const [id, name] = [textAt(record, 'id'), textAt(record, 'thread_name')]
      if (id !== null && name !== null) titles.set(id, name)
    }
  } catch {
    // There is none in a new folder.
  }
  return titles
}

async function* rolloutsIn(home: string): AsyncGenerator<string> {
  for (const [folder, depth] of [
    ['sessions', 3],
    ['archived_sessions', 0],
  ] as const)
    for await (const file of filesBelow(join(home, folder), depth))
      if (isRollout.test(basename(file))) yield file
}

type Looked = Listed | undefined

/** Undefined for the rollout of a sub-agent. */
async function look(
  home: string,
  file: string,
  titles: ReadonlyMap<string, string>,
): Promise<Looked> {
  try {
    const hasPrompt = (head: readonly Fields[]): boolean =>
      head.some((record) => promptOf(record) !== undefined)
    const { head, tail, bytes, changedAt } = await endsOf(file, hasPrompt)
    if (bytes === 0) return leftOut(skipped(file, 'empty'))
    const header = head[0] ?? {}
    const meta = payloadOf(header)
    const id = textAt(meta, 'id') ?? idInName(file)
    if (header['type'] !== 'session_meta' || id === null) return leftOut(skipped(file, 'no_header'))
    if (textAt(meta, 'parent_thread_id') !== null || typeof meta['source'] === 'object')
      return undefined
    const base = textAt(meta, 'history_base', 'thread_id')
    const prompt = head.map(promptOf).find((text) => text !== undefined)
    if (prompt === undefined && base === null) return leftOut(skipped(file, 'no_prompt'))
    const all = [...head, ...tail]
    const context = all.findLast((record) => record['type'] === 'turn_context')
    const timed = all.findLast((record) => timeOf(record['timestamp']) !== null)
    return listed({
      agent: 'codex',
      id,
      // That of a fork is in its parent.
      title: titleOf(titles.get(id) ?? (base === null ? (prompt ?? '') : '')),
      folder: textAt(meta, 'cwd'),
      branch: textAt(meta, 'git', 'branch'),
      model: textAt(context, 'payload', 'model'),
      version: textAt(meta, 'cli_version'),
      madeBy: [textAt(meta, 'originator'), wordsOf(meta['source'])].filter(Boolean).join('/'),
      forkOf: textAt(meta, 'forked_from_id') ?? base,
      archived: file.startsWith(join(home, 'archived_sessions')),
      updatedAt: firstTime(timed?.['timestamp'], changedAt),
      bytes,
      mark: markOf(bytes, changedAt),
      files: [file],
      root: home,
    })
  } catch (error) {
    return leftOut(unreadable(file, error))
  }
}

async function* list(home: string): AsyncGenerator<Listed> {
  const titles = await titlesIn(home)
  // A rollout is there twice while it is being compressed.
  const seen = new Set<string>()
  for await (const each of eachOf(rolloutsIn(home), (file) => look(home, file, titles))) {
    if (each?.kind !== 'listed') {
      if (each) yield each
      continue
    }
    if (seen.has(each.past.id)) continue
    seen.add(each.past.id)
    const { past } = each
    yield past.title !== '' ? each : listed({ ...past, title: await forkTitle(past) })
  }
}

/** A fork without a title is called as its first prompt, which is in its parent. */
async function forkTitle(past: PastSession): Promise<string> {
  for await (const each of read(past)) if (each.kind === 'turn') return titleOf(each.turn.prompt)
  return ''
}

interface Source {
  readonly record: Fields
  readonly number: number
}

/** The records of a rollout, behind those of its parent that are its own too. */
async function* recordsOf(
  home: string,
  file: string,
  until: number,
  depth: number,
): AsyncGenerator<Source | PastRecord> {
  const unread = new Unread(file)
  for await (const line of linesOf(file, unread)) {
    const record = recordOf(line, unread)
    if (!record) continue
    const ordinal = record['ordinal']
    const number = typeof ordinal === 'number' ? ordinal : line.number
    if (number >= until) break
    if (record['type'] === 'session_meta') yield* parentOf(home, payloadOf(record), depth)
    else yield { record, number }
  }
  yield* unread.records()
}

async function* parentOf(
  home: string,
  meta: Fields,
  depth: number,
): AsyncGenerator<Source | PastRecord> {
  const parent = textAt(meta, 'history_base', 'thread_id')
  if (parent === null) return
  const end = valueAt(meta, 'history_base', 'end_ordinal_exclusive')
  const file = depth < maxForkDepth ? await rolloutOf(home, parent) : undefined
  if (file === undefined)
    return yield leftOut(skipped(textAt(meta, 'id') ?? '', 'missing_parent', parent))
  yield* recordsOf(home, file, typeof end === 'number' ? end : 0, depth + 1)
}

async function rolloutOf(home: string, id: string): Promise<string | undefined> {
  for await (const file of rolloutsIn(home)) if (idInName(file) === id) return file
  return undefined
}

async function* read({ root, files: [file = ''] }: PastSession): AsyncGenerator<PastRecord> {
  const turns = new CodexTurns()
  for await (const each of recordsOf(root, file, Number.POSITIVE_INFINITY, 0)) {
    if ('kind' in each) {
      yield each
      continue
    }
    const turn = turns.apply(each)
    if (turn) yield { kind: 'turn', turn }
  }
  const last = turns.turns.finish()
  if (last) yield { kind: 'turn', turn: last }
}

const refused = /reject|aborted by user/i

class CodexTurns {
  readonly turns = new TurnCollector()
  #turnId: string | null = null
  #model: string | null = null
  /** Pictures of the next prompt, as the model was given them. */
  #pictures: PastMedia[] = []
  /** Calls that an item tells of, which says more than what the model asked for and was given. */
  readonly #items = new Set<string>()

  apply({ record, number }: Source): PastTurn | undefined {
    const payload = payloadOf(record)
    const at = timeOf(record['timestamp'])
    if (record['type'] === 'turn_context') {
      this.#model = textAt(payload, 'model') ?? this.#model
      this.turns.model(this.#model)
      return undefined
    }
    const prompt = promptOf(record)
    if (prompt !== undefined) return this.#prompt(payload, prompt, number, at)
    if (record['type'] === 'event_msg') this.#event(payload)
    if (record['type'] === 'response_item') this.#response(payload)
    if (record['type'] === 'compacted')
      this.turns.compaction(`compacted-${number}`, textAt(payload, 'message'))
    else if (record['type'] === 'event_msg') this.turns.at(this.turns.turnId ? at : null)
    return undefined
  }

  #prompt(payload: Fields, text: string, number: number, at: string | null): PastTurn | undefined {
    const id = textAt(payload, 'turn_id') ?? this.#turnId ?? `line-${number}`
    const named = picturesIn(payload)
    const media = this.#pictures.length > 0 ? this.#pictures : named
    this.#pictures = []
    if (this.turns.turnId === id) {
      this.turns.addPrompt(text, media)
      return undefined
    }
    this.#items.clear()
    const before = this.turns.begin({ id, text, at: firstTime(at), media })
    this.turns.model(this.#model)
    return before
  }

  #event(payload: Fields): void {
    const { turns } = this
    const type = payload['type']
    if (type === 'task_started') this.#turnId = textAt(payload, 'turn_id')
    if (type === 'agent_message') turns.text(textAt(payload, 'message') ?? '')
    if (type === 'agent_reasoning') turns.thought(textAt(payload, 'text') ?? '')
    const turnId = textAt(payload, 'turn_id')
    if (turnId === null || turnId === turns.turnId) {
      if (type === 'turn_aborted') turns.ended('cancelled')
      const failure = payload['error']
      if (type === 'task_complete')
        failure === undefined || failure === null
          ? turns.ended('answered')
          : turns.ended('failed', textAt(failure, 'message') ?? wordsOf(failure))
    }
    this.#item(itemOf(payload))
  }

  #item(item: Fields): void {
    const { turns } = this
    const id = textAt(item, 'id') ?? ''
    if (item['type'] === 'AgentMessage') turns.text(textsOf(item['content']))
    if (item['type'] === 'Reasoning') turns.thought(listOf(item['summary_text']).join('\n'))
    const name = itemNames[textAt(item, 'type') ?? '']
    if (name === undefined) return
    this.#items.add(id)
    turns.call({ id, name: textAt(item, 'tool') ?? name, input: inputOf(item) })
    const output = textAt(item, 'aggregated_output') ?? textsOf(valueAt(item, 'result', 'content'))
    const status = textAt(item, 'status')
    turns.result({
      id,
      output,
      isError: status === 'failed',
      isDenied: status === 'declined',
    })
  }

  #response(payload: Fields): void {
    const id = textAt(payload, 'call_id') ?? textAt(payload, 'id') ?? ''
    const type = textAt(payload, 'type') ?? ''
    if (type === 'message' && payload['role'] === 'user')
      this.#pictures = fieldsIn(payload['content']).flatMap((part) => pictureAt(part['image_url']))
    if (this.#items.has(id)) return
    if (/^(?:function|custom_tool|local_shell)_call$/.test(type)) {
      const input = payload['arguments'] ?? payload['input'] ?? payload['action']
      this.turns.call({
        id,
        name: textAt(payload, 'name') ?? 'shell',
        input: typeof input === 'string' ? (parsedJson(input) ?? input) : input,
      })
    }
    if (/_call_output$/.test(type)) {
      const given = payload['output']
      const output = wordsOf(given) ?? wordsOf(valueAt(given, 'content')) ?? textsOf(given)
      this.turns.result({ id, output, isDenied: refused.test(output.slice(0, 400)) })
    }
  }
}

/** Items that are calls of tools, by the name they are shown with. */
const itemNames: Readonly<Record<string, string>> = {
  CommandExecution: 'command',
  FileChange: 'apply_patch',
  McpToolCall: 'mcp',
  WebSearch: 'web_search',
  ImageView: 'view_image',
  CollabAgentToolCall: 'spawn_agent',
}

function inputOf(item: Fields): unknown {
  const command = item['command']
  if (Array.isArray(command)) return { command: String(command.at(-1) ?? ''), cwd: item['cwd'] }
  return item['arguments'] ?? item['changes'] ?? item['query'] ?? item['prompt']
}

/** Pictures by their place on the disk are only named; it may hold another one by now. */
function picturesIn(payload: Fields): PastMedia[] {
  const parts = fieldsIn(itemOf(payload)['content'])
  const urls = [
    ...listOf(payload['images']),
    ...parts.map((part) => part['image_url'] ?? part['url']),
  ]
  const paths = [
    ...listOf(payload['local_images']),
    ...parts.filter((part) => part['type'] === 'local_image').map((part) => part['path']),
  ]
  return [
    ...urls.flatMap(pictureAt),
    ...paths.map((path) => mediaOf('image/*', null, basename(wordsOf(path) ?? ''))),
  ]
}

function pictureAt(url: unknown): PastMedia[] {
  const [, type, data] = /^data:([\w/+.-]+);base64,(.*)$/s.exec(wordsOf(url) ?? '') ?? []
  return type !== undefined && data !== undefined ? [mediaOf(type, data)] : []
}

export const codexSessions: PastSessions = {
  agent: 'codex',
  roots: ({ env, home }) => [env['CODEX_HOME'] || join(home, '.codex')],
  list,
  read,
}
