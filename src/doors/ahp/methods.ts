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
import { archiveConversation } from '../../services/conversations/mark-conversation.ts'
import { listConversations } from '../../services/conversations/queries.ts'
import { beginThread } from '../../services/flows/conversations/begin-thread.ts'
import { askFork } from '../../services/flows/files/file-operations.ts'
import { findReviewPlace } from '../../services/review/review-place.ts'
import type { AhpClient } from './ahp-client.ts'
import { CreateSession, createThread, disposeThread, threadConfig } from './begin.ts'
import type { Snapshot } from './channels.ts'
import { Completions, completionsOf, completionTriggers } from './completions.ts'
import { CreateChat, forkChat } from './forks.ts'
import { AhpError } from './json-rpc.ts'
import { rootChannel, versionIn } from './names.ts'

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

const Dispatch = z.object({
  channel: Text,
  clientSeq: z.int().min(0),
  action: z.looseObject({ type: z.string().min(1).max(200) }),
})

/** Each channel by its name, or with what was seen of it last. */
const Subscribed = z.union([Text, z.object({ channel: Text, lastSeenServerSeq: z.int().min(0) })])

const Reconnect = z.object({
  clientId: Text,
  lastSeenServerSeq: z.int().min(0).optional(),
  subscriptions: z.array(Subscribed).max(200),
})

const Resource = z.object({ uri: z.string().min(1).max(20_000) })

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
  reconnect: method(reads, Reconnect, reconnect),
  dispatchAction: method(reads, Dispatch, ({ client, who }, dispatch) =>
    client.channels.dispatch(who, dispatch),
  ),
  completions: method(reads, Completions, async ({ client, who, deps }, given) => ({
    items: await client.channels.within(who, given.channel, (watched) =>
      completionsOf({ who, deps, watched }, given),
    ),
  })),
  createSession: method(beginThread, CreateSession, async ({ deps, client, who }, given) => {
    if (await client.channels.isNamed(who, given.channel))
      throw new AhpError('threadExists', `There is a session ${given.channel} already`)
    await createThread(deps, who, given)
  }),
  createChat: method(askFork, CreateChat, ({ deps, client: { channels }, who }, given) =>
    forkChat({ who, deps, channels }, given),
  ),
  disposeSession: method(
    archiveConversation,
    Channel,
    async ({ deps, client, who }, { channel }) => {
      const key = await client.channels.keyOf(who, channel)
      if (key === undefined) throw new AhpError('noSession', `There is no session ${channel}`)
      await disposeThread(deps, who, key)
      client.notify('root/sessionRemoved', { channel: rootChannel, session: channel })
    },
  ),
  resolveSessionConfig: method(reads, z.unknown(), async () => threadConfig),
  resourceRead: method(findReviewPlace, Resource, readVersion),
  setClientManagedSettingsPermissions: method(anybody, z.unknown(), async () => null),
  unsubscribe: method(reads, Channel, async ({ client }, { channel }) =>
    client.channels.close(channel),
  ),
}

/** Files of changesets, each in one version; no file of the machine. */
async function readVersion({ who, deps, client }: Call, { uri }: z.output<typeof Resource>) {
  const version = versionIn(uri)
  if (!version || !(await client.channels.isShown(who, version.key)))
    throw new AhpError('notFound', `There is no ${uri}`)
  const bytes = await deps.reviews.version(who, version.key, version.blob)
  if (!bytes) throw new AhpError('notFound', `${uri} is gone, or too long to be shown`)
  return { data: bytes.toString('base64'), encoding: 'base64' }
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
    completionTriggerCharacters: completionTriggers,
    serverInfo: { name: 'holdfast', version: deps.version },
    snapshots,
  }
}

/**
 * A client that comes back gets what it watches as it is now. What it missed is not told one by
 * one: nothing of what was told is kept twice, and a snapshot is right whatever was lost
 * (decision 29).
 */
async function reconnect(
  { who, client }: Call,
  { clientId, lastSeenServerSeq = 0, subscriptions }: z.output<typeof Reconnect>,
) {
  const seen = subscriptions.map((each) => (typeof each === 'string' ? 0 : each.lastSeenServerSeq))
  client.begin(clientId)
  client.continueBehind(Math.max(lastSeenServerSeq, ...seen))
  const found: ChannelAgain[] = []
  for (const each of subscriptions) {
    const channel = typeof each === 'string' ? each : each.channel
    found.push({ channel, snapshot: await client.channels.openAgain(who, channel) })
  }
  client.news.begin()
  if (subscriptions.some((each) => typeof each !== 'string'))
    return { channels: found.map(channelAgain) }
  const snapshots = found.flatMap(({ snapshot }) => (snapshot ? [snapshot] : []))
  return { type: 'snapshot', snapshots }
}

interface ChannelAgain {
  readonly channel: string
  /** Undefined: it is gone. */
  readonly snapshot: Snapshot | undefined
}

const channelAgain = ({ channel, snapshot }: ChannelAgain) =>
  snapshot ? { channel, kind: 'snapshot', snapshot } : { channel, kind: 'missing' }
