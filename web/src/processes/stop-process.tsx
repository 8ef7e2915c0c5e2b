/** Stops a process, after asking once: it cannot be undone, but nothing that was said or done is lost. */
import { useState } from 'react'
import type { Process } from '../../../src/protocol/processes/process.ts'
import { takeProcess } from '../live/processes.ts'
import { client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { notify } from '../parts/notices.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
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
  const { waiting, error, send } = useSending<Process>()
  const { launchId } = process
  const stop = async () => {
    const path = '/api/processes/{launchId}/stop'
    const stopped = await send(launchId, (options) => client.post(path, { params: { launchId }, ...options }))
    if (!stopped) return
    takeProcess(stopped)
    notify(words.stopped(agent))
    setAsking(false)
  }
  return (
    <>
      <Button disabled={stopping} aria-label={words.stopName(agent)} onClick={() => setAsking(true)}>
        {words.stop}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={words.stopTitle(agent, project)}
        action={
          <SubmitButton look="danger" type="button" waiting={waiting} onClick={() => void stop()}>
            {words.stop}
          </SubmitButton>
        }
      >
        <p>{words.stopText}</p>
        <p>{words.stopKept}</p>
        <ProblemNote error={error} />
      </Confirm>
    </>
  )
}
