/** Review: all that has changed in a worktree, and the ways it gets out (WT2, WT6). */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type {
  SetUpReport,
  Worktree,
  WorktreeState,
} from '../../../src/protocol/worktrees/worktree.ts'
import { conversation } from '../conversations/conversation-queries.ts'
import { TalkLink } from '../conversations/talk-link.tsx'
import { client, invalidate, keptShortlyMs, useMay } from '../live/queries.ts'
import { recent } from '../live/recent.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Choices } from '../parts/choices.tsx'
import { inputClass } from '../parts/field.tsx'
import { BranchIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { browserChoice, useChoice } from '../preferences/choice.ts'
import { LandingBar } from '../review/landing-bar.tsx'
import { oneLine } from '../shell/listed-views.ts'
import { useSaid, useWords } from '../translations/messages.tsx'
import { TurnDiff } from '../turns/turn-diff.tsx'
import { ChangedFiles } from './changed-files.tsx'
import type { DiffLayout } from './file-diff.tsx'
import { RemoveWorktree } from './remove-worktree.tsx'
import { keyOf, worktreeById } from './worktree-queries.ts'

const layoutChoice = browserChoice<DiffLayout>('diff-layout', ['unified', 'split'], 'unified')

export function ReviewPage() {
  const words = useWords()
  const { projectId, worktreeId } = useParams({
    from: '/shell/projects/$projectId/review/$worktreeId',
  })
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
        void invalidate(['worktree-diff', worktreeId])
        for (const what of ['landing-plan', 'comments', 'viewed']) void invalidate([what])
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
  return (
    <section aria-label={words.changesOf(name)} className="flex min-w-0 flex-col gap-4">
      <div className="flex min-w-0 items-center gap-x-3 gap-y-1 max-md:flex-wrap">
        <h2 className="min-w-0 truncate font-semibold" title={name}>
          {words.changesOf(name)}
        </h2>
        <Facts worktree={worktree} state={state} />
        <div className="ml-auto flex shrink-0 flex-wrap gap-2">
          {key && (
            <TalkLink
              conversationKey={key}
              projectId={worktree.projectId}
              className={buttonClass()}
            >
              {words.toSession}
            </TalkLink>
          )}
          <Button onClick={onRefresh}>{words.refresh}</Button>
        </div>
      </div>
      {worktree.setUp && <SetUpNote setUp={worktree.setUp} />}
      {!state && (
        <p className="text-quiet">
          {words.plain} {worktree.note && translate(worktree.note, worktree.notice)}
        </p>
      )}
      {state && <ByTurn worktree={worktree} state={state} onDone={done} />}
      {outcomes.length > 0 && (
        <div
          aria-label={words.outcomes}
          role="status"
          className="max-h-24 overflow-y-auto rounded-md bg-accent-wash px-3 py-2"
        >
          <ol className="flex flex-col gap-1">
            {outcomes.map((outcome, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: outcomes are only added
              <li key={at}>{outcome}</li>
            ))}
          </ol>
        </div>
      )}
      <Ends worktree={worktree} state={state} mayWrite={mayWrite} />
      {state && key && worktree.branch !== null && (
        <LandingBar
          worktree={worktree}
          state={state}
          conversationKey={key}
          stamp={`${state.head} ${state.uncommitted} ${now}`}
          onSaid={done}
          onChanged={onRefresh}
        />
      )}
    </section>
  )
}

function Facts({ worktree, state }: { worktree: Worktree; state: WorktreeState | null }) {
  const { worktrees: words } = useWords()
  return (
    <p className="flex min-w-0 items-center gap-x-3 gap-y-1 text-sm whitespace-nowrap text-quiet max-md:flex-wrap md:shrink-0">
      {worktree.branch && (
        <span
          title={state?.branch ?? worktree.branch}
          className="flex max-w-64 min-w-0 items-center gap-1 text-xs"
        >
          <BranchIcon />
          <span className="truncate font-mono">{state?.branch ?? worktree.branch}</span>
        </span>
      )}
      {state?.ahead != null && state.ahead > 0 && <span>{words.ahead(state.ahead)}</span>}
      {state?.behind != null && state.behind > 0 && <span>{words.behind(state.behind)}</span>}
      {state && state.uncommitted > 0 && (
        <span className="text-warn">{words.uncommitted(state.uncommitted)}</span>
      )}
    </p>
  )
}

/** Turns offered; older ones are in the session. */
const mostTurns = 100

/** All that has changed, or what one turn has. */
function ByTurn({
  worktree,
  state,
  onDone,
}: {
  worktree: Worktree
  state: WorktreeState
  onDone: (outcome: string) => void
}) {
  const { worktrees: words } = useWords()
  const { turn } = useSearch({ from: '/shell/projects/$projectId/review/$worktreeId' })
  const navigate = useNavigate({ from: '/projects/$projectId/review/$worktreeId' })
  const layout = useChoice(layoutChoice)
  const key = keyOf(worktree)
  const listed = useQuery({
    queryKey: ['turns-with-changes', key, state.head, state.uncommitted],
    queryFn: async ({ signal }) =>
      (
        await client.get('/api/conversations/{key}/turns', {
          params: { key: key ?? '' },
          query: { limit: mostTurns },
          signal,
        })
      ).items,
    enabled: key !== undefined,
    gcTime: keptShortlyMs,
  }).data
  const turns = (listed ?? [])
    .filter(({ changes, rewound }) => changes !== null && changes.files > 0 && !rewound)
    .reverse()
  const chosen = turns.find(({ id }) => id === turn)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex min-w-0 flex-wrap items-center gap-3">
        {turns.length > 1 && (
          <label className="flex min-w-0 items-center gap-2 text-sm">
            <span className="text-quiet">{words.showing}</span>
            <select
              className={`${inputClass} min-w-0 max-w-96`}
              value={chosen?.id ?? ''}
              onChange={({ target }) =>
                void navigate({ search: target.value ? { turn: target.value } : {}, replace: true })
              }
            >
              <option value="">{words.allTurns}</option>
              {turns.map(({ id, content, changes }, at) => (
                <option key={id} value={id}>
                  {words.turn(
                    at + 1,
                    changes?.added ?? 0,
                    changes?.removed ?? 0,
                    promptOf(content),
                  )}
                </option>
              ))}
            </select>
          </label>
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
      </div>
      {chosen && key ? (
        <TurnDiff conversationKey={key} turnId={chosen.id} layout={layout} />
      ) : (
        <ChangedFiles worktree={worktree} state={state} layout={layout} onDone={onDone} />
      )}
    </div>
  )
}

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
  const { worktrees: words } = useWords()
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
      <div className="flex flex-wrap items-center gap-2">
        {state && (
          <a href={patch} download className={buttonClass()}>
            {words.patch}
          </a>
        )}
        {mayWrite && (
          <Button look="danger" onClick={() => setRemoving(true)}>
            {words.remove}
          </Button>
        )}
      </div>
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
    <details className="text-sm text-quiet">
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
