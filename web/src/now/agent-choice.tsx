/**
 * Chooses an agent for the first run: those that are here and those that are installed, each once;
 * the way to the others, and to signing in.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { DetectedAgent, DetectedAgents } from '../../../src/protocol/agents/detected-agent.ts'
import { addDetected, addedAs, draftOf, knownAgents } from '../agents/detected.ts'
import { usePreparationWords } from '../agents/words.ts'
import { loadOnce } from '../lazy-route.tsx'
import { useHome } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { CopyText } from '../parts/copy.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { isDemo } from './use-first-run.ts'

const SignIn = lazy(
  loadOnce(async () => ({ default: (await import('../agents/sign-in.tsx')).SignIn })),
)

const Preparation = lazy(
  loadOnce(async () => ({ default: (await import('../agents/preparation.tsx')).Preparation })),
)

export interface ChosenAgent {
  readonly id: string
  readonly name: string
  readonly agent?: Agent | undefined
  /** Installed, and not added yet. */
  readonly found?: DetectedAgent
}

/** The way in which Holdfast prompts an agent, where it has one; each agent once. */
function oncePerAgent(items: DetectedAgents['items']): DetectedAgent[] {
  const groups = [...Map.groupBy(items, ({ agent }) => agent).values()]
  return groups.flatMap(
    (some) => some.find(({ draft }) => draft.protocol === 'acp') ?? some.slice(0, 1),
  )
}

export function AgentChoice({ onChoose }: { onChoose: (agent: ChosenAgent) => void }) {
  const { firstRun: words } = useWords().now
  const agents = (useHome()?.agents ?? []).filter((each) => !isDemo(each))
  const { data, error, refetch, isFetching } = useQuery(knownAgents)
  const [all, setAll] = useState(false)
  const found = oncePerAgent(data?.items ?? []).filter((each) => addedAs(each, agents).length === 0)
  const missing = data?.missing ?? []
  const isNoneHere = agents.length + found.length === 0
  const shownMissing = all ? missing : missing.slice(0, isNoneHere ? mostOffered : 0)

  /** Who has installed an agent or signed it in wants it: nothing is left to be pressed. */
  async function use(agent: string): Promise<void> {
    const now = oncePerAgent((await refetch()).data?.items ?? [])
    const ready = now.find((each) => each.agent === agent)
    if (!ready || ready.signedIn === false) return
    const [added] = addedAs(ready, agents)
    const here = agents.find(({ id }) => id === added)
    onChoose(
      here ? { id: here.id, name: here.name, agent: here } : { ...named(ready), found: ready },
    )
  }

  return (
    <>
      <div className="overflow-hidden rounded-lg shadow-[inset_0_0_0_1px_var(--edge)]">
        <ProblemNote error={error} onRetry={() => void refetch()} />
        <ul aria-label={words.agent} className="divide-y divide-line">
          {agents.map((agent) => (
            <HereRow
              key={agent.id}
              agent={agent}
              found={data?.items.find((each) => addedAs(each, [agent]).length > 0)}
              onPrepared={use}
              onUse={() => onChoose({ id: agent.id, name: agent.name, agent })}
            />
          ))}
          {found.map((each) => (
            <FoundRow
              key={each.id}
              found={each}
              agents={agents}
              onPrepared={use}
              onChoose={onChoose}
            />
          ))}
          {!data && !error && <li className="px-3.5 py-3 text-quiet">{words.looking}</li>}
          {shownMissing.map((each) => (
            <MissingRow key={each.id} missing={each} onPrepared={use} />
          ))}
          {shownMissing.length < missing.length && (
            <li>
              <button type="button" onClick={() => setAll(true)} className={moreClass}>
                <span aria-hidden="true">⋯</span>
                {words.more(missing.length - shownMissing.length)}
              </button>
            </li>
          )}
        </ul>
      </div>
      <p className="flex flex-wrap items-center gap-x-3 text-xs text-faint">
        <button
          type="button"
          className="min-h-6 underline underline-offset-2 hover:text-ink"
          disabled={isFetching}
          onClick={() => void refetch()}
        >
          {words.lookAgain}
        </button>
        <Link
          to="."
          search={{ new: 'agent' }}
          className="inline-flex min-h-6 items-center underline underline-offset-2 hover:text-ink"
        >
          {words.own}
        </Link>
      </p>
    </>
  )
}

const named = ({ id, name }: DetectedAgent) => ({ id, name })

type OnPrepared = (agent: string) => Promise<void>

interface MissingRowProps {
  readonly missing: DetectedAgents['missing'][number]
  readonly onPrepared: OnPrepared
}

