/**
 * Review: what a session has changed, as a whole, not committed, since one looked last, or by
 * prompt; with comments, and the ways it lands (WT2, WT6, RV1, LD9).
 */
import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type {
  SetUpReport,
  Worktree,
  WorktreeState,
} from '../../../src/protocol/worktrees/worktree.ts'
import { conversation } from '../conversations/conversation-queries.ts'
import { TalkLink } from '../conversations/thread/talk-link.tsx'
import { client, invalidate, keptShortlyMs, useMay } from '../live/queries.ts'
import { recent } from '../live/recent.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Choices } from '../parts/choices.tsx'
import { inputClass } from '../parts/field.tsx'
import { BackIcon, BranchIcon, MoreIcon } from '../parts/icons.tsx'
import { itemClass, MenuPopup } from '../parts/menu.tsx'
import { useTitle } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { browserChoice, useChoice } from '../preferences/choice.ts'
import { LandingBar } from '../review/landing-bar.tsx'
import { SendDrafts } from '../review/line-notes.tsx'
import { ReviewFiles } from '../review/review-files.tsx'
import type { ReviewedView } from '../review/review-queries.ts'
import { useReviewWords } from '../review/words.ts'
import { oneLine } from '../shell/listed-views.ts'
import { useSaid, useWords } from '../translations/messages.tsx'
import type { DiffLayout } from './file-diff.tsx'
import { RemoveWorktree } from './remove-worktree.tsx'
import { keyOf, worktreeById } from './worktree-queries.ts'

const layoutChoice = browserChoice<DiffLayout>('diff-layout', ['unified', 'split'], 'unified')
const from = '/shell/projects/$projectId/review/$worktreeId'

const headClass =
  'flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2'

export function ReviewPage() {
  const words = useWords()
  const { projectId, worktreeId } = useParams({ from })
  const found = useQuery(worktreeById(projectId, worktreeId))
  if (found.error && !found.data)
    return <ProblemNote error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data)
    return <Waiting what={words.worktrees.changes} onRetry={() => void found.refetch()} />
  return (
    <Review
      worktree={found.data.worktree}
      state={found.data.state}
      onRefresh={() => {
        void found.refetch()
        // A file may have changed again, and nothing be counted otherwise.
        for (const what of ['review', 'landing-plan', 'comments', 'viewed']) void invalidate([what])
      }}
    />
  )
}

interface ReviewProps {
  readonly worktree: Worktree
  readonly state: WorktreeState | null
  readonly onRefresh: () => void
}

