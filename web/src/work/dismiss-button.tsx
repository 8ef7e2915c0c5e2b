/**
 * Takes interrupted work off the list (WK6). It can be resumed all the same, so nothing is asked
 * first.
 */
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { useAgentAndProject } from '../live/display-names.ts'
import { client, useMay } from '../live/queries.ts'
import { notify } from '../parts/notices.tsx'
import { SendingButton } from '../parts/sending-button.tsx'
import { useWords } from '../translations/messages.tsx'

export function DismissButton({ workSession: { id, projectId } }: { workSession: WorkSession }) {
  const { continuity } = useWords()
  const mayWrite = useMay('write')
  const { project } = useAgentAndProject({ projectId, agentId: '' })
  const params = { projectId, workSessionId: id }
  if (!mayWrite) return null
  return (
    <SendingButton
      look="quiet"
      label={continuity.dismissName(project)}
      content={params}
      request={(options) =>
        client.post('/api/projects/{projectId}/sessions/{workSessionId}/dismiss', {
          params,
          ...options,
        })
      }
      onDone={() => notify(continuity.dismissed(project))}
    >
      {continuity.dismiss}
    </SendingButton>
  )
}
