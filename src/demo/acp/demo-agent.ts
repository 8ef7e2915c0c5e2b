/**
 * The demo agent that is given its work (`demo`): a real ACP agent on standard input and output, with a script in the place of a
 * model. It needs no key and no network, and does the same whenever it is told the same.
 */
import { randomUUID } from 'node:crypto'
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
import { primerMark } from '../../domain/turns/primer.ts'
import { McpClient } from '../mcp/mcp-client.ts'
import { toolInWords } from '../tool-directives.ts'
import { keepTalk, recallTalk, type Talk } from './memory.ts'
import { type AcpUpdate, type Habits, TurnCancelled, takeTurn } from './turn.ts'

export interface DemoAcpOptions {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Past the protocol, as careless programs do; resolves when it has left. */
  readonly writeRaw: (text: string) => Promise<void>
  readonly version: string
  /** Where talks are kept, so that they can be loaded after a crash. */
  readonly stateFolder: string
  /** SIGTERM does nothing from then on. */
  readonly ignoreSigterm: () => void
}

/** A talk that is open, its turns one after the other. */
interface OpenTalk {
  readonly talk: Talk
  mode: Mode
  options: DemoOptions
  readonly tools: McpClient | undefined
  /** Running, or waiting for its turn. */
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
  { id: 'model', name: 'Model', category: 'model', type: 'select' as const, currentValue: model, options: models },
  { id: 'brief', name: 'Brief', description: 'Says less', type: 'boolean' as const, currentValue: brief },
]

/** How much a turn counts against a model's window, so that a meter has something to show. */
const windowSize = 100_000

export class DemoAcpAgent {
  readonly habits: Habits = { ignoresCancel: false, leavesAtEnd: true, limitedUntil: undefined }
  readonly #options: DemoAcpOptions
  readonly #open = new Map<string, OpenTalk>()

  constructor(parts: DemoAcpOptions) {
    this.#options = parts
  }

  /** Resolves when the other side has gone; whatever was running is over then. */
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
        const talk: Talk = { id: randomUUID(), folder: cwd, turns: [] }
        await this.#begin(client, talk, this.#toolsIn(mcpServers))
        return { sessionId: talk.id, modes: modeState('default'), configOptions: optionState(firstOptions) }
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
        const talk = this.#find(id)
        const mode = modes.find((each) => each.id === modeId)
        if (!mode) throw RequestError.invalidParams({ modeId })
        talk.mode = mode.id
        await tell(client, id, { sessionUpdate: 'current_mode_update', currentModeId: mode.id })
        return {}
      })
      .onRequest(ofTalk.setConfigOption, ({ params }) => {
        const { sessionId: id, configId, value } = params
        const talk = this.#find(id)
        const isModel = configId === 'model' && models.some((each) => each.value === value)
        if (!isModel && !(configId === 'brief' && typeof value === 'boolean')) throw RequestError.invalidParams({ configId })
        talk.options = { ...talk.options, [configId]: value }
        return { configOptions: optionState(talk.options) }
      })
      .onRequest(ofTalk.prompt, ({ params: { sessionId: id, prompt }, client }) => {
        const open = this.#find(id)
        const stop = new AbortController()
        open.turns.add(stop)
        const turn = open.last.then(() => this.#turn(client, open, prompt, stop)).finally(() => open.turns.delete(stop))
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

  /** Those of Holdfast, when it speaks to them over HTTP. */
  #toolsIn(servers: readonly McpServer[]): McpClient | undefined {
    const ours = servers.find((server) => server.name === 'holdfast')
    if (!ours || !('url' in ours)) return undefined
    const bearer = ours.headers.find(({ name }) => name.toLowerCase() === 'authorization')?.value.replace(/^Bearer /, '') ?? ''
    return new McpClient({ url: ours.url, bearer, version: this.#options.version })
  }

  async #begin(client: AgentContext, talk: Talk, tools: McpClient | undefined): Promise<void> {
    this.#open.set(talk.id, { talk, mode: 'default', options: firstOptions, tools, turns: new Set(), last: Promise.resolve() })
    const availableCommands = [{ name: 'echo', description: 'Say it again', input: { hint: 'what to say' } }]
    await tell(client, talk.id, { sessionUpdate: 'available_commands_update', availableCommands })
  }

  async #turn(
    client: AgentContext,
    open: OpenTalk,
    prompt: readonly ContentBlock[],
    { signal }: AbortController,
  ): Promise<PromptResponse> {
    const { talk } = open
    const parts = prompt.map(asText)
    const asked = parts.join('\n')
    // What Holdfast tells it of the conversation is for its memory; what it is to do stands behind.
    const wished = parts.filter((part) => !part.startsWith(primerMark)).join('\n')
    let answered = ''
    try {
      await takeTurn(wished, {
        recall: () => [...talk.turns.map((turn) => turn.asked), asked].join('\n'),
        folder: talk.folder,
        careful: open.mode === 'careful',
        habits: this.habits,
        signal,
        ignoreSigterm: this.#options.ignoreSigterm,
        writeRaw: this.#options.writeRaw,
        tell: (update) => tell(client, talk.id, update),
        say: async (said) => {
          answered += said
          await tell(client, talk.id, { sessionUpdate: 'agent_message_chunk', content: text(said) })
        },
        useTool: async (use) => {
          const { tools } = open
          if (!tools) return `${use.name}: no tools came with this conversation`
          return toolInWords(use, () => tools.call(use.name, use.args, signal), signal)
        },
        ask: async (toolCall, options) => {
          const { requestPermission } = methods.client.session
          const { outcome } = await client.request(requestPermission, { sessionId: talk.id, toolCall, options: [...options] })
          return outcome
        },
      })
      return { stopReason: 'end_turn' }
    } catch (error) {
      if (!signal.aborted && !(error instanceof TurnCancelled)) throw error
      return { stopReason: 'cancelled' }
    } finally {
      talk.turns.push({ asked, answered })
      // One that cannot be kept cannot be loaded; it goes on all the same.
      await keepTalk(this.#options.stateFolder, talk).catch(() => {})
      const used = talk.turns.reduce((sum, turn) => sum + turn.asked.length + turn.answered.length, 0)
      await tell(client, talk.id, { sessionUpdate: 'usage_update', used: Math.min(used, windowSize), size: windowSize })
    }
  }
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value })

/** What is attached is named, so that one sees that it arrived. */
function asText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `(${block.name})`
  if (block.type === 'resource') return `(${block.resource.uri})`
  return `(${block.mimeType})`
}

const tell = (client: AgentContext, id: string, update: AcpUpdate): Promise<void> =>
  client.notify(methods.client.session.update, { sessionId: id, update })
