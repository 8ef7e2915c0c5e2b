/**
 * Signing an ACP agent in and out (AC13): asked for its ways, each with a button or with the
 * command for a terminal.
 */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { AgentInspection, SignInAttempt } from '../../../src/protocol/agents/sign-in.ts'
import { client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { CopyText } from '../parts/copy.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { addedAs, knownAgents } from './detected.ts'

/** How often a person who signs in elsewhere is looked for. */
const lookMs = 2000

export function SignIn({ agent }: { agent: Agent }) {
  const { agentSignIn: words } = useWords()
  const found = useQuery(knownAgents).data?.items.find((each) => addedAs(each, [agent]).length > 0)
  const [inspection, setInspection] = useState<AgentInspection>()
  const [attempt, setAttempt] = useState<SignInAttempt>()
  const { waiting, error, send } = useSending<void>()
  const params = { agentId: agent.id }
  const isWaiting = attempt?.state === 'waiting'
  const { data: looked } = useQuery({
    queryKey: ['sign-in', agent.id, attempt?.begunAt],
    queryFn: ({ signal }) => client.get('/api/agents/{agentId}/sign-in', { params, signal }),
    enabled: isWaiting,
    refetchInterval: ({ state }) =>
      state.data?.state === 'waiting' || !state.data ? lookMs : false,
  })
  const current = (isWaiting && looked) || attempt

  const ask = () =>
    send(['inspect', agent.id], async ({ signal }) =>
      setInspection(
        await client.post('/api/agents/{agentId}/inspect', { params, query: {}, signal }),
      ),
    )
  const begin = (method: string) =>
    send(['in', method, attempt?.begunAt], async ({ signal }) =>
      setAttempt(
        await client.post('/api/agents/{agentId}/sign-in', { params, body: { method }, signal }),
      ),
    )
  const leave = () =>
    send(['out', attempt?.begunAt], async ({ signal }) => {
      await client.post('/api/agents/{agentId}/sign-out', { params, signal })
      setAttempt(undefined)
    })

  return (
    <Section title={words.title}>
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line py-3">
        <p className="min-w-0 text-quiet">
          {found?.signedIn === false ? <strong className="text-ink">{words.not} </strong> : null}
          {found?.signedIn === false ? words.next(found.signIn, found.keys[0]) : words.text}
        </p>
        <SubmitButton
          look="plain"
          type="button"
          waiting={waiting && !inspection}
          onClick={() => void ask()}
        >
          {words.ask}
        </SubmitButton>
      </div>
      {inspection && (
        <Rows label={words.ways}>
          {inspection.ways.length === 0 && (
            <li className="list-row py-2 text-quiet">{words.none}</li>
          )}
          {inspection.ways.map(({ id, name, description, command }) => (
            <li
              key={id}
              data-way={id}
              className="list-row flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 py-2"
            >
              <span className="min-w-0 flex-1 basis-60">
                <span className="font-medium">{name}</span>{' '}
                {description && <span className="text-sm text-quiet">{description}</span>}
                {command && (
                  <code className="block font-mono text-sm [overflow-wrap:anywhere]">
                    {command}
                  </code>
                )}
              </span>
              {command ? (
                <CopyText text={command} what={words.commandOf(name)} />
              ) : (
                <SubmitButton
                  look="plain"
                  type="button"
                  waiting={
                    waiting || (isWaiting && current?.method === id && current.state === 'waiting')
                  }
                  aria-label={words.by(name)}
                  onClick={() => void begin(id)}
                >
                  {words.do}
                </SubmitButton>
              )}
              {current?.method === id && <Outcome attempt={current} />}
            </li>
          ))}
          {inspection.signOut && (
            <li className="list-row flex min-h-12 items-center py-2">
              <SubmitButton
                look="quiet"
                type="button"
                waiting={waiting}
                onClick={() => void leave()}
              >
                {words.out}
              </SubmitButton>
            </li>
          )}
        </Rows>
      )}
      <ProblemNote error={error} />
    </Section>
  )
}

function Outcome({ attempt: { state, visit, error } }: { attempt: SignInAttempt }) {
  const { agentSignIn: words } = useWords()
  return (
    <p role="status" className="flex w-full flex-wrap items-center gap-x-2">
      {words.states[state]}
      {visit && (
        <>
          <strong>{visit.message}</strong>
          <a
            href={visit.url}
            target="_blank"
            rel="noreferrer"
            className="text-accent underline underline-offset-2 [overflow-wrap:anywhere] hover:text-accent-hover"
          >
            {visit.url}
          </a>
        </>
      )}
      {error && <span className="text-bad">{error}</span>}
    </p>
  )
}
