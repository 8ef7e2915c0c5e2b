/**
 * Modes, models and other options of a conversation's agent (AG14). An agent in a role has them
 * with its role (AG6); in any other conversation they are kept with the context. A choice holds for
 * all later contexts of the conversation: it is sent at once to one that is open, and with every
 * turn, since a coordinator runs each order once.
 */

import { notOffered, withChange } from '../../domain/consoles/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import { detailFrom, noticeField, textOf } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream, coordinatorStream, turnsStream } from '../../domain/stream-name.ts'
import type { ChatOptions } from '../../protocol/conversations/chat-options.ts'
import type { LinkFact } from '../../protocol/processes/link.ts'
import type { AgentOption, AgentUpdate } from '../../protocol/turns/agent-update.ts'
import type { ConfigChange } from '../../protocol/turns/config-change.ts'
import type { ConfigureOrder } from '../../protocol/turns/link.ts'
import { noOffers, type Offers, selectOccupant } from '../../store/consoles/user-sessions.ts'
import { identityOf, rolePlaceOf } from '../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import {
  type Context,
  defineQuery,
  defineUseCase,
  type Reader,
  type Tx,
} from '../../store/store.ts'
import { type ContextRow, selectContextOf, selectLatestOffers } from '../../store/turns/contexts.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import { invalidField } from '../refusals.ts'
import { type ContextKey, getOrCreateContext, lockContext } from './context-record.ts'
import { changeContext } from './move-context.ts'

/** Updates of no turn that readers of a chat are told; all but its use are kept. */
export const shownInChats: ReadonlySet<string> = new Set([
  'commands',
  'title',
  'mode',
  'options',
  'usage',
])

type Choice = Omit<ConfigureOrder, 'launchId' | 'contextId'>
type OfferedOptions = Pick<Offers, 'images' | 'modes' | 'modeId' | 'options'>

interface ChatOffers extends OfferedOptions {
  /** What people chose: one for the mode and for each option. */
  readonly chosen: readonly Choice[]
}

const offersIn = ({ offers }: Pick<ContextRow, 'offers'>): ChatOffers | undefined =>
  offers === null ? undefined : JSON.parse(offers)

async function write(tx: Tx, row: ContextRow, offers: ChatOffers): Promise<void> {
  await lockContext(tx, row.conversation_key)
  await changeContext(tx, row, { offers: JSON.stringify(offers) })
}

/** The choices that are sent with each turn of a context. */
export const choicesIn = (row: ContextRow): { configure?: readonly Choice[] } => {
  const chosen = offersIn(row)?.chosen ?? []
  return chosen.length === 0 ? {} : { configure: chosen }
}

/** Keeps what an agent offers in a context that was just opened. */
export async function keepOffers(
  tx: Tx,
  row: ContextRow,
  { images, modes, modeId, options }: OfferedOptions,
): Promise<void> {
  await write(tx, row, { images, modes, modeId, options, chosen: offersIn(row)?.chosen ?? [] })
}

/** The same as its process comes; who waits for an agent that was never opened is told. */
export async function keepFirstOffers(
  tx: Tx,
  row: ContextRow,
  offered: OfferedOptions,
): Promise<void> {
  const { conversation_key: key, agent_id: role } = row
  const isKnown =
    row.offers !== null || (await tx.first(selectLatestOffers, { agentId: role })) !== undefined
  await keepOffers(tx, row, offered)
  if (isKnown || offered.options.length === 0) return
  const update = { kind: 'options' as const, options: [...offered.options] }
  tx.append(turnsStream(key), { type: 'agent:update', data: { messageId: null, update, role } })
}

/**
 * Keeps a mode or options that the agent reports, also as what was chosen: some agents change them
 * by themselves.
 */
export async function keepOption(tx: Tx, row: ContextRow, update: AgentUpdate): Promise<void> {
  const before = offersIn(row)
  if (!before || (update.kind !== 'mode' && update.kind !== 'options')) return
  const now = {
    ...before,
    ...(update.kind === 'mode' ? { modeId: update.modeId } : { options: update.options }),
  }
  const current = (change: ConfigChange): ConfigChange => {
    if ('modeId' in change) return now.modeId === null ? change : { modeId: now.modeId }
    return {
      ...change,
      value: now.options.find(({ id }) => id === change.optionId)?.value ?? change.value,
    }
  }
  await write(tx, row, {
    ...now,
    chosen: now.chosen.map((choice) => ({ ...choice, change: current(choice.change) })),
  })
}

/** Records that a choice was applied or refused. */
export async function keepResult(
  tx: Tx,
  launchId: string,
  fact: Extract<LinkFact, { type: 'agent-configured' }>,
): Promise<void> {
  const row = await tx.row('contexts', { id: fact.contextId ?? '' })
  const before = row?.launch_id === launchId ? offersIn(row) : undefined
  const { configureId, change } = fact
  if (!row || !before?.chosen.some((choice) => choice.configureId === configureId)) return
  const error = detailFrom(fact.error, fact.notice)
  const others = before.chosen.filter((choice) => choice.configureId !== configureId)
  await write(
    tx,
    row,
    error === null
      ? { ...withChange(before, change), chosen: [...others, { configureId, change }] }
      : { ...before, chosen: others },
  )
  const data = { role: row.agent_id, change, error: error && textOf(error), ...noticeField(error) }
  tx.append(turnsStream(row.conversation_key), { type: 'agent:configured', data })
}