function Review({ worktree, state, onRefresh }: ReviewProps) {
  const { worktrees: words } = useWords()
  const translate = useSaid()
  const mayWrite = useMay('write')
  const [outcomes, setOutcomes] = useState<readonly string[]>([])
  const done = (outcome: string) => {
    setOutcomes((before) => [...before, outcome])
    onRefresh()
  }
  const key = keyOf(worktree)
  const about = useQuery({ ...conversation(key ?? ''), enabled: key !== undefined }).data
  const now = about && `${about.activity} ${about.updated}`
  const looked = useRef(now)
  // What the agent does changes the files.
  useEffect(() => {
    if (looked.current !== undefined && looked.current !== now) onRefresh()
    looked.current = now
  }, [now, onRefresh])
  const talk = useQuery({ ...recent, enabled: false }).data?.find(
    (each) => each.key === worktree.conversation,
  )
  const name =
    (worktree.conversation && oneLine(talk?.title ?? talk?.opening ?? '')) || worktree.role
  const layout = useChoice(layoutChoice)
  const [view, setView] = useView(key)
  const stamp = state ? `${state.head} ${state.uncommitted} ${state.fileCount}` : ''
  return (
    <section aria-label={words.changesOf(name)} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className={headClass}>
        {key && (
          <TalkLink
            conversationKey={key}
            projectId={worktree.projectId}
            className="rounded-md p-1.5 text-quiet hover:bg-hover"
            title={words.toSession}
          >
            <BackIcon />
            <span className="sr-only">{words.toSession}</span>
          </TalkLink>
        )}
        <Title name={name} />
        <Facts worktree={worktree} state={state} />
        <div className="ml-auto flex min-w-0 flex-wrap items-center gap-2">
          {state && key && (
            <ViewChoice conversationKey={key} state={state} view={view} onView={setView} />
          )}
          <div className="max-md:hidden">
            <Choices
              label={words.layout}
              hideLabel
              value={layout}
              onValue={(value) => layoutChoice.set(value)}
              options={(['unified', 'split'] as const).map((value) => ({
                value,
                name: words.layouts[value],
              }))}
            />
          </div>
          <Button look="quiet" onClick={onRefresh}>
            {words.refresh}
          </Button>
          <Ends worktree={worktree} state={state} mayWrite={mayWrite} />
          {state && key && <SendDrafts conversationKey={key} stamp={stamp} onSent={done} />}
        </div>
      </header>
      {worktree.setUp && <SetUpNote setUp={worktree.setUp} />}
      {!state && (
        <p className="flex-1 px-4 py-6 text-quiet">
          {words.plain} {worktree.note && translate(worktree.note, worktree.notice)}
        </p>
      )}
      {outcomes.length > 0 && (
        <div
          aria-label={words.outcomes}
          role="status"
          className="max-h-24 shrink-0 overflow-y-auto bg-accent-wash px-4 py-2"
        >
          {outcomes.map((outcome, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: outcomes are only added
            <p key={at}>{outcome}</p>
          ))}
        </div>
      )}
      {state && key && (
        <ReviewFiles
          conversationKey={key}
          view={view}
          stamp={stamp}
          layout={layout}
          baseBranch={worktree.baseBranch}
        />
      )}
      {state && key && worktree.branch !== null && (
        <LandingBar
          worktree={worktree}
          state={state}
          conversationKey={key}
          stamp={`${stamp} ${now}`}
          onSaid={done}
          onChanged={onRefresh}
        />
      )}
    </section>
  )
}

function Title({ name }: { name: string }) {
  const { worktrees: words } = useWords()
  useTitle(words.changesOf(name))
  return (
    <h1 className="min-w-0 truncate font-semibold" title={words.changesOf(name)}>
      {name}
    </h1>
  )
}

/** What is shown, in the address: a prompt's changes by its turn. */
function useView(key: string | undefined): [ReviewedView, (view: ReviewedView) => void] {
  const { turn, view } = useSearch({ from })
  const navigate = useNavigate({ from: '/projects/$projectId/review/$worktreeId' })
  const shown: ReviewedView = turn !== undefined && key ? { turnId: turn } : (view ?? 'all')
  const show = (next: ReviewedView) => {
    const search =
      typeof next !== 'string' ? { turn: next.turnId } : next === 'all' ? {} : { view: next }
    void navigate({ search, replace: true })
  }
  return [shown, show]
}

function Facts({ worktree, state }: { worktree: Worktree; state: WorktreeState | null }) {
  const { worktrees: words } = useWords()
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-3 text-sm whitespace-nowrap text-quiet">
      {worktree.branch && (
        <span
          title={state?.branch ?? worktree.branch}
          className="flex max-w-64 min-w-0 items-center gap-1 text-xs"
        >
          <BranchIcon />
          <span className="truncate font-mono">
            {state?.branch ?? worktree.branch}
            {worktree.baseBranch && ` → ${worktree.baseBranch}`}
          </span>
        </span>
      )}
      {state?.ahead != null && state.ahead > 0 && <span>{words.ahead(state.ahead)}</span>}
      {state?.behind != null && state.behind > 0 && <span>{words.behind(state.behind)}</span>}
    </p>
  )
}

/** Turns offered; older ones are in the session. */
const mostTurns = 100

interface ViewChoiceProps {
  readonly conversationKey: string
  readonly state: WorktreeState
  readonly view: ReviewedView
  readonly onView: (view: ReviewedView) => void
}

