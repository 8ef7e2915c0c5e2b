/**
 * Stops a process, after asking once: it cannot be undone, but nothing that was said or done is
 * lost.
 */
import { useState } from 'react'
import type { Process } from '../../../src/protocol/processes/process.ts'
import { takeProcess } from '../live/processes.ts'
import { client } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { notify } from '../parts/notices.tsx'
import { useWords } from '../translations/messages.tsx'

interface StopProcessProps {
  readonly process: Process
  readonly agent: string
  readonly project: string
  readonly stopping: boolean
}

export function StopProcess({ process, agent, project, stopping }: StopProcessProps) {
  const { processes: words } = useWords()
  const [asking, setAsking] = useState(false)
  const { launchId } = process
  const onDone = (stopped: Process) => {
    takeProcess(stopped)
    notify(words.stopped(agent))
  }
  return (
    <>
      <Button
        disabled={stopping}
        aria-label={words.stopName(agent)}
        onClick={() => setAsking(true)}
      >
        {words.stop}
      </Button>
      <ConfirmSending
        open={asking}
        onClose={() => setAsking(false)}
        title={words.stopTitle(agent, project)}
        act={words.stop}
        content={launchId}
        request={(options) =>
          client.post('/api/processes/{launchId}/stop', { params: { launchId }, ...options })
        }
        onDone={onDone}
      >
        <p>{words.stopText}</p>
        <p>{words.stopKept}</p>
      </ConfirmSending>
    </>
  )
}
