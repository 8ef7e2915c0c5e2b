/**
 * A process in a list: whose it is and where, how it stands and for how long, and the way to stop
 * it.
 */
import { Link } from '@tanstack/react-router'
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import type { Process } from '../../../src/protocol/processes/process.ts'
import { Release } from '../conversations/presence/agent-problem.tsx'
import { useAgentAndProject } from '../live/display-names.ts'
import { useMay } from '../live/queries.ts'
import { ElapsedTime, secondsBetween } from '../parts/elapsed-time.tsx'
import { Ago } from '../parts/time.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { AgentInProject } from './agent-in-project.tsx'
import { standingDots, standingOf, standingWord } from './process-words.ts'
import { StopProcess } from './stop-process.tsx'
import { WhyEnded } from './why-ended.tsx'

interface ProcessRowProps {
  readonly process: Process
  readonly coordinators?: readonly Coordinator[] | undefined
}

export function ProcessRow({ process, coordinators }: ProcessRowProps) {
  const words = useWords()
  const translate = useSaid()
  const mayManage = useMay('manage')
  const mayWrite = useMay('write')
  const { agent, project } = useAgentAndProject(process)
  const standing = standingOf(process, coordinators)
  const live = process.state !== 'ended'
  const place = { projectId: process.projectId, agentId: process.agentId }
  return (
    <li
      className="list-row flex flex-wrap items-center gap-x-2"
      data-launch={process.launchId}
      data-standing={standing}
    >
      <Link
        to="/system"
        search={{ launch: process.launchId }}
        resetScroll={false}
        className="-mx-2 grid min-h-11 min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 rounded-md px-2 py-2 -outline-offset-2 transition-colors hover:bg-hover sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_5rem_7rem]"
      >
        <span className="flex min-w-0 items-center gap-2">
          {live && <StateDot state={standingDots[standing]} />}
          <AgentInProject agent={agent} project={project} />
        </span>
        <span className="truncate text-sm text-quiet max-sm:col-span-2 max-sm:row-start-2">
          {live ? standingWord(standing, words) : <WhyEnded process={process} />}
          {standing === 'held' && process.detail && (
            <span className="text-faint">: {translate(process.detail, process.notice)}</span>
          )}
        </span>
        <span className="text-right font-mono text-sm text-faint tabular-nums max-sm:hidden">
          {live ? process.pid : ''}
        </span>
        <span className="justify-self-end text-right text-sm text-faint">
          {live ? (
            <ElapsedTime since={Date.parse(process.startedAt ?? process.orderedAt)} />
          ) : (
            <EndedAgo process={process} />
          )}
        </span>
      </Link>
      {live && (mayManage || mayWrite) && (
        // The same width in every row, so that the column before it is aligned.
        <div className="flex justify-end sm:min-w-24">
          {standing === 'held' && mayWrite && <Release place={place} agentName={agent} />}
          {standing !== 'held' && mayManage && (
            <StopProcess
              process={process}
              agent={agent}
              project={project}
              stopping={standing === 'stopping'}
            />
          )}
        </div>
      )}
    </li>
  )
}

function EndedAgo({ process: { startedAt, endedAt } }: { process: Process }) {
  const words = useWords()
  const lasted =
    startedAt && endedAt
      ? words.duration(secondsBetween(Date.parse(startedAt), Date.parse(endedAt)))
      : undefined
  return (
    <span title={lasted ? words.processes.lasted(lasted) : words.processes.neverRan}>
      {endedAt && <Ago at={endedAt} />}
    </span>
  )
}