function ViewChoice({ conversationKey: key, state, view, onView }: ViewChoiceProps) {
  const { worktrees: words } = useWords()
  const review = useReviewWords()
  const listed = useQuery({
    queryKey: ['turns-with-changes', key, state.head, state.uncommitted],
    queryFn: async ({ signal }) =>
      (
        await client.get('/api/conversations/{key}/turns', {
          params: { key },
          query: { limit: mostTurns },
          signal,
        })
      ).items,
    gcTime: keptShortlyMs,
  }).data
  const turns = (listed ?? [])
    .filter(({ changes, rewound }) => changes !== null && changes.files > 0 && !rewound)
    .reverse()
  return (
    <label className="flex min-w-0 items-center gap-2 text-sm">
      <span className="sr-only">{words.showing}</span>
      <select
        className={`${inputClass} min-w-0 max-w-80`}
        value={typeof view === 'string' ? view : view.turnId}
        onChange={({ target: { value } }) =>
          onView(views.find((each) => each === value) ?? { turnId: value })
        }
      >
        {views.map((each) => (
          <option key={each} value={each}>
            {review.views[each]}
          </option>
        ))}
        {turns.length > 0 && (
          <optgroup label={review.byPrompt}>
            {turns.map(({ id, content, changes }, at) => (
              <option key={id} value={id}>
                {words.turn(at + 1, changes?.added ?? 0, changes?.removed ?? 0, promptOf(content))}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  )
}

const views = ['all', 'uncommitted', 'since'] as const
const promptChars = 60

function promptOf(content: readonly { readonly type: string }[]): string {
  const text = content.map((part) => ('text' in part ? String(part.text) : '')).join(' ')
  return oneLine(text.replaceAll(/\[\[[\s\S]*?\]\]/g, ' ')).slice(0, promptChars)
}

/** The patch, and the end of the worktree. */
function Ends({
  worktree,
  state,
  mayWrite,
}: {
  worktree: Worktree
  state: WorktreeState | null
  mayWrite: boolean
}) {
  const { worktrees: words, act } = useWords()
  const navigate = useNavigate()
  const [removing, setRemoving] = useState(false)
  const patch = `/api/projects/${encodeURIComponent(worktree.projectId)}/worktrees/${encodeURIComponent(worktree.id)}/patch`
  const leave = () =>
    void navigate({
      to: '/projects/$projectId/all-sessions',
      params: { projectId: worktree.projectId },
    })
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          render={
            <IconButton label={act.more}>
              <MoreIcon />
            </IconButton>
          }
        />
        <MenuPopup>
          {state && (
            <Menu.Item render={<a href={patch} download />} className={itemClass}>
              {words.patch}
            </Menu.Item>
          )}
          {mayWrite && (
            <Menu.Item className={`${itemClass} text-bad`} onClick={() => setRemoving(true)}>
              {words.remove}
            </Menu.Item>
          )}
        </MenuPopup>
      </Menu.Root>
      {removing && (
        <RemoveWorktree worktree={worktree} onClose={() => setRemoving(false)} onRemoved={leave} />
      )}
    </>
  )
}

/** WT5: what was done to make it runnable, and what came of it. */
function SetUpNote({ setUp: { outcome, copied, left, output } }: { setUp: SetUpReport }) {
  const translate = useSaid()
  const { worktrees: words } = useWords()
  return (
    <details className="px-4 py-1 text-sm text-quiet">
      <summary>
        {words.setUp}
        {outcome && ` · ${words.setUpStates[outcome]}`} · {words.copied(copied.length)}
      </summary>
      {left.map(({ path, why, notice }) => (
        <p key={path} className="text-warn [overflow-wrap:anywhere]">
          {path}: {translate(why, notice)}
        </p>
      ))}
      {output && (
        <pre className="max-h-60 overflow-auto font-mono text-xs whitespace-pre-wrap">{output}</pre>
      )}
    </details>
  )
}
