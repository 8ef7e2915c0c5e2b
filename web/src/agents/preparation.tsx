/**
 * Installs an agent on the server's machine, or signs it in, by one press (AG18): what runs, its
 * output, the address and the code for the person, Cancel. Begins when it is shown.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { AgentPreparation, PreparationStep } from '../../../src/protocol/agents/preparation.ts'
import { client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, buttonClass, SubmitButton } from '../parts/button.tsx'
import { CopyText } from '../parts/copy.tsx'
import { inputClass } from '../parts/field.tsx'
import { notify } from '../parts/notices.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSaid } from '../translations/messages.tsx'
import { usePreparationWords } from './words.ts'

/** How often what runs is looked at. */
const lookMs = 1000

interface PreparationProps {
  readonly agent: string
  readonly name: string
  readonly step: PreparationStep
  readonly onDone: () => void
}

export function Preparation({ agent, name, step, onDone }: PreparationProps) {
  const words = usePreparationWords()
  const said = useSaid()
  const queries = useQueryClient()
  const { waiting, error, send } = useSending<AgentPreparation>()
  const params = { agent }
  const queryKey = ['preparation', agent, step]
  const { data: current } = useQuery<AgentPreparation>({
    queryKey,
    queryFn: ({ signal }) =>
      client.get('/api/detected-agents/{agent}/preparation', { params, signal }),
    // What an earlier press came to is not shown.
    enabled: ({ state }) => state.data?.state === 'running',
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? lookMs : false),
    gcTime: 0,
  })
  const state = current?.state
  const wasDone = useRef(false)

  const keep = (answer: AgentPreparation | undefined): void => {
    if (answer) queries.setQueryData(queryKey, answer)
  }
  const begin = async (): Promise<void> => {
    const begunAt = current?.begunAt
    keep(
      await send([step, begunAt], ({ signal }) =>
        client.post('/api/detected-agents/{agent}/preparation', { params, body: { step }, signal }),
      ),
    )
  }
  const cancel = async (): Promise<void> =>
    keep(
      await send('cancel', ({ signal }) =>
        client.delete('/api/detected-agents/{agent}/preparation', { params, signal }),
      ),
    )

  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins once, when it is shown
  useEffect(() => void begin(), [])
  useEffect(() => {
    if (state !== 'done' || wasDone.current) return
    wasDone.current = true
    notify(words.done[step](name))
    onDone()
  }, [state, words, step, name, onDone])

  return (
    <div className="flex flex-col gap-2 py-1.5" data-preparation={agent}>
      <div role="status" className="flex min-h-8 flex-wrap items-center gap-x-3 text-sm">
        <span className="min-w-0 flex-1">
          {state === 'running' && words.states[step](name)}
          {state === 'done' && words.done[step](name)}
          {state === 'cancelled' && words.cancelled}
          {state === 'failed' && (
            <span className="text-bad [overflow-wrap:anywhere]">
              {said(current?.error ?? '', current?.notice)}
            </span>
          )}
        </span>
        {state === 'running' && (
          <Button look="quiet" aria-label={words.cancelOf(name)} onClick={() => void cancel()}>
            {words.cancel}
          </Button>
        )}
        {(state === 'failed' || state === 'cancelled' || (!state && error !== undefined)) && (
          <SubmitButton look="plain" type="button" waiting={waiting} onClick={() => void begin()}>
            {words.again}
          </SubmitButton>
        )}
      </div>
      {current?.visit && <Visit {...current.visit} />}
      {current?.visit && current.takesCode && <Code agent={agent} onAnswer={keep} />}
      {current && current.output !== '' && <Output text={current.output} />}
      <ProblemNote error={error} />
    </div>
  )
}

function Visit({ url, code }: { url: string; code: string | null }) {
  const words = usePreparationWords()
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <a
        href={url}
        target="_blank"
        rel="noreferrer"
        title={url}
        className={buttonClass('primary')}
        aria-label={words.openThere(new URL(url).host)}
      >
        {words.openThere(new URL(url).host)}
      </a>
      {code !== null && (
        <span className="inline-flex items-center gap-1">
          {words.typeThere} <code className="font-mono font-semibold">{code}</code>
          <CopyText text={code} what={words.codeName} />
        </span>
      )}
    </p>
  )
}

interface CodeProps {
  readonly agent: string
  readonly onAnswer: (answer: AgentPreparation | undefined) => void
}

function Code({ agent, onAnswer }: CodeProps) {
  const words = usePreparationWords()
  const { waiting, error, send } = useSending<AgentPreparation>()
  const [code, setCode] = useState('')
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (code.trim() === '') return
        void send(code, ({ signal }) =>
          client.post('/api/detected-agents/{agent}/preparation/code', {
            params: { agent },
            body: { code: code.trim() },
            signal,
          }),
        ).then(onAnswer)
      }}
    >
      <label className="flex min-w-0 flex-1 basis-60 flex-col gap-1 text-xs text-quiet">
        {words.code}
        <input
          className={inputClass}
          value={code}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setCode(event.target.value)}
        />
      </label>
      <SubmitButton look="plain" waiting={waiting}>
        {words.send}
      </SubmitButton>
      <ProblemNote error={error} typed />
    </form>
  )
}

const outputClass =
  'max-h-40 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs ' +
  'whitespace-pre-wrap [overflow-wrap:anywhere]'

/** The end of it in sight. */
function Output({ text }: { text: string }) {
  const words = usePreparationWords()
  const area = useRef<HTMLPreElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer text is scrolled to its end
  useEffect(() => {
    area.current?.scrollTo({ top: area.current.scrollHeight })
  }, [text])
  return (
    <pre
      ref={area}
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={words.output}
      className={outputClass}
    >
      {text}
    </pre>
  )
}