/** One that is not installed: by one press where that is possible, with the command before it. */
function MissingRow({ missing: { id, name, install, installs }, onPrepared }: MissingRowProps) {
  const { firstRun: words } = useWords().now
  const preparation = usePreparationWords()
  const [installing, setInstalling] = useState(false)
  return (
    <Row
      state="idle"
      name={name}
      text={words.notInstalled}
      command={installs ?? install}
      below={
        installing && (
          <Suspense>
            <Preparation agent={id} name={name} step="install" onDone={() => void onPrepared(id)} />
          </Suspense>
        )
      }
    >
      {installs !== null && !installing && (
        <Button onClick={() => setInstalling(true)} aria-label={preparation.installName(name)}>
          {preparation.install}
        </Button>
      )}
      <CopyText text={installs ?? install} what={words.installOf(name)} />
    </Row>
  )
}

interface HereRowProps {
  readonly agent: Agent
  readonly found: DetectedAgent | undefined
  readonly onPrepared: OnPrepared
  readonly onUse: () => void
}

/** An agent that is added already. */
function HereRow({ agent, found, onPrepared, onUse }: HereRowProps) {
  const { firstRun: words } = useWords().now
  const [signing, setSigning] = useState(false)
  const signedOut = found?.signedIn === false
  const presses = found?.signsIn ?? null
  return (
    <Row
      state={signedOut ? 'waiting' : 'ready'}
      name={agent.name}
      text={signedOut ? words.notSignedIn : words.here}
      {...(signedOut && presses !== null && { command: presses })}
      below={
        signing && (
          <Suspense>
            {found && presses !== null ? (
              <SigningIn found={found} onPrepared={onPrepared} />
            ) : (
              <SignIn agent={agent} />
            )}
          </Suspense>
        )
      }
    >
      {signedOut && !signing && (
        <Button onClick={() => setSigning(true)} aria-label={words.signInTo(agent.name)}>
          {words.signIn}
        </Button>
      )}
      <Button
        look={signedOut ? 'quiet' : 'plain'}
        onClick={onUse}
        aria-label={words.use(agent.name)}
      >
        {words.useIt}
      </Button>
    </Row>
  )
}

interface SigningInProps {
  readonly found: DetectedAgent
  readonly onPrepared: OnPrepared
}

const SigningIn = ({ found: { agent, name }, onPrepared }: SigningInProps) => (
  <Preparation agent={agent} name={name} step="sign_in" onDone={() => void onPrepared(agent)} />
)

interface FoundRowProps extends SigningInProps {
  readonly agents: readonly Agent[]
  readonly onChoose: (agent: ChosenAgent) => void
}

/**
 * One that is installed. It signs in by one press where its own command needs no terminal;
 * otherwise it is added first and asked for its ways.
 */
function FoundRow({ found, agents, onPrepared, onChoose }: FoundRowProps) {
  const { firstRun: words } = useWords().now
  const { waiting, error, send } = useSending<Agent>()
  const { id, name, signedIn, signsIn, version } = found
  const [signing, setSigning] = useState(false)
  const add = () => send(id, (options) => addDetected(draftOf(found, agents), options))
  return (
    <Row
      state={signedIn === false ? 'waiting' : 'ready'}
      name={name}
      text={[
        signedIn === false ? words.notSignedIn : signedIn ? words.signedIn : words.installed,
        version,
      ]
        .filter(Boolean)
        .join(' · ')}
      {...(signedIn === false && signsIn !== null && { command: signsIn })}
      below={
        <>
          {signing && (
            <Suspense>
              <SigningIn found={found} onPrepared={onPrepared} />
            </Suspense>
          )}
          <ProblemNote error={error} />
        </>
      }
    >
      {signedIn === false && !signing && (
        <SubmitButton
          look="plain"
          type="button"
          waiting={waiting}
          aria-label={words.signInTo(name)}
          onClick={() => (signsIn === null ? void add() : setSigning(true))}
        >
          {words.signIn}
        </SubmitButton>
      )}
      <Button
        look={signedIn === false ? 'quiet' : 'plain'}
        aria-label={words.use(name)}
        onClick={() => onChoose({ id, name, found })}
      >
        {words.useIt}
      </Button>
    </Row>
  )
}

/** The most that are offered at first where none is installed; the best known come first. */
const mostOffered = 5

const moreClass =
  'flex min-h-11 w-full items-center gap-3 px-3.5 text-left text-quiet hover:bg-hover'

interface RowProps {
  readonly state: 'ready' | 'waiting' | 'idle'
  readonly name: string
  readonly text: string
  readonly command?: string
  readonly below?: ReactNode
  readonly children: ReactNode
}

const Row = ({ state, name, text, command, below, children }: RowProps) => (
  <li className="flex min-h-13 flex-wrap items-center gap-x-3 px-3.5 py-1.5">
    <StateDot state={state} />
    <span className="flex min-w-0 flex-1 flex-col">
      <span>{name}</span>
      <span className="text-xs text-quiet [overflow-wrap:anywhere]">
        {text} {command && <code className="font-mono">{command}</code>}
      </span>
    </span>
    {children}
    {below && <div className="w-full">{below}</div>}
  </li>
)
