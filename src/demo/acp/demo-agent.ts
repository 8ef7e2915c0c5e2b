/**
 * ACP demo agent (`demo`): a real ACP agent with a script instead of a model. Needs no key and no
 * network; deterministic.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AgentContext,
  agent,
  type ContentBlock,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
} from '@agentclientprotocol/sdk'
import { primerMark } from '../../domain/turns/prompts.ts'
import { writeFileAtomic } from '../../platform/files/atomic-file.ts'
import { parsedJson } from '../../platform/json.ts'
import { toolInWords } from '../actions.ts'
import { McpClient } from '../mcp/mcp-client.ts'
import { type AcpUpdate, type Habits, TurnCancelled, takeTurn } from './turn.ts'

// Saved talks of the demo agent, one file each, as installed agents keep them: `session/load` reads
// them after a crash. A talk without turns is not saved.

interface Turn {
  readonly asked: string
  readonly answered: string
}

interface Talk {
  readonly id: string
  readonly folder: string
  readonly turns: Turn[]
}

const maxTurns = 100
const maxText = 10_000
const maxTalks = 200

async function keepTalk(folder: string, { id, turns }: Talk): Promise<void> {
  turns.splice(0, turns.length - maxTurns)
  const savedTurns = turns.map(({ asked, answered }) => ({
    asked: asked.slice(0, maxText),
    answered: answered.slice(0, maxText),
  }))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFileAtomic(fileOf(folder, id), JSON.stringify(savedTurns))
  await forgetOldest(folder)
}

/** Returns undefined when there is no such talk. */
async function recallTalk(folder: string, id: string): Promise<Turn[] | undefined> {
  if (!/^[0-9a-f-]{36}$/.test(id)) return undefined
  return readFile(fileOf(folder, id), 'utf8').then(parsedJson, () => undefined) as Promise<
    Turn[] | undefined
  >
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= maxTalks) return
  const found = await Promise.all(
    names.map(async (name) => ({
      name,
      at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  )
  const oldest = found.sort((a, b) => a.at - b.at).slice(0, names.length - maxTalks)
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })))
}

const fileOf = (folder: string, id: string): string => join(folder, `${id}.json`)

export interface DemoAcpOptions {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Writes past the protocol, as careless programs do; resolves when written. */
  readonly writeRaw: (text: string) => Promise<void>
  readonly version: string
  /** Folder of saved talks, so that they can be loaded after a crash. */
  readonly stateFolder: string
  readonly ignoreSigterm: () => void
}

/** An open talk; its turns run one after the other. */
interface OpenTalk {
  readonly talk: Talk
  mode: Mode
  options: DemoOptions
  readonly tools: McpClient | undefined
  readonly turns: Set<AbortController>
  last: Promise<unknown>
}

type Mode = 'default' | 'careful'

const modes: readonly { id: Mode; name: string; description: string }[] = [
  { id: 'default', name: 'Default', description: 'Asks only when it is told to' },
  { id: 'careful', name: 'Careful', description: 'Asks before each file it writes' },
]
const modeState = (currentModeId: Mode) => ({ currentModeId, availableModes: [...modes] })

interface DemoOptions {
  readonly model: string
  readonly brief: boolean
}

const models = [
  { value: 'demo-small', name: 'Demo Small' },
  { value: 'demo-large', name: 'Demo Large' },
]
const firstOptions: DemoOptions = { model: 'demo-small', brief: false }
const optionState = ({ model, brief }: DemoOptions) => [
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select' as const,
    currentValue: model,
    options: models,
  },
  {
    id: 'brief',
    name: 'Brief',
    description: 'Says less',
    type: 'boolean' as const,
    currentValue: brief,
  },
]

