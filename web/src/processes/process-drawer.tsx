/**
 * One launch: its start, its state or end, and its last lines of output. The drawer has its own
 * address.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { outputKeptDays } from '../../../src/protocol/processes/output-kept.ts'
import type { ProcessWithOutput } from '../../../src/protocol/processes/process.ts'
import { useAgentAndProject } from '../live/display-names.ts'
import { coordinators, processWithOutput } from '../live/processes.ts'
import { refetch } from '../live/queries.ts'
import { CopyId } from '../parts/copy.tsx'
import { Drawer } from '../parts/drawer.tsx'
import { Fact, Facts } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { standingDots, standingOf, standingWord } from './process-words.ts'
import { WhyEnded } from './why-ended.tsx'

/** The polling interval for the output, which has no events. */
const readAgainMs = 2000

export function ProcessDrawer() {
  const words = useWords()
  const navigate = useNavigate()
  const { launch } = useSearch({ from: '/shell/system' })
  const close = () => void navigate({ to: '/system', search: {}, resetScroll: false })
  return (
    <Drawer title={words.processes.launch} open={launch !== undefined} onClose={close}>
      {launch !== undefined && <Launch launchId={launch} />}
    </Drawer>
  )
}

function Launch({ launchId }: { launchId: string }) {
  const words = useWords()
  const query = processWithOutput(launchId)
  const { data, error } = useQuery({
    ...query,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === 'ended' ? false : readAgainMs),
  })
  if (data) return <Details process={data} />
  if (error) return <ProblemNote error={error} onRetry={() => void refetch(query)} />
  return <Waiting what={words.things.processes} onRetry={() => void refetch(query)} />
}

function Details({ process }: { process: ProcessWithOutput }) {
  const words = useWords()
  const { processes } = words
  const { agent, project } = useAgentAndProject(process)
  const machines = useQuery(coordinators).data
  const standing = standingOf(process, machines)
  const machine = machines?.find(({ id }) => id === process.coordinatorId)?.machine
  return (
    <>
      <Facts>
        <Fact name={processes.agent}>{agent}</Fact>
        <Fact name={processes.project}>{project}</Fact>
        <Fact name={processes.state}>
          <span className="inline-flex items-center gap-2">
            <StateDot state={standingDots[standing]} />
            {standingWord(standing, words)}
          </span>
        </Fact>
        {(process.state === 'ended' || process.detail) && (
          <Fact name={processes.why}>
            <WhyEnded process={process} />
          </Fact>
        )}
        {process.pid !== null && (
          <Fact name={processes.pid}>
            <span className="font-mono text-sm">{process.pid}</span>
          </Fact>
        )}
        <Fact name={processes.ordered}>
          <Ago at={process.orderedAt} />
        </Fact>
        {process.startedAt && (
          <Fact name={processes.started}>
            <Ago at={process.startedAt} />
          </Fact>
        )}
        {process.endedAt && (
          <Fact name={processes.endedAt}>
            <Ago at={process.endedAt} />
          </Fact>
        )}
        <Fact name={processes.coordinator}>{machine ?? process.coordinatorId}</Fact>
        <Fact name={processes.launch}>
          <CopyId id={process.launchId} what={processes.launchId} />
        </Fact>
      </Facts>
      <Output text={process.output} endedAt={process.endedAt} />
    </>
  )
}

const dayMs = 86_400_000
const isKept = (endedAt: string | null): boolean =>
  endedAt === null || Date.now() - Date.parse(endedAt) < outputKeptDays * dayMs

/** Keeps the end of the output in view, unless the person has scrolled up. */
function Output({ text, endedAt }: { text: string; endedAt: string | null }) {
  const { processes } = useWords()
  const area = useRef<HTMLPreElement>(null)
  const atEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new may have moved the end
  useEffect(() => {
    if (area.current && atEnd.current) area.current.scrollTop = area.current.scrollHeight
  }, [text])
  return (
    <section aria-label={processes.output} className="flex min-h-0 flex-1 flex-col gap-2">
      <h3 className="font-semibold">{processes.output}</h3>
      {text === '' ? (
        <p className="text-faint">
          {isKept(endedAt) ? processes.outputNone : processes.outputGone(outputKeptDays)}
        </p>
      ) : (
        <pre
          ref={area}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
          tabIndex={0}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            atEnd.current = scrollHeight - scrollTop - clientHeight < 24
          }}
          className="min-h-32 flex-1 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap shadow-[inset_0_0_0_1px_var(--line)] [overflow-wrap:anywhere]"
        >
          {text}
        </pre>
      )}
      <p className="text-xs text-faint">{processes.outputKept}</p>
    </section>
  )
}
