/**
 * Known agents: those installed on the server's machine, each added with one click (AG5), and how
 * the others are installed.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { DetectedAgent, DetectedAgents } from '../../../src/protocol/agents/detected-agent.ts'
import { useHome } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { CopyText } from '../parts/copy.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { addDetected, addedAs, draftOf, knownAgents } from './detected.ts'
import { Preparation } from './preparation.tsx'
import { usePreparationWords } from './words.ts'

/** Shown only to people who may add agents. */
export function KnownAgents() {
  const { detected } = useWords()
  const { items: found = [], missing = [] } = useQuery(knownAgents).data ?? {}
  const agents = useHome()?.agents ?? []
  return (
    <>
      {found.length > 0 && (
        <Section title={detected.title} note={detected.hint}>
          <Rows label={detected.title}>
            {found.map((each) => (
              <DetectedRow key={each.id} found={each} agents={agents} />
            ))}
          </Rows>
        </Section>
      )}
      {missing.length > 0 && (
        <Section title={detected.missing} note={detected.missingHint}>
          <Rows label={detected.missing}>
            {missing.map((each) => (
              <MissingRow key={each.id} missing={each} />
            ))}
          </Rows>
        </Section>
      )}
    </>
  )
}

/** Installed by one press where that is possible, otherwise by the command. */
function MissingRow({
  missing: { id, name, install, installs },
}: {
  missing: DetectedAgents['missing'][number]
}) {
  const { detected } = useWords()
  const preparation = usePreparationWords()
  const { refetch } = useQuery(knownAgents)
  const [installing, setInstalling] = useState(false)
  const command = installs ?? install
  return (
    <li data-missing={id} className="list-row flex min-h-11 flex-wrap items-center gap-x-3 py-1.5">
      <span className="min-w-40 font-medium">{name}</span>
      <code className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]">{command}</code>
      {installs !== null && !installing && (
        <Button aria-label={preparation.installName(name)} onClick={() => setInstalling(true)}>
          {preparation.install}
        </Button>
      )}
      <CopyText text={command} what={detected.installOf(name)} />
      {installing && (
        <div className="w-full">
          <Preparation agent={id} name={name} step="install" onDone={() => void refetch()} />
        </div>
      )}
    </li>
  )
}

function DetectedRow({ found, agents }: { found: DetectedAgent; agents: readonly Agent[] }) {
  const { detected, agents: agentWords, now } = useWords()
  const navigate = useNavigate()
  const { waiting, error, send } = useSending<Agent>()
  const { draft, name, version, file, triedWith, signedIn, signIn, signsIn, keys } = found
  const { refetch } = useQuery(knownAgents)
  const [signing, setSigning] = useState(false)
  const already = addedAs(found, agents)
  const show = (agentId: string) => void navigate({ to: '/agents/$agentId', params: { agentId } })

  async function add() {
    const body = draftOf(found, agents)
    const agent = await send(body, (options) => addDetected(body, options))
    if (!agent) return
    notify(detected.added(agent.name))
    notify(agentWords.sandboxChosen(agent.sandbox))
    show(agent.id)
  }

  return (
    <li
      className="list-row flex min-h-12 flex-wrap items-center gap-x-3 py-2"
      data-detected={found.id}
    >
      <div className="grid min-w-0 flex-1 gap-x-4 gap-y-0.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <span className="min-w-0 truncate">
          <span className="font-medium">{name}</span>{' '}
          <span className="text-xs text-faint uppercase">{draft.protocol}</span>{' '}
          <span className="text-sm text-quiet">
            {version ? detected.version(version) : detected.noVersion}
          </span>
          {triedWith === null && <span className="text-sm text-faint"> · {detected.untried}</span>}
        </span>
        <span className="truncate font-mono text-sm text-faint">{file}</span>
        {signedIn === false && (
          <span className="text-sm text-quiet">{detected.signIn(signIn, keys[0])}</span>
        )}
      </div>
      {signedIn === false && signsIn !== null && !signing && (
        <Button
          aria-label={now.firstRun.signInTo(`${name} ${draft.protocol.toUpperCase()}`)}
          title={signsIn}
          onClick={() => setSigning(true)}
        >
          {now.firstRun.signIn}
        </Button>
      )}
      {already.length > 0 ? (
        <span className="text-sm text-faint">{detected.already(already.join(', '))}</span>
      ) : (
        <SubmitButton
          look="plain"
          type="button"
          waiting={waiting}
          aria-label={detected.addName(`${name} ${draft.protocol.toUpperCase()}`)}
          onClick={() => void add()}
        >
          {detected.add}
        </SubmitButton>
      )}
      {signing && (
        <div className="w-full">
          <Preparation
            agent={found.agent}
            name={name}
            step="sign_in"
            onDone={() => void refetch()}
          />
        </div>
      )}
      {error ? (
        <div className="w-full">
          <ProblemNote error={error} />
        </div>
      ) : null}
    </li>
  )
}
