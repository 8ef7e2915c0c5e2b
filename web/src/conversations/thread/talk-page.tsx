/**
 * A session of an agent by its key, and several of them side by side; on a phone one at a time,
 * chosen by its tab.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { refetch, useHome } from '../../live/queries.ts'
import { ColumnsIcon } from '../../parts/icons.tsx'
import { Empty, useTitle, wholeScreen } from '../../parts/page.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { mostColumns } from '../../shell/listed-views.ts'
import { StateDot } from '../../shell/state-dot.tsx'
import { useWords } from '../../translations/messages.tsx'
import { ChatPanel } from '../chat/chat-panel.tsx'
import { conversation } from '../conversation-queries.ts'
import { useNameOf } from '../titles.ts'
import { parseWebAddress } from '../web-address.ts'
import { OpenBeside } from './open-beside.tsx'

export function TalkPage() {
  const { key } = useParams({ from: '/shell/projects/$projectId/session/$key' })
  return <Talk key={key} conversationKey={key} />
}

interface TalkProps {
  readonly conversationKey: string
  readonly onClose?: () => void
  /** Shown beside a list that leads to it: nobody is called. */
  readonly isBeside?: boolean
}

/** Whose it is, is in the key of a chat, and asked for otherwise. */
export function Talk({ conversationKey, onClose, isBeside = false }: TalkProps) {
  const words = useWords()
  const home = useHome()
  const chat = parseWebAddress(conversationKey)
  const query = conversation(conversationKey)
  const { data, error } = useQuery({ ...query, enabled: chat === undefined, retry: false })
  const { projectId, agentId } = chat ?? data ?? {}
  const project = home?.projects.find(({ id }) => id === projectId)
  const agent = home?.agents.find(({ id }) => id === agentId)
  if (project && agent)
    return (
      <ChatPanel
        project={project}
        agent={agent}
        conversationKey={conversationKey}
        onClose={onClose}
        isBeside={isBeside}
      />
    )
  return (
    <div className="flex flex-col gap-3 px-4 py-6">
      {error && !data ? (
        <ProblemNote error={error} onRetry={() => void refetch(query)} />
      ) : home && (chat ?? data) ? (
        <Empty title={words.chat.notHere}>
          <p className="text-quiet">{words.chat.noAgentsText}</p>
        </Empty>
      ) : (
        <Waiting what={words.things.messages} onRetry={() => void refetch(query)} />
      )}
    </div>
  )
}

export function ColumnsPage() {
  const { columns: words } = useWords()
  const { keys }: { keys: readonly string[] } = useSearch({ from: '/shell/columns' })
  const navigate = useNavigate()
  const [chosenKey, setChosen] = useState<string>()
  useTitle(words.title)
  const chosen = keys.find((key) => key === chosenKey) ?? keys.at(-1)
  const close = (key: string) =>
    void navigate({
      to: '/columns',
      search: { keys: keys.filter((each) => each !== key) },
      replace: true,
    })
  return (
    <div className={`flex flex-col ${wholeScreen}`}>
      <header className="flex min-h-12 shrink-0 items-center gap-3 border-b border-line px-4 max-md:min-h-11">
        <ColumnsIcon className="text-quiet" />
        <h1 className="font-semibold">{words.title}</h1>
        <span className="text-sm text-faint tabular-nums">{keys.length}</span>
        <span className="ml-auto">{keys.length < mostColumns && <OpenBeside keys={keys} />}</span>
      </header>
      {keys.length === 0 && (
        <div className="px-4 py-6">
          <Empty title={words.empty}>
            <p className="text-quiet">{words.emptyText}</p>
          </Empty>
        </div>
      )}
      <nav
        aria-label={words.tabs}
        className="flex shrink-0 gap-2 overflow-x-auto border-b border-line px-2 py-1 [scrollbar-width:none] md:hidden"
      >
        {keys.map((key) => (
          <Tab
            key={key}
            conversationKey={key}
            isChosen={key === chosen}
            onChoose={() => setChosen(key)}
          />
        ))}
      </nav>
      <div className="flex min-h-0 flex-1 overflow-x-auto">
        {keys.map((key) => (
          <div
            key={key}
            data-column={key}
            className={`flex min-h-0 min-w-0 flex-1 flex-col border-line md:min-w-88 md:not-first:border-l ${key === chosen ? '' : 'max-md:hidden'}`}
          >
            <Talk conversationKey={key} onClose={() => close(key)} />
          </div>
        ))}
      </div>
    </div>
  )
}

function Tab({
  conversationKey,
  isChosen,
  onChoose,
}: {
  conversationKey: string
  isChosen: boolean
  onChoose: () => void
}) {
  const { console: words } = useWords()
  const { data } = useQuery({ ...conversation(conversationKey), retry: false })
  const nameOf = useNameOf()
  const state = data?.activity ?? 'idle'
  return (
    <button
      type="button"
      aria-current={isChosen || undefined}
      onClick={onChoose}
      className="flex min-h-9 max-w-48 shrink-0 items-center gap-1.5 rounded-md px-3 text-quiet shadow-[inset_0_0_0_1px_var(--edge)] aria-[current=true]:bg-accent-wash aria-[current=true]:font-medium aria-[current=true]:text-ink"
    >
      <StateDot state={state} />
      <span className="truncate">{nameOf(data ?? { key: conversationKey })}</span>
      <span className="sr-only">{words.states[state]}</span>
    </button>
  )
}
