/** Why the agent does not come, in words, and what can be done about it (CH9, CO7). */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { client } from '../../live/queries.ts'
import { Button, buttonClass } from '../../parts/button.tsx'
import { notify } from '../../parts/notices.tsx'
import { SendingButton } from '../../parts/sending-button.tsx'
import { useWaitStage } from '../../parts/wait-stage.ts'
import { WhyEnded } from '../../processes/why-ended.tsx'
import { StateDot } from '../../shell/state-dot.tsx'
import { useSaid, useWords } from '../../translations/messages.tsx'
import { AllowHostsButton } from '../../turns/allow-hosts-button.tsx'
import { Buttons, failureClass } from '../../turns/failure-card.tsx'
import { usePaneActions } from '../../turns/pane-actions.ts'
import type { AgentPresence } from './agent-presence.ts'

const releasePath = '/api/projects/{projectId}/agents/{agentId}/release'

interface AgentProblemProps {
  readonly presence: AgentPresence
  readonly place: { readonly projectId: string; readonly agentId: string }
  readonly agentName: string
  readonly mayWrite: boolean
  readonly onRetry: () => void
}

/** A crash that is made good in a moment is not worth a word. */
export function AgentProblem({ presence, ...rest }: AgentProblemProps) {
  const shown =
    useWaitStage(
      presence.is === 'failed' || presence.is === 'held' || presence.is === 'noCoordinator',
    ) !== 'nothing'
  return (
    <div role="alert" className="empty:hidden">
      {shown && <ProblemText presence={presence} {...rest} />}
    </div>
  )
}

function ProblemText({
  presence,
  place,
  agentName,
  mayWrite,
  onRetry,
}: AgentProblemProps): ReactNode {
  const { chat, act } = useWords()
  const translate = useSaid()
  if (presence.is === 'noCoordinator') {
    return (
      <Note title={chat.noCoordinator} next={chat.noCoordinatorNext}>
        <Link to="/system" className={buttonClass()}>
          {chat.toSystem}
        </Link>
      </Note>
    )
  }
  if (presence.is !== 'failed' && presence.is !== 'held') return null
  const { process, failed } = presence
  const log = failed && (
    <Link to="/system" search={{ launch: failed.launchId }} className={buttonClass()}>
      {chat.log}
    </Link>
  )
  if (presence.is === 'held') {
    return (
      <Note
        title={chat.held(agentName)}
        detail={process.detail && translate(process.detail, process.notice)}
        next={chat.heldNext}
      >
        <AllowHostsButton
          notice={process.notice}
          place={place}
          onAllowed={() => client.post(releasePath, { params: place })}
        />
        {log}
        {mayWrite && <Release place={place} agentName={agentName} />}
      </Note>
    )
  }
  return (
    <Note
      title={chat.failed(agentName)}
      detail={<WhyEnded process={process} />}
      next={chat.failedNext}
    >
      <AllowHostsButton notice={process.notice} place={place} onAllowed={onRetry} />
      {log}
      {mayWrite && <Button onClick={onRetry}>{act.retry}</Button>}
    </Note>
  )
}

interface NoteProps {
  readonly title: string
  readonly detail?: ReactNode
  readonly next: string
  readonly children: ReactNode
}

const Note = ({ title, detail, next, children }: NoteProps) => {
  const { console: words } = useWords()
  const { continueWith, mayWrite } = usePaneActions()
  return (
    <div className={`my-2 ${failureClass}`}>
      <p className="flex items-baseline gap-2 font-semibold">
        <StateDot state="failed" />
        {title}
      </p>
      {detail && <p className="text-sm">{detail}</p>}
      <p className="text-sm text-quiet">{next}</p>
      <Buttons>
        {children}
        {mayWrite && continueWith && <Button onClick={continueWith}>{words.continueWith}</Button>}
      </Buttons>
    </div>
  )
}

/** Lifts the hold (CO7). */
export function Release({ place, agentName }: Pick<AgentProblemProps, 'place' | 'agentName'>) {
  const { processes } = useWords()
  return (
    <SendingButton
      label={processes.releaseName(agentName)}
      content={place}
      request={(options) => client.post(releasePath, { params: place, ...options })}
      onDone={() => notify(processes.released(agentName))}
    >
      {processes.release}
    </SendingButton>
  )
}
