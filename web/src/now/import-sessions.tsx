/**
 * Takes in the sessions that agents keep in files of their own on a machine (IM9): they are listed,
 * chosen, and taken one after the other, which can be stopped. No agent is started, and nothing in
 * its folder changes.
 */

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { PastSessionsPage } from '../../../src/protocol/conversations/past-session.ts'
import { TalkLink } from '../conversations/thread/talk-link.tsx'
import { coordinators } from '../live/processes.ts'
import { client } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { Button } from '../parts/button.tsx'
import { Choice } from '../parts/choice.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { inputClass } from '../parts/field.tsx'
import { describeProblem, ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { useWords } from '../translations/messages.tsx'
import { useImportWords } from './words.ts'

type Past = PastSessionsPage['items'][number]
type Skipped = PastSessionsPage['skipped'][number]

const idOf = ({ agent, id }: Past): string => `${agent} ${id}`
/** What is there already is not offered again. */
const canTake = ({ state }: Past): boolean => state === 'new' || state === 'more'

export function ImportSessions({ onClose }: { onClose: () => void }) {
  const words = useImportWords()
  const machines = (useQuery(coordinators).data ?? []).filter(({ state }) => state === 'connected')
  const [wanted, setWanted] = useState('')
  const machine = machines.find(({ id }) => id === wanted) ?? machines[0]
  return (
    <InputDialog open wide title={words.title} onClose={onClose}>
      {machine ? (
        <OnMachine
          key={machine.id}
          coordinatorId={machine.id}
          onClose={onClose}
          choice={
            machines.length > 1 && (
              <Choice
                label={words.machine}
                value={machine.id}
                values={machines.map(({ id, machine: name }) => ({ id, name }))}
                disabled={false}
                onValue={setWanted}
              />
            )
          }
        />
      ) : (
        <DialogBody>
          <p className="text-quiet">{words.noMachine}</p>
        </DialogBody>
      )}
    </InputDialog>
  )
}

interface Progress {
  readonly done: number
  readonly all: number
  readonly added: number
  readonly isOver: boolean
  readonly skipped: readonly Skipped[]
}

interface OnMachineProps {
  readonly coordinatorId: string
  readonly choice: ReactNode
  readonly onClose: () => void
}

function OnMachine({ coordinatorId, choice, onClose }: OnMachineProps) {
  const all = useWords()
  const words = useImportWords()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<ReadonlyMap<string, Past>>(new Map())
  const [progress, setProgress] = useState<Progress>()
  const stopped = useRef(false)
  const q = typed.trim()
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['past-sessions', coordinatorId, q],
    queryFn: ({ pageParam, signal }) =>
      client.get('/api/coordinators/{coordinatorId}/past-sessions', {
        params: { coordinatorId },
        query: { q, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: (before) => before,
    staleTime: 0,
  })
  const items = data?.pages.flatMap((page) => page.items) ?? []
  const total = data?.pages[0]?.total ?? 0
  const skipped = data?.pages[0]?.skipped ?? []
  const open = items.filter(canTake)
  const isRunning = progress !== undefined && !progress.isOver

  async function take(some: readonly Past[]) {
    stopped.current = false
    let now: Progress = { done: 0, all: some.length, added: 0, isOver: false, skipped: [] }
    setProgress(now)
    for (const { agent, id, title } of some) {
      if (stopped.current) break
      try {
        const taken = await client.post('/api/coordinators/{coordinatorId}/past-sessions', {
          params: { coordinatorId },
          body: { agent, sessions: [id] },
        })
        const added = taken.items.filter(({ outcome }) => outcome === 'taken').length
        now = { ...now, added: now.added + added, skipped: [...now.skipped, ...taken.skipped] }
      } catch (failure) {
        const detail = describeProblem(failure, all).title
        now = { ...now, skipped: [...now.skipped, { file: title, reason: '', detail }] }
      }
      now = { ...now, done: now.done + 1 }
      setProgress(now)
    }
    setProgress({ ...now, isOver: true })
    setChosen(new Map())
    refreshRecent()
    void refetch()
  }

  const toggle = (each: Past) => {
    const next = new Map(chosen)
    if (!next.delete(idOf(each))) next.set(idOf(each), each)
    setChosen(next)
  }
  return (
    <>
      <DialogBody>
        <p className="text-sm text-quiet">{words.text}</p>
        <div className="flex flex-wrap items-center gap-2">
          <input
            type="search"
            value={typed}
            aria-label={words.find}
            placeholder={words.find}
            onChange={(event) => setTyped(event.target.value)}
            className={`${inputClass} min-w-0 flex-1`}
          />
          {choice}
        </div>
        <ProblemNote error={error} onRetry={() => void refetch()} />
        {!data && !error && <p className="text-quiet">{words.looking}</p>}
        {data && items.length === 0 && (
          <p className="text-quiet">{q === '' ? words.none : words.noMatch(q)}</p>
        )}
        {items.length > 0 && (
          <ul aria-label={words.title} className="divide-y divide-line border-y border-line">
            {items.map((each) => (
              <PastRow
                key={idOf(each)}
                past={each}
                checked={chosen.has(idOf(each))}
                disabled={isRunning}
                onToggle={() => toggle(each)}
              />
            ))}
          </ul>
        )}
        {hasNextPage && (
          <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
            {words.more(total - items.length)}
          </Button>
        )}
        <LeftOut title={words.leftOut(skipped.length)} skipped={skipped} />
        {progress && <Outcome progress={progress} />}
      </DialogBody>
      <DialogFoot>
        {open.length > 0 && !isRunning && (
          <Button
            look="quiet"
            className="mr-auto"
            onClick={() => setChosen(new Map(open.map((each) => [idOf(each), each])))}
          >
            {words.chooseAll(open.length)}
          </Button>
        )}
        <Button
          onClick={() => {
            stopped.current = true
            if (!isRunning) onClose()
          }}
        >
          {isRunning ? all.act.cancel : all.act.close}
        </Button>
        <Button
          look="primary"
          disabled={chosen.size === 0 || isRunning}
          onClick={() => void take([...chosen.values()])}
        >
          {words.take(chosen.size)}
        </Button>
      </DialogFoot>
    </>
  )
}

interface PastRowProps {
  readonly past: Past
  readonly checked: boolean
  readonly disabled: boolean
  readonly onToggle: () => void
}

function PastRow({ past, checked, disabled, onToggle }: PastRowProps) {
  const words = useImportWords()
  const { agent, title, folder, updatedAt, state, key } = past
  return (
    <li className="list-row flex min-h-11 items-center gap-3 py-1">
      {canTake(past) ? (
        <input
          type="checkbox"
          checked={checked}
          disabled={disabled}
          onChange={onToggle}
          aria-label={words.choose(title)}
          className="size-4 shrink-0"
        />
      ) : (
        <span aria-hidden="true" className="w-4 shrink-0 text-center text-accent">
          ✓
        </span>
      )}
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate" dir="auto">
          {title}
        </span>
        <span className="truncate text-xs text-faint">
          {words.agents[agent]}
          {folder && (
            <>
              {' · '}
              <span className="font-mono">{folder}</span>
            </>
          )}
        </span>
      </span>
      {state !== 'new' && key !== null && (
        <TalkLink
          conversationKey={key}
          projectId={null}
          className="inline-flex min-h-6 shrink-0 items-center text-sm underline underline-offset-2"
        >
          {words.states[state]}
        </TalkLink>
      )}
      {state === 'deleted' && key === null && (
        <span className="text-sm text-quiet">{words.states.deleted}</span>
      )}
      <Ago at={updatedAt} className="shrink-0 text-xs whitespace-nowrap text-faint" />
    </li>
  )
}

function Outcome({ progress: { done, all, added, isOver, skipped } }: { progress: Progress }) {
  const words = useImportWords()
  return (
    <div className="flex flex-col gap-2">
      <progress
        aria-label={words.progress(done, all)}
        value={done}
        max={all}
        className="h-1.5 w-full accent-accent"
      />
      <p role="status" className="text-sm text-quiet">
        {isOver ? words.over(added, done) : words.progress(done, all)}
      </p>
      <LeftOut title={words.leftOut(skipped.length)} skipped={skipped} isOpen />
    </div>
  )
}

interface LeftOutProps {
  readonly title: string
  readonly skipped: readonly Skipped[]
  readonly isOpen?: boolean
}

/** What was skipped, each with why. */
function LeftOut({ title, skipped, isOpen = false }: LeftOutProps) {
  const words = useImportWords()
  if (skipped.length === 0) return null
  return (
    <details open={isOpen} className="text-sm">
      <summary className="min-h-6 text-quiet">{title}</summary>
      <ul className="mt-1 flex flex-col gap-1">
        {skipped.map(({ file, reason, detail }) => (
          <li key={`${file} ${reason} ${detail}`} className="[overflow-wrap:anywhere]">
            <span className="font-mono text-xs">{file}</span>{' '}
            <span className="text-quiet">
              {words.reasons[reason as keyof typeof words.reasons]?.(detail) ?? detail}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
