/**
 * Conversations as the sidebar lists them: those of one console are one entry, in the most urgent
 * of their states. Pure.
 */
import type {
  Conversation,
  ListedConversation,
} from '../../../src/protocol/conversations/conversation.ts'
import { parseWebAddress } from '../conversations/web-address.ts'
import type { LiveState } from './live-state.ts'

export interface ListedView {
  readonly id: string
  /** The conversation, or the first of the console's. */
  readonly key: string
  readonly projectId: string
  readonly agentId: string | undefined
  readonly userSessionId: string | undefined
  /** The view is one agent's session, which people write in. */
  readonly canWrite: boolean
  readonly isFork: boolean
  readonly agents: readonly string[]
  /** The number of roles. */
  readonly roles: number
  /** What a person or the agent called it, else its first prompt; undefined: neither. */
  readonly title: string | undefined
  readonly state: LiveState
  readonly at: string
  readonly isLive: boolean
  readonly isUnread: boolean
  /** What failed in it was dismissed. */
  readonly isSettled: boolean
  readonly canClose: boolean
}

/** A session with a process and a place of its own, in which nothing runs or waits (SL6). */
export const isClosable = ({ kind, state, activity }: ListedConversation): boolean =>
  kind === 'session' && state === 'open' && (activity === 'idle' || activity === 'ended')

/** The most urgent first. */
const urgency: readonly NonNullable<ListedConversation['activity']>[] = [
  'waiting',
  'failed',
  'interrupted',
  'limited',
  'working',
  'starting',
  'idle',
  'ended',
]
const isFinished = (activity: string): boolean => activity === 'idle' || activity === 'ended'
const live: ReadonlySet<string> = new Set(['waiting', 'limited', 'working', 'starting'])

/** Sessions side by side; more do not fit. */
export const mostColumns = 6

/**
 * Whether it is one agent's session that is neither a chat nor a role: a fork, or its work on
 * tasks.
 */
export const hasAgent = (key: string): boolean => /^(?:session|fork|work):/.test(key)

export const userSessionOf = (key: string): string | undefined =>
  /^console:([^.]+)\./.exec(key)?.[1]

/**
 * Those of a project, newest first. Conversations that agents have among themselves are not a
 * person's.
 */
export function viewsOf(listed: readonly ListedConversation[], projectId: string): ListedView[] {
  const own = listed.filter(
    (each) => each.projectId === projectId && each.kind !== 'agent' && each.lastMessage !== null,
  )
  const groups = Map.groupBy(own, ({ key, userSessionId }) => userSessionId ?? key)
  return [...groups]
    .map(([id, some]) => viewOf(id, some, projectId))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
}

function viewOf(id: string, some: readonly ListedConversation[], projectId: string): ListedView {
  const [first] = oldestFirst(some)
  const key = first?.key ?? ''
  const activity = urgency.find((each) => some.some((one) => activityIn(one) === each)) ?? 'idle'
  const named = titleOfAll(some)
  const isUnread = some.some(({ unread }) => unread)
  return {
    id,
    key,
    projectId,
    agentId: parseWebAddress(key)?.agentId,
    userSessionId: first?.userSessionId,
    canWrite: parseWebAddress(key) !== undefined || hasAgent(key),
    isFork: first?.forkedFrom !== undefined,
    agents: [...new Set(some.flatMap((one) => one.agentId ?? []))],
    roles: some.length,
    title: named ? oneLine(named) : undefined,
    state: isFinished(activity) && isUnread ? 'finished' : activity,
    at: some[0]?.lastMessage?.createdAt ?? some[0]?.updated ?? '',
    isLive: live.has(activity),
    isSettled: some.every(({ settled }) => settled),
    canClose: some.every(isClosable),
    isUnread,
  }
}

/** What waits for its folder waits for nobody. */
const activityIn = ({ activity, waitsFor }: ListedConversation) =>
  waitsFor ? 'starting' : activity

const oldestFirst = <Item extends { readonly created: string }>(some: readonly Item[]): Item[] =>
  some.toSorted((a, b) => (a.created < b.created ? -1 : 1))

/**
 * The title of a console is its first conversation's that has one, else what its first one began
 * with: others do not change it.
 */
export function titleOfAll(
  some: readonly Pick<Conversation, 'created' | 'title' | 'opening'>[],
): string | null | undefined {
  const byAge = oldestFirst(some)
  return byAge.find(({ title }) => title !== null)?.title ?? byAge[0]?.opening
}

/** The first line, without the marks of Markdown, which would be read as text. */
export const oneLine = (text: string): string =>
  (text.trim().split('\n', 1)[0] ?? '')
    .replaceAll(/[*`#>]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}_])/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
