/**
 * What is asked in a chat with buttons (CN7): requests of agents, and whether a waiting message is
 * answered now. A button carries a random token, of which only the hash is kept; what it means is
 * decided here, never by who presses it.
 */
import { isChoice, type Option, optionFor } from '../../domain/approvals/permission.ts'
import { askWords, type Ending, fenced } from '../../domain/channels/ask-texts.ts'
import type { ChatLanguage } from '../../domain/channels/chat-texts.ts'
import type { ChatAddress } from '../../domain/channels/key.ts'
import { type Instant, later } from '../../domain/instant.ts'
import type { AnswerContent, QuestionField } from '../../domain/turns/question.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import { type ApprovalRow, permissionOf, questionOf } from '../../store/approvals/approvals.ts'
import { selectAsksOf, selectButtonsPast } from '../../store/channels/outbox.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import { chatOfConversation, chatStream, isServed, queue } from './channel-chat-record.ts'

/** Longer requests are decided on the page: nothing is approved that was not shown whole. */
const maxShownChars = 1200
/** Buttons in one message, as every platform takes them. */
const maxButtons = 5
const maxLabelChars = 60
/** A button for what has no end of its own. */
const buttonsForMs = 7 * 24 * 3_600_000
const maxMessages = 20
/** Old buttons that are removed with each new message. */
const maxSwept = 20

export interface AskButton {
  readonly label: string
  readonly token: string
  readonly style: 'yes' | 'no' | 'plain'
}

/** What a button does. */
export type ButtonChoice =
  | { readonly is: 'option'; readonly approvalId: number; readonly optionId: string }
  | {
      readonly is: 'verdict'
      readonly approvalId: number
      readonly status: 'approved' | 'rejected'
    }
  | {
      readonly is: 'answer'
      readonly approvalId: number
      readonly action: 'accept' | 'decline'
      readonly content: AnswerContent | null
    }
  | { readonly is: 'begin'; readonly key: string }

interface Offer {
  readonly label: string
  readonly style: AskButton['style']
  readonly choice: ButtonChoice
}

interface Asked {
  readonly text: string
  readonly offers: readonly Offer[]
  readonly expiresAt: Instant | null
}

export const aboutApproval = (id: number): string => `approval:${id}`
export const aboutWait = (key: string): string => `wait:${key}`

/** Queues what is asked; what it says is made when it is sent. */
export const queueAsk = (tx: Tx, place: ChatAddress, about: string, now: Instant): Promise<void> =>
  queue(tx, place, { kind: 'ask', body: JSON.stringify({ about }) }, now)

/** Asks in the chat that a conversation is of; nothing in other conversations. */
export async function askInChat(
  tx: Tx,
  key: string,
  approvalId: number,
  now: Instant,
): Promise<void> {
  const { kind } = await identityOf(tx, key)
  const chat = await chatOfConversation(tx, { key, kind })
  if (!chat || !(await isServed(tx, chat))) return
  const place = { channel: chat.channel, chatId: chat.chat_id }
  tx.lock(chatStream(place))
  await queueAsk(tx, place, aboutApproval(approvalId), now)
}

/** The text and buttons to be sent; undefined when it is over already. */
export async function contentToAsk(
  tx: Tx,
  place: ChatAddress,
  { about }: { readonly about: string },
  { now, random, language }: Context & { readonly language: ChatLanguage },
): Promise<{ content: string; buttons: AskButton[] } | undefined> {
  const request = await askedOf(tx, about, language)
  if (!request || (request.expiresAt !== null && request.expiresAt <= now)) return undefined
  for (const { hash } of await tx.all(selectButtonsPast, { now, limit: maxSwept }))
    await tx.delete('channel_buttons', { hash })
  const buttons: AskButton[] = []
  for (const { label, style, choice } of request.offers) {
    const token = random.text(26)
    await tx.insert('channel_buttons', {
      hash: hashSecret(token),
      channel: place.channel,
      chat_id: place.chatId,
      about,
      choice: JSON.stringify(choice),
      expires_at: request.expiresAt ?? later(now, buttonsForMs),
    })
    buttons.push({ label: label.slice(0, maxLabelChars).toWellFormed(), token, style })
  }
  return { content: request.text, buttons }
}