/** The form of the question it is told to ask. */
const form = {
  type: 'object' as const,
  properties: {
    colour: {
      type: 'string' as const,
      title: 'Colour',
      oneOf: [
        { const: 'red', title: 'Red' },
        { const: 'blue', title: 'Blue', description: 'Like the sky' },
      ],
    },
    count: { type: 'integer' as const, title: 'How many', minimum: 1, maximum: 9 },
    why: { type: 'string' as const, title: 'Why', maxLength: 200 },
  },
  required: ['colour'],
}

/** Simulated context window, so that usage meters have something to show. */
const windowSize = 100_000

export class DemoAcpAgent {
  readonly habits: Habits = { ignoresCancel: false, leavesAtEnd: true, limitedUntil: undefined }
  readonly #options: DemoAcpOptions
  readonly #open = new Map<string, OpenTalk>()

  constructor(parts: DemoAcpOptions) {
    this.#options = parts
  }

  /** Resolves when the client has disconnected and running turns have ended. */
  async run(): Promise<void> {
    const { input, output } = this.#options
    const connection = this.#app().connect(ndJsonStream(output, input))
    await connection.closed
    for (const { turns } of this.#open.values()) for (const turn of turns) turn.abort()
  }

  #app() {
    const { session: ofTalk } = methods.agent
    return agent({ name: 'holdfast-demo' })
      .onRequest(methods.agent.initialize, ({ params }) => ({
        protocolVersion: Math.min(params.protocolVersion, PROTOCOL_VERSION),
        agentInfo: { name: 'holdfast-demo', title: 'Demo', version: this.#options.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true },
        },
        authMethods: [],
      }))
      .onRequest(ofTalk.new, async ({ params: { cwd, mcpServers }, client }) => {
        const opened: Talk = { id: randomUUID(), folder: cwd, turns: [] }
        await this.#begin(client, opened, this.#toolsIn(mcpServers))
        return {
          sessionId: opened.id,
          modes: modeState('default'),
          configOptions: optionState(firstOptions),
        }
      })
      .onRequest(ofTalk.load, async ({ params: { sessionId: id, cwd, mcpServers }, client }) => {
        const turns = await recallTalk(this.#options.stateFolder, id)
        if (!turns) throw RequestError.sessionNotFound(id)
        for (const { asked, answered } of turns) {
          await tell(client, id, { sessionUpdate: 'user_message_chunk', content: text(asked) })
          await tell(client, id, { sessionUpdate: 'agent_message_chunk', content: text(answered) })
        }
        await this.#begin(client, { id, folder: cwd, turns }, this.#toolsIn(mcpServers))
        return { modes: modeState('default'), configOptions: optionState(firstOptions) }
      })
      .onRequest(ofTalk.setMode, async ({ params: { sessionId: id, modeId }, client }) => {
        const found = this.#find(id)
        const mode = modes.find((each) => each.id === modeId)
        if (!mode) throw RequestError.invalidParams({ modeId })
        found.mode = mode.id
        await tell(client, id, { sessionUpdate: 'current_mode_update', currentModeId: mode.id })
        return {}
      })
      .onRequest(ofTalk.setConfigOption, ({ params }) => {
        const { sessionId: id, configId, value } = params
        const found = this.#find(id)
        const isModel = configId === 'model' && models.some((each) => each.value === value)
        if (!isModel && !(configId === 'brief' && typeof value === 'boolean'))
          throw RequestError.invalidParams({ configId })
        found.options = { ...found.options, [configId]: value }
        return { configOptions: optionState(found.options) }
      })
      .onRequest(ofTalk.prompt, ({ params: { sessionId: id, prompt }, client }) => {
        const open = this.#find(id)
        const stop = new AbortController()
        open.turns.add(stop)
        const turn = open.last
          .then(() => this.#turn(client, open, prompt, stop))
          .finally(() => open.turns.delete(stop))
        open.last = turn.catch(() => {})
        return turn
      })
      .onNotification(ofTalk.cancel, ({ params: { sessionId: id } }) => {
        if (this.habits.ignoresCancel) return
        for (const turn of this.#open.get(id)?.turns ?? []) turn.abort()
      })
  }

  #find(id: string): OpenTalk {
    const open = this.#open.get(id)
    if (!open) throw RequestError.sessionNotFound(id)
    return open
  }

  /** Connects to Holdfast's tools, when they are offered over HTTP. */
  #toolsIn(servers: readonly McpServer[]): McpClient | undefined {
    const ours = servers.find((server) => server.name === 'holdfast')
    if (!ours || !('url' in ours)) return undefined
    const bearer =
      ours.headers
        .find(({ name }) => name.toLowerCase() === 'authorization')
        ?.value.replace(/^Bearer /, '') ?? ''
    return new McpClient({ url: ours.url, bearer, version: this.#options.version })
  }

  async #begin(
    client: AgentContext,
    conversation: Talk,
    tools: McpClient | undefined,
  ): Promise<void> {
    this.#open.set(conversation.id, {
      talk: conversation,
      mode: 'default',
      options: firstOptions,
      tools,
      turns: new Set(),
      last: Promise.resolve(),
    })
    const availableCommands = [
      { name: 'echo', description: 'Say it again', input: { hint: 'what to say' } },
    ]
    await tell(client, conversation.id, {
      sessionUpdate: 'available_commands_update',
      availableCommands,
    })
  }

