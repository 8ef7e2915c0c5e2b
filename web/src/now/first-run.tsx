/**
 * The first run, in the place of Now (UI6): which repository, which agent, what should be done. One
 * page, and nothing is made before Start is pressed.
 */
import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { addDetected, draftOf } from '../agents/detected.ts'
import { loadOnce } from '../lazy-route.tsx'
import { useDraft } from '../live/draft.ts'
import { withAssignment, withProject } from '../live/home.ts'
import { changeHome, client, useHome } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { composerClass } from '../parts/field.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { WritingArea } from '../parts/writing-area.tsx'
import { useWords } from '../translations/messages.tsx'
import type { ChosenAgent } from './agent-choice.tsx'
import { ImportLink } from './new-session.tsx'
import { RepositoryChoice } from './repository-choice.tsx'

const longest = 100_000

/** Loaded behind the first step: the first visit does without. */
const AgentChoice = lazy(
  loadOnce(async () => ({ default: (await import('./agent-choice.tsx')).AgentChoice })),
)

export interface ChosenFolder {
  readonly name: string
  readonly path: string
}

export function FirstRun() {
  const { firstRun: words } = useWords().now
  const home = useHome()
  const navigate = useNavigate()
  const area = useRef<HTMLTextAreaElement>(null)
  const [folder, setFolder] = useState<ChosenFolder>()
  const [chosen, setChosen] = useState<ChosenAgent>()
  const [text, setText, clearText] = useDraft('first-run', '')
  const { waiting, error, send, stop } = useSending<void>()
  // What a press that failed on its way has made already is not made twice.
  const made = useRef<{ path?: string; projectId?: string; agent?: Agent }>({})

  // The last step is there once the agent is chosen.
  useEffect(() => {
    if (chosen) area.current?.focus()
  }, [chosen])

  async function start() {
    if (text.trim() === '' || waiting || !folder || !chosen) return area.current?.focus()
    await send([folder, chosen.id, text], async ({ idempotencyKey, signal }) => {
      const options = (part: string) => ({ idempotencyKey: `${idempotencyKey}-${part}`, signal })
      if (made.current.path !== folder.path) made.current = { path: folder.path }
      if (made.current.projectId === undefined) {
        const project = await client.post('/api/projects', { body: folder, ...options('project') })
        changeHome((known) => withProject(known, project))
        made.current.projectId = project.id
      }
      const { projectId } = made.current
      const agent =
        chosen.agent ??
        made.current.agent ??
        (chosen.found && (await addDetected(draftOf(chosen.found, home?.agents ?? []))))
      if (!agent) return
      made.current.agent = agent
      const agentId = agent.id
      await client.put('/api/projects/{projectId}/agents/{agentId}', {
        params: { projectId, agentId },
      })
      changeHome((known) => withAssignment(known, projectId, agentId, true))
      const { key } = await client.post('/api/projects/{projectId}/conversations', {
        params: { projectId },
        body: { agentId, content: text },
        ...options('session'),
      })
      clearText()
      await navigate({
        to: '/projects/$projectId/session/$key',
        params: { projectId, key },
      })
    })
  }

  return (
    <div className="mx-auto flex w-full max-w-160 flex-col">
      <h2 className="mb-3 text-lg font-semibold">{words.title}</h2>
      <Step
        number={1}
        title={words.which}
        state={folder ? 'done' : 'open'}
        chosen={
          folder && (
            <>
              <span className="font-semibold">{folder.name}</span>{' '}
              <span className="font-mono text-sm text-quiet">{folder.path}</span>
            </>
          )
        }
        onChange={() => setFolder(undefined)}
      >
        <RepositoryChoice onChoose={setFolder} />
      </Step>
      <Step
        number={2}
        title={words.agent}
        state={chosen ? 'done' : folder ? 'open' : 'later'}
        chosen={chosen && <span className="font-semibold">{chosen.name}</span>}
        onChange={() => setChosen(undefined)}
      >
        <Suspense>
          <AgentChoice onChoose={setChosen} />
        </Suspense>
      </Step>
      <Step number={3} title={words.what} state={folder && chosen ? 'open' : 'later'}>
        <form
          className={`flex flex-col gap-2 p-2 ${composerClass}`}
          onSubmit={(event) => {
            event.preventDefault()
            void start()
          }}
        >
          <WritingArea
            area={area}
            label={words.what}
            value={text}
            longest={longest}
            onValue={setText}
            onSend={() => void start()}
            className="min-h-20! w-full bg-transparent px-1.5 py-1 outline-none max-md:text-base"
          />
          <ProblemNote error={error} typed />
          <SlowAnswer waiting={waiting} onStop={stop} />
          <SubmitButton waiting={waiting} className="self-end">
            {words.start} <KeyCap name="Enter" />
          </SubmitButton>
        </form>
      </Step>
      <ImportLink long />
    </div>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly state: 'later' | 'open' | 'done'
  readonly chosen?: ReactNode
  readonly onChange?: () => void
  readonly children: ReactNode
}

const markClass: Record<StepProps['state'], string> = {
  later: 'text-faint shadow-[inset_0_0_0_1px_var(--edge)]',
  open: 'bg-accent text-accent-ink',
  done: 'bg-accent-wash text-accent',
}

const stepClass =
  'grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 border-b border-line py-4 ' +
  'last:border-b-0 max-md:gap-x-2.5'
const roundClass =
  'mt-0.5 flex size-6 items-center justify-center rounded-full text-xs font-semibold'

function Step({ number, title, state, chosen, onChange, children }: StepProps) {
  const { firstRun: words } = useWords().now
  return (
    <section aria-label={title} className={stepClass}>
      <span aria-hidden="true" className={`${roundClass} ${markClass[state]}`}>
        {state === 'done' ? '✓' : number}
      </span>
      <div className="flex min-w-0 flex-col gap-3">
        <div className="flex min-h-7 min-w-0 items-center gap-2">
          {state === 'done' ? (
            <p className="min-w-0 flex-1 truncate">{chosen}</p>
          ) : (
            <h3 className={state === 'open' ? 'font-semibold' : 'text-quiet'}>{title}</h3>
          )}
          {state === 'done' && (
            <Button look="quiet" className="min-h-7 px-2 text-sm" onClick={onChange}>
              {words.change}
            </Button>
          )}
        </div>
        {state === 'open' && children}
      </div>
    </section>
  )
}