/** Remembers the message; if all was decided while it was sent, it says so at once. */
export async function recordAsk(
  tx: Tx,
  place: ChatAddress,
  { about, ref }: { readonly about: string; readonly ref: string },
  now: Instant,
): Promise<void> {
  const { channel, chatId: chat_id } = place
  await tx.put('channel_asks', { about, channel, chat_id, ref })
  if (!(await askedOf(tx, about, 'en'))) await closeAsk(tx, about, now)
}

/** Takes the buttons away and tells in their messages what became of it. */
export async function closeAsk(tx: Tx, about: string, now: Instant): Promise<void> {
  await tx.delete('channel_buttons', { about })
  for (const { channel, chat_id, ref } of await tx.all(selectAsksOf, {
    about,
    limit: maxMessages,
  })) {
    const place = { channel, chatId: chat_id }
    tx.lock(chatStream(place))
    await queue(tx, place, { kind: 'edit', body: JSON.stringify({ about, ref }) }, now)
    await tx.delete('channel_asks', { about, channel, chat_id })
  }
}

/** The words in place of what was asked, and what became of it. */
export async function contentToEdit(
  reader: Reader,
  { about, ref }: { readonly about: string; readonly ref: string },
  { language, timeZone }: Pick<Context, 'timeZone'> & { readonly language: ChatLanguage },
): Promise<{ content: string; editRef: string }> {
  const words = askWords(language)
  const row = await approvalRow(reader, about)
  if (!row) return { content: words.waitOver, editRef: ref }
  const at = Temporal.Instant.from(row.resolved_at ?? row.submitted_at)
    .toZonedDateTimeISO(timeZone)
    .toPlainTime()
    .toString({ smallestUnit: 'minute' })
  const who = await nameOf(reader, row.decided_by)
  const ended = words.ended({ is: endingOf(row), who, at: `${at} (${timeZone})` })
  const { text } = await offersOf(reader, row, language)
  return { content: `${text}\n\n${ended}`, editRef: ref }
}

function endingOf({ status, outcome, question }: ApprovalRow): Ending['is'] {
  if (outcome === 'expired' || outcome === 'withdrawn') return outcome
  if (status === 'revision_requested') return 'back'
  if (status !== 'approved') return 'no'
  return question === null ? 'yes' : 'answered'
}

async function nameOf(reader: Reader, id: string | null): Promise<string> {
  if (id === null) return 'Holdfast'
  return (await reader.row('people', { id }))?.name ?? id
}

async function approvalRow(reader: Reader, about: string): Promise<ApprovalRow | undefined> {
  const [, id] = /^approval:(\d+)$/.exec(about) ?? []
  return id === undefined ? undefined : reader.row('human_approvals', { id: Number(id) })
}

/** Undefined when it is over. */
async function askedOf(
  reader: Reader,
  about: string,
  language: ChatLanguage,
): Promise<Asked | undefined> {
  const words = askWords(language)
  if (about.startsWith('wait:')) {
    const choice = { is: 'begin', key: about.slice('wait:'.length) } as const
    const offers = [{ label: words.answerNow, style: 'plain', choice } as const]
    return { text: words.wait, offers, expiresAt: null }
  }
  const row = await approvalRow(reader, about)
  if (row?.status !== 'pending') return undefined
  return { ...(await offersOf(reader, row, language)), expiresAt: row.deadline }
}