const view = ({ chosen, ...offers }: ChatOffers): ChatOptions => {
  const { images, modes, modeId, options } = chosen.reduce(
    (set, { change }) => withChange(set, change),
    offers,
  )
  return { images, modes: [...modes], modeId, options: [...options] }
}

/** Options of its context, else of any context of the same agent. */
async function knownOffers(
  reader: Reader,
  { key, agent_id: agentId, project_id: projectId }: ConversationRow,
) {
  if (agentId === null || projectId === null) return undefined
  const row = await reader.first(selectContextOf, { agentId, projectId, key, originKey: '' })
  const own = row && offersIn(row)
  const latest = own ? undefined : await reader.first(selectLatestOffers, { agentId })
  const offers = own ?? (latest && { ...JSON.parse(latest.offers ?? ''), chosen: [] })
  return {
    row,
    offers: offers as ChatOffers | undefined,
    which: { agentId, projectId, key, originKey: '' },
  }
}

export const takesNoPictures = async (
  reader: Reader,
  conversation: ConversationRow,
): Promise<boolean> => (await knownOffers(reader, conversation))?.offers?.images === false

/** The options of a conversation's agent, none when they are not known yet. */
export const readOptions = defineQuery('read-options', {
  scope: 'read',
  on: 'conversation',
  run: optionsOf,
})

/** The same for who sets one. */
export const findOptions = defineQuery('find-options', {
  scope: 'approve',
  on: 'conversation',
  run: optionsOf,
})

async function optionsOf(reader: Reader, { key }: { readonly key: string }): Promise<ChatOptions> {
  streamOfKey(key)
  const inRole = rolePlaceOf(await identityOf(reader, key))
  const agent = inRole && (await reader.first(selectOccupant, inRole))
  const offered = agent
    ? undefined
    : await knownOffers(reader, await existingConversation(reader, key))
  const offers: ChatOffers = agent
    ? { ...JSON.parse(agent.offers), chosen: [] }
    : (offered?.offers ?? { ...noOffers, chosen: [] })
  return view(offers)
}

interface Input {
  readonly key: string
  readonly change: ConfigChange
  readonly by: string
}

export const configureChat = defineUseCase('configure-chat', {
  scope: 'approve',
  on: 'conversation',
  streams: ({ key }: Input) => [conversationStream(key), turnsStream(key)],
  run: async (tx, { key, change, by }, context): Promise<ChatOptions> => {
    const offered = await knownOffers(tx, await existingConversation(tx, key))
    if (!offered?.offers) throw new Refusal('wrong_state', refusalText('optionsUnknown'))
    const wrong = notOffered(offered.offers, change)
    if (wrong) throw invalidField(wrong.field, wrong.detail)
    return view(await choose(tx, { ...offered, offers: offered.offers }, { change, by }, context))
  },
})

interface KnownOffers {
  readonly which: ContextKey
  readonly offers: ChatOffers
}

async function choose(
  tx: Tx,
  { which, offers }: KnownOffers,
  { change, by }: Pick<Input, 'change' | 'by'>,
  context: Context,
): Promise<ChatOffers> {
  const row = await getOrCreateContext(tx, which, context)
  const choice = { configureId: context.random.uuid(), change }
  const set = {
    ...offers,
    chosen: [...offers.chosen.filter((each) => targetOf(each) !== targetOf(choice)), choice],
  }
  await write(tx, row, set)
  const launch =
    row.state === 'open' && row.launch_id !== null ? await findLaunch(tx, row.launch_id) : undefined
  if (launch)
    tx.append(coordinatorStream(launch.coordinatorId), {
      type: 'configure-ordered',
      data: { launchId: launch.id, contextId: row.id, ...choice },
    })
  tx.append(turnsStream(which.key), {
    type: 'agent:configuring',
    data: { role: row.agent_id, change, by },
  })
  return set
}

const modelIn = (offers: Pick<ChatOffers, 'options'> | undefined) =>
  offers?.options.find(({ category }) => category === 'model')

/** The models that an agent offers in a conversation, as far as they are known. */
export async function modelsOf(reader: Reader, row: ConversationRow): Promise<AgentModels> {
  const offers = (await knownOffers(reader, row))?.offers
  const option = modelIn(offers && view(offers))
  return { models: [...(option?.values ?? [])], model: option ? String(option.value) : null }
}

interface AgentModels {
  readonly models: AgentOption['values']
  /** The one that is chosen. */
  readonly model: string | null
}

/** Chooses the model of the agent of a conversation (SN21), who need not have been in it yet. */
export async function chooseModel(
  tx: Tx,
  row: ConversationRow,
  { model, by }: { readonly model: string; readonly by: string },
  context: Context,
): Promise<void> {
  const offered = await knownOffers(tx, row)
  if (!offered?.offers) throw new Refusal('wrong_state', refusalText('optionsUnknown'))
  const option = modelIn(offered.offers)
  const agent = row.agent_id ?? ''
  if (!option) throw new Refusal('wrong_state', refusalText('noModels', { agent }))
  const change = { optionId: option.id, value: model }
  const wrong = notOffered(offered.offers, change)
  if (wrong) throw invalidField('model', wrong.detail)
  await choose(tx, { ...offered, offers: offered.offers }, { change, by }, context)
}

const targetOf = ({ change }: Choice): string => ('modeId' in change ? '' : change.optionId)
