/** Now without anything on it: a session can be begun, or one of the newest gone on with. */
import { useQuery } from '@tanstack/react-query'
import { TalkLink } from '../conversations/thread/talk-link.tsx'
import { useTitleOf } from '../conversations/titles.ts'
import { useAgentAndProject } from '../live/display-names.ts'
import { useHome, useMay } from '../live/queries.ts'
import { recent } from '../live/recent.ts'
import { composerClass } from '../parts/field.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { type ListedView, viewsOf } from '../shell/listed-views.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { NewSession } from './new-session.tsx'

const mostRecent = 5

export function NothingNow() {
  const { now } = useWords()
  const home = useHome()
  const mayWrite = useMay('write')
  const listed = useQuery({ ...recent, enabled: false }).data ?? []
  const views = (home?.projects ?? [])
    .flatMap(({ id }) => viewsOf(listed, id))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, mostRecent)
  return (
    <>
      {mayWrite && (
        <div className={composerClass}>
          <NewSession />
        </div>
      )}
      {views.length > 0 && (
        <Section title={now.recent}>
          <Rows label={now.recent}>
            {views.map((view) => (
              <RecentRow key={view.id} view={view} />
            ))}
          </Rows>
        </Section>
      )}
    </>
  )
}

function RecentRow({ view }: { view: ListedView }) {
  const titleOf = useTitleOf()
  const { console: words } = useWords()
  const { project } = useAgentAndProject({ projectId: view.projectId, agentId: '' })
  return (
    <li>
      <TalkLink
        conversationKey={view.key}
        projectId={view.projectId}
        data-row
        className="-mx-2 flex min-h-10 items-center gap-x-3 rounded-md px-2 -outline-offset-2 hover:bg-hover max-md:min-h-11"
      >
        <StateDot state={view.state} />
        <span className="sr-only">{words.states[view.state]}: </span>
        <span className="min-w-0 flex-1 truncate" dir="auto">
          {view.title ?? titleOf(view.key).title}
        </span>
        <span className="max-w-2/5 truncate text-sm text-quiet max-sm:hidden">{project}</span>
        <Ago at={view.at} className="text-sm whitespace-nowrap text-faint tabular-nums" />
      </TalkLink>
    </li>
  )
}