async function offersOf(reader: Reader, row: ApprovalRow, language: ChatLanguage) {
  const words = askWords(language)
  const agent = (await reader.row('agents', { id: row.leader_id }))?.name ?? row.leader_id
  const permission = permissionOf(row)
  const question = questionOf(row)
  if (permission) {
    const { call, options } = permission
    const shown = shownCall(call, words.inFolder)
    const head = words.permission(agent)
    return shown === undefined
      ? { text: `${head} ${cut(call.title)}\n\n${words.onPage}`, offers: [] }
      : { text: `${head} ${shown}`, offers: optionOffers(row.id, options, words) }
  }
  if (question) {
    const offers = answerOffers(row.id, question.schema, words)
    const note = offers.length > 0 ? '' : `\n\n${words.formOnPage}`
    return { text: `${words.question(agent)} ${cut(question.message)}${note}`, offers }
  }
  const head = words.approval(agent, row.checkpoint_type)
  const whole = [
    row.instruction_content ?? '',
    ...[row.worker_instructions, row.artifacts].flatMap((each) =>
      each === '[]' ? [] : [fenced(each)],
    ),
  ]
    .filter(Boolean)
    .join('\n\n')
  if (whole.length > maxShownChars)
    return { text: `${head} ${cut(whole)}\n\n${words.onPage}`, offers: [] }
  const approvalId = row.id
  const verdict = (status: 'approved' | 'rejected') =>
    ({ is: 'verdict', approvalId, status }) as const
  return {
    text: `${head} ${whole}`,
    offers: [
      { label: words.approve, style: 'yes', choice: verdict('approved') },
      { label: words.reject, style: 'no', choice: verdict('rejected') },
    ] as const,
  }
}

const cut = (text: string): string =>
  text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars).toWellFormed()}…`

type Permission = NonNullable<ReturnType<typeof permissionOf>>

/** All that is asked for; undefined when it is more than can be shown. */
function shownCall(
  call: Permission['call'],
  inFolder: (folder: string) => string,
): string | undefined {
  const code = call.command ?? call.input ?? ''
  const parts = [
    call.title,
    ...(code === '' || code === call.title ? [] : [fenced(code)]),
    ...(call.cwd === undefined ? [] : [inFolder(call.cwd)]),
    ...call.locations.map(({ path }) => path),
  ]
  for (const each of call.content) {
    if (each.type === 'text') parts.push(fenced(each.text))
    else if (each.type === 'diff') parts.push(each.path, fenced(each.newText))
    else return undefined
  }
  const shown = [...new Set(parts)].join('\n')
  return call.cut || shown.length > maxShownChars ? undefined : shown
}

type Words = ReturnType<typeof askWords>

function optionOffers(
  approvalId: number,
  options: readonly (Option & { readonly name: string })[],
  words: Words,
): Offer[] {
  const offer = (optionId: string, label: string, style: Offer['style']): Offer => ({
    label,
    style,
    choice: { is: 'option', approvalId, optionId },
  })
  if (isChoice(options))
    return options.length > maxButtons
      ? []
      : options.map(({ optionId, name }) => offer(optionId, name, 'plain'))
  const yes = optionFor('allow', options)
  const no = optionFor('deny', options)
  return [
    ...(yes === null ? [] : [offer(yes, words.allow, 'yes')]),
    ...(no === null ? [] : [offer(no, words.deny, 'no')]),
  ]
}

/** A question that one press answers: one field with a few values, or no form at all. */
function answerOffers(
  approvalId: number,
  schema: { readonly properties: Readonly<Record<string, QuestionField>> } | null | undefined,
  words: Words,
): Offer[] {
  const offer = (
    label: string,
    style: Offer['style'],
    action: 'accept' | 'decline',
    content: AnswerContent | null,
  ): Offer => ({ label, style, choice: { is: 'answer', approvalId, action, content } })
  const decline = offer(words.decline, 'no', 'decline', null)
  if (!schema) return [offer(words.done, 'yes', 'accept', null), decline]
  const [[name, field] = [], ...more] = Object.entries(schema.properties)
  if (name === undefined || field === undefined || more.length > 0) return []
  if (field.type === 'boolean')
    return [
      offer(words.yes, 'plain', 'accept', { [name]: true }),
      offer(words.no, 'plain', 'accept', { [name]: false }),
    ]
  if (field.type !== 'string') return []
  const titled = field.oneOf?.map(({ const: value, title }) => [value, title] as const)
  const choices = titled ?? field.enum?.map((value) => [value, value] as const) ?? []
  if (choices.length === 0 || choices.length >= maxButtons) return []
  return [
    ...choices.map(([value, title]) => offer(title, 'plain', 'accept', { [name]: value })),
    decline,
  ]
}
