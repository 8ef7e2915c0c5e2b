/**
 * The machines that run agents: which can be reached, and what to do about one that cannot (CO6).
 */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import { coordinators, refreshProcesses } from '../live/processes.ts'
import { client, useMay } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { ElapsedTime } from '../parts/elapsed-time.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'

export function Coordinators() {
  const { coordinators: words } = useWords()
  const { data } = useQuery(coordinators)
  if (!data) return null
  return (
    <Section title={words.title} note={data.length > 1 && data.length}>
      {data.length === 0 ? (
        <>
          <p>{words.none}</p>
          <p className="text-sm text-faint">{words.noneHint}</p>
        </>
      ) : (
        <Rows label={words.title}>
          {data.map((coordinator) => (
            <CoordinatorRow key={coordinator.id} coordinator={coordinator} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

const dots: Record<Coordinator['state'], LiveState> = {
  connected: 'ready',
  unreachable: 'waiting',
  stopped: 'starting',
}

function CoordinatorRow({ coordinator }: { coordinator: Coordinator }) {
  const { coordinators: words } = useWords()
  const mayManage = useMay('manage')
  const { machine, state, version, pid, joinedAt, lastHeardAt, processes } = coordinator
  return (
    <li className="list-row flex flex-wrap items-center gap-x-3 py-2" data-coordinator={state}>
      <div className="grid min-h-7 min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
        <span className="flex min-w-0 items-center gap-2">
          <StateDot state={dots[state]} />
          <span className="min-w-0 truncate">
            <span className="font-medium">{machine}</span>
            <span className="text-quiet"> · {words.states[state]}</span>
          </span>
        </span>
        <span className="truncate text-sm text-quiet max-sm:col-span-2 max-sm:row-start-2">
          {[words.count(processes), words.version(version), `pid ${pid}`].join(' · ')}
        </span>
        <span className="justify-self-end text-sm text-faint">
          {state === 'connected' ? (
            <ElapsedTime since={Date.parse(joinedAt)} format={words.for} />
          ) : (
            <Heard at={lastHeardAt} />
          )}
        </span>
      </div>
      {state === 'unreachable' && mayManage && <TakeOver coordinator={coordinator} />}
    </li>
  )
}

const Heard = ({ at }: { at: string }) => (
  <>
    {useWords().coordinators.heard} <Ago at={at} />
  </>
)

function TakeOver({ coordinator: { id, machine } }: { coordinator: Coordinator }) {
  const { coordinators: words } = useWords()
  const [asking, setAsking] = useState(false)
  const params = { coordinatorId: id }
  const onDone = () => {
    refreshProcesses()
    notify(words.takenOver(machine))
  }
  return (
    <>
      <Button aria-label={words.takeOverName(machine)} onClick={() => setAsking(true)}>
        {words.takeOver}
      </Button>
      <ConfirmSending
        open={asking}
        onClose={() => setAsking(false)}
        title={words.takeOverTitle(machine)}
        act={words.takeOver}
        content={id}
        request={(options) =>
          client.post('/api/coordinators/{coordinatorId}/takeover', { params, ...options })
        }
        onDone={onDone}
      >
        <p>{words.takeOverText}</p>
        <p>{words.takeOverWait}</p>
      </ConfirmSending>
    </>
  )
}
