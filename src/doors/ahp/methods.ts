/**
 * The requests of the Agent Host Protocol and their handlers. What is not offered is unknown;
 * fields that are not known are left out.
 */
import * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import type { Rights } from '../../domain/access/rights.ts'
import { checked } from '../../protocol/checked-input.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { requireScope } from '../../services/access/require-scope.ts'
import { listConversations } from '../../services/conversations/queries.ts'
import type { AhpClient } from './ahp-client.ts'
import { AhpError } from './json-rpc.ts'

/** Each patch of 0.9; nearly every minor version before 1.0 broke something. */
const ourVersions = /^0\.9\.\d{1,6}$/
const supportedVersions = ['^0.9.0']

const Text = z.string().min(1).max(2000)
const Channel = z.object({ channel: Text })

const Initialize = z.object({
  protocolVersions: z.array(Text).max(100),
  clientId: Text,
  initialSubscriptions: z.array(Text).max(100).optional(),
})

interface Call {
  readonly who: Who
  readonly client: AhpClient
  readonly deps: ServerDependencies
}

interface Method {
  readonly rights: Rights
  readonly call: (call: Call, params: unknown) => Promise<unknown>
}

const method = <Schema extends z.ZodType>(
  rights: Rights,
  schema: Schema,
  call: (call: Call, params: z.output<Schema>) => Promise<unknown>,
): Method => ({ rights, call: (given, params) => call(given, checked(schema, params)) })

const anybody: Rights = { scope: 'anybody', on: 'caller' }
const reads: Rights = { scope: 'read', on: 'caller' }

/** What each needs; whose it is stands with the query and the use case that it runs. */
const methods: Readonly<Record<string, Method>> = {
  ping: method(anybody, z.unknown(), async () => null),
  initialize: method(reads, Initialize, initialize),
  listSessions: method(listConversations, z.unknown(), async ({ client, who }) => ({
    items: await client.news.list(who),
  })),
  subscribe: method(reads, Channel, async ({ client, who }, { channel }) => ({
    snapshot: await client.channels.open(who, channel),
  })),
  unsubscribe: method(reads, Channel, async ({ client }, { channel }) =>
    client.channels.close(channel),
  ),
}

/** They may come before `initialize`. */
const first: ReadonlySet<string> = new Set(['ping', 'initialize', 'reconnect'])

export class Methods {
  readonly #client: AhpClient
  readonly #deps: ServerDependencies
  #ready = false

  constructor(client: AhpClient, deps: ServerDependencies) {
    this.#client = client
    this.#deps = deps
  }

  async call(who: Who, name: string, params: unknown): Promise<unknown> {
    const found = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (!found) throw new AhpError('unknownMethod', `Method not found: ${name}`)
    if (!this.#ready && !first.has(name))
      throw new AhpError('invalidRequest', 'Send initialize or reconnect first')
    requireScope(who, found.rights.scope)
    const answer = await found.call({ who, client: this.#client, deps: this.#deps }, params)
    if (name !== 'ping') this.#ready = true
    return answer
  }
}

async function initialize(
  { who, client, deps }: Call,
  { protocolVersions, clientId, initialSubscriptions = [] }: z.output<typeof Initialize>,
) {
  const protocolVersion = protocolVersions.find((each) => ourVersions.test(each))
  if (protocolVersion === undefined)
    throw new AhpError('version', 'No version in common: this server speaks 0.9', {
      supportedVersions,
    })
  client.begin(clientId)
  const snapshots: object[] = []
  for (const channel of new Set(initialSubscriptions))
    snapshots.push(await client.channels.open(who, channel))
  return {
    protocolVersion,
    serverSeq: client.serverSeq,
    serverInfo: { name: 'holdfast', version: deps.version },
    snapshots,
  }
}
