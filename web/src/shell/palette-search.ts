/**
 * What the command palette finds beyond what the page knows: sessions, tasks, messages and notes of
 * the server, and files of the workplace.
 */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { type useNavigate, useParams } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import type { SearchAnswer } from '../../../src/protocol/conversations/search.ts'
import { parseWebAddress } from '../conversations/web-address.ts'
import { client } from '../live/queries.ts'
import { recent } from '../live/recent.ts'
import type { Messages } from '../translations/en.ts'
import { useWriting } from '../translations/messages.tsx'
import { hasAgent, oneLine, userSessionOf } from './listed-views.ts'
import type { PaletteItem } from './palette-items.ts'

const minTyped = 2
const mostMessages = 8
const mostFiles = 6
/** Typing on is waited for. */
const gatherMs = 150

const gathered = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, gatherMs)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

const found = (q: string) =>
  queryOptions<SearchAnswer>({
    queryKey: ['palette', q],
    queryFn: async ({ signal }) => {
      await gathered(signal)
      return client.get('/api/search', {
        query: { q, limit: mostMessages, titles: true },
        signal,
        retries: 0,
      })
    },
    enabled: q.length >= minTyped,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 10_000,
  })

const filesLike = (key: string | undefined, q: string) =>
  queryOptions<readonly string[]>({
    queryKey: ['palette-files', key, q],
    queryFn: async ({ signal }) => {
      await gathered(signal)
      const asked = { params: { key: key ?? '' }, query: { q }, signal, retries: 0 }
      return (await client.get('/api/conversations/{key}/files', asked)).items.slice(0, mostFiles)
    },
    enabled: key !== undefined && q.length >= minTyped,
    staleTime: 0,
    gcTime: 10_000,
  })

/** The conversation in front, or the newest of the project in front. */
function useConversationInFront(): string | undefined {
  const { projectId, agentId, key } = useParams({ strict: false })
  const listed = useQuery({ ...recent, enabled: false }).data
  if (key !== undefined) return key
  if (projectId === undefined) return undefined
  const known = listed?.filter((each) => each.projectId === projectId)
  const chat = `web:${projectId}.${agentId}`
  return known?.find((each) => each.key === chat)?.key ?? known?.[0]?.key
}

interface FoundOptions {
  readonly words: Messages
  readonly navigate: ReturnType<typeof useNavigate>
  readonly projectName: (id: string | null) => string | undefined
  readonly agentName: (id: string | undefined) => string | undefined
  readonly onFile: (path: string) => void
}

const goWith =
  (navigate: FoundOptions['navigate']) =>
  (key: string, projectId: string | null): void => {
    const userSessionId = userSessionOf(key)
    const chat = parseWebAddress(key)
    if (userSessionId && projectId)
      void navigate({
        to: '/projects/$projectId/console/$userSessionId',
        params: { projectId, userSessionId },
      })
    else if (chat) void navigate({ to: '/projects/$projectId/chat/$agentId', params: chat })
    else if (projectId && hasAgent(key))
      void navigate({ to: '/projects/$projectId/session/$key', params: { projectId, key } })
    else void navigate({ to: '/conversations/$key', params: { key } })
  }

const mostRecent = 8

/** The newest sessions, for who has typed nothing yet. */
export function useRecent({ words, navigate, projectName }: FoundOptions): PaletteItem[] {
  const writing = useWriting()
  const listed = useQuery({ ...recent, enabled: false }).data ?? []
  const goTo = goWith(navigate)
  return listed
    .filter(({ kind, lastMessage }) => kind !== 'agent' && lastMessage !== null)
    .slice(0, mostRecent)
    .flatMap(({ key, projectId, title, opening, lastTurnAt }): PaletteItem[] => {
      const text = title ?? (opening && oneLine(opening))
      if (!text) return []
      const note = [projectName(projectId), writing.age(lastTurnAt, Date.now())]
      return [
        {
          id: `recent-${key}`,
          group: words.now.recent,
          text,
          note: note.filter(Boolean).join(' · '),
          act: () => goTo(key, projectId),
        },
      ]
    })
}

/** In the order in which they are shown. */
export function useFound(
  typed: string,
  { words, navigate, projectName, agentName, onFile }: FoundOptions,
): PaletteItem[] {
  const writing = useWriting()
  const q = useDeferredValue(typed.trim())
  const { data } = useQuery(found(q))
  const files = useQuery(filesLike(useConversationInFront(), q)).data ?? []
  if (q.length < minTyped) return []
  const { palette, tasks } = words
  const goTo = goWith(navigate)
  const titles = (data?.titles ?? []).map((each): PaletteItem => {
    if (each.kind === 'conversation') {
      const { conversationKey: key, projectId } = each
      const act = () => goTo(key, projectId)
      const note = [agentName(parseWebAddress(key)?.agentId), projectName(projectId)]
        .filter(Boolean)
        .join(' · ')
      return { id: `view-${key}`, group: palette.sessions, text: oneLine(each.title), note, act }
    }
    if (each.kind === 'task') {
      const { projectId, taskId: task } = each
      const act = () =>
        void navigate({ to: '/projects/$projectId/tasks', params: { projectId }, search: { task } })
      const note = [tasks.statuses[each.status], projectName(projectId)].filter(Boolean).join(' · ')
      return { id: `task-${projectId}-${task}`, group: palette.tasks, text: each.title, note, act }
    }
    const { day, conversationKey } = each
    const act = () => void navigate({ to: '/conversations/notes', search: { day } })
    return {
      id: `note-${day}-${conversationKey}`,
      group: palette.notes,
      text: oneLine(each.title),
      note: day,
      act,
    }
  })
  const messages = (data?.items ?? []).map(
    ({
      conversationKey: key,
      seq,
      messageId,
      excerpt,
      highlights,
      projectId,
      createdAt,
    }): PaletteItem => ({
      id: `message-${messageId}`,
      group: palette.messages,
      // As long as the excerpt: what was found is marked by its place.
      text: excerpt.replaceAll(/\s/g, ' '),
      marks: highlights,
      note: [projectName(projectId), writing.age(createdAt, Date.now())]
        .filter(Boolean)
        .join(' · '),
      act: () => void navigate({ to: '/conversations/$key', params: { key }, search: { at: seq } }),
    }),
  )
  const ofWorkplace = files.map(
    (path): PaletteItem => ({
      id: `file-${path}`,
      group: palette.files,
      text: path,
      act: () => onFile(path),
    }),
  )
  const isNote = ({ group }: PaletteItem): boolean => group === palette.notes
  return [
    ...titles.filter((item) => !isNote(item)),
    ...ofWorkplace,
    ...messages,
    ...titles.filter(isNote),
  ]
}
