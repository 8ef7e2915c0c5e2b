/** Takes interrupted work off the list (WK6). It can be resumed all the same, so nothing is asked first. */
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { useAgentAndProject } from '../live/display-names.ts'
import { client, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { notify } from '../parts/notices.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

export function DismissButton({ workSession: { id, projectId } }: { workSession: WorkSession }) {
  const { continuity } = useWords()
  const mayWrite = useMay('write')
  const { project } = useAgentAndProject({ projectId, agentId: '' })
  const { waiting, error, send } = useSending<WorkSession>()
  const params = { projectId, workSessionId: id }
  const dismiss = async () => {
    const dismissed = await send(params, (options) =>
      client.post('/api/projects/{projectId}/sessions/{workSessionId}/dismiss', { params, ...options }),
    )
    if (dismissed) notify(continuity.dismissed(project))
  }
  if (!mayWrite) return null
  return (
    <>
      <ProblemNote error={error} />
      <SubmitButton
        look="quiet"
        type="button"
        waiting={waiting}
        aria-label={continuity.dismissName(project)}
        onClick={() => void dismiss()}
      >
        {continuity.dismiss}
      </SubmitButton>
    </>
  )
}