  async #turn(
    client: AgentContext,
    open: OpenTalk,
    prompt: readonly ContentBlock[],
    { signal }: AbortController,
  ): Promise<PromptResponse> {
    const { talk } = open
    const parts = prompt.map(asText)
    const promptText = parts.join('\n')
    // Primers are for its memory; the request follows them.
    const wished = parts.filter((part) => !part.startsWith(primerMark)).join('\n')
    let answered = ''
    try {
      await takeTurn(wished, {
        recall: () => [...talk.turns.map((turn) => turn.asked), promptText].join('\n'),
        folder: talk.folder,
        careful: open.mode === 'careful',
        habits: this.habits,
        signal,
        ignoreSigterm: this.#options.ignoreSigterm,
        writeRaw: this.#options.writeRaw,
        tell: (update) => tell(client, talk.id, update),
        say: async (words) => {
          answered += words
          await tell(client, talk.id, {
            sessionUpdate: 'agent_message_chunk',
            content: text(words),
          })
        },
        useTool: async (use) => {
          const { tools } = open
          if (!tools) return `${use.name}: no tools came with this conversation`
          return toolInWords(use, () => tools.call(use.name, use.args, signal), signal)
        },
        askQuestion: (message) =>
          client.request(methods.client.elicitation.create, {
            sessionId: talk.id,
            mode: 'form',
            message,
            requestedSchema: form,
          }),
        ask: async (toolCall, options) => {
          const { requestPermission } = methods.client.session
          const { outcome } = await client.request(requestPermission, {
            sessionId: talk.id,
            toolCall,
            options: [...options],
          })
          return outcome
        },
      })
      return { stopReason: 'end_turn' }
    } catch (error) {
      if (!signal.aborted && !(error instanceof TurnCancelled)) throw error
      return { stopReason: 'cancelled' }
    } finally {
      talk.turns.push({ asked: promptText, answered })
      // A talk that cannot be saved cannot be loaded later; the turn continues.
      await keepTalk(this.#options.stateFolder, talk).catch(() => {})
      const used = talk.turns.reduce(
        (sum, turn) => sum + turn.asked.length + turn.answered.length,
        0,
      )
      await tell(client, talk.id, {
        sessionUpdate: 'usage_update',
        used: Math.min(used, windowSize),
        size: windowSize,
      })
    }
  }
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value })

/** Names attachments, so that one sees that they arrived. */
function asText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `(${block.name})`
  if (block.type === 'resource') return `(${block.resource.uri})`
  return `(${block.mimeType})`
}

const tell = (client: AgentContext, id: string, update: AcpUpdate): Promise<void> =>
  client.notify(methods.client.session.update, { sessionId: id, update })
