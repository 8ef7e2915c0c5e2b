/**
 * Takes interrupted work up (RS1). What could not be restored is said before the person turns to
 * anything else (RS2).
 */
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Missing, NotRestored, Resumed } from '../../../src/protocol/work/resume.ts'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { loadOnce } from '../lazy-route.tsx'
import { canResume } from '../live/continuity.ts'
import { useAgentAndProject } from '../live/display-names.ts'
import { client, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { notify } from '../parts/notices.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'

const ResumePreview = lazy(
  loadOnce(async () => ({ default: (await import('./resume-preview.tsx')).ResumePreview })),
)

interface ResumeButtonProps {
  /** The work session to resume; undefined when there is none, which the button says. */
  readonly workSession: WorkSession | undefined
  readonly projectId: string
  /**
   * False when it was taken up meanwhile: the button goes, and what its answer says is still shown.
   */
  readonly offered?: boolean
}

export function ResumeButton({ workSession, projectId, offered = true }: ResumeButtonProps) {
  const { continuity } = useWords()
  const mayWrite = useMay('write')
  const { project } = useAgentAndProject({ projectId, agentId: '' })
  const { waiting, error, send } =
    useSending<Pick<Resumed, 'notRestored' | 'missing' | 'remainingTasks'>>()
  const navigate = useNavigate()
  const [lost, setLost] = useState<readonly NotRestored[]>([])
  const [missing, setMissing] = useState<readonly Missing[]>([])
  const [looking, setLooking] = useState(false)
  const possible = workSession !== undefined && canResume(workSession)
  const why = workSession?.setAside ? continuity.setAsideText : continuity.resumeNothing
  const resume = async () => {
    if (!possible) return
    const params = { projectId, workSessionId: workSession.id }
    const answer = await send(params, (options) =>
      client.post('/api/projects/{projectId}/sessions/{workSessionId}/resume', {
        params,
        ...options,
      }),
    )
    if (!answer) return
    setLooking(false)
    if (answer.missing.length === 0) {
      notify(continuity.goesOn(project))
      if (answer.notRestored.length === 0)
        void goThere(answer.remainingTasks.flatMap(({ assignedTo }) => assignedTo ?? []))
    }
    setMissing(answer.missing)
    setLost(answer.missing.length === 0 ? answer.notRestored : [])
  }
  /**
   * To the session that the work goes on in, if it has one: there it says what its agent was told
   * first.
   */
  const goThere = async (agentIds: readonly string[]) => {
    const query = { projectId, channel: 'work', limit: 50 }
    const found = await client.get('/api/conversations', { query }).catch(() => undefined)
    const key = found?.items.find(
      ({ agentId }) => agentId !== null && agentIds.includes(agentId),
    )?.key
    if (key !== undefined)
      await navigate({ to: '/projects/$projectId/session/$key', params: { projectId, key } })
  }
  if (!mayWrite) return null
  return (
    <>
      {looking && workSession && (
        <Suspense>
          <ResumePreview
            workSession={workSession}
            projectId={projectId}
            waiting={waiting}
            error={error}
            onResume={() => void resume()}
            onClose={() => setLooking(false)}
          />
        </Suspense>
      )}
      {offered && (
        <SubmitButton
          look="plain"
          type="button"
          data-press
          disabled={!possible}
          waiting={false}
          title={possible ? undefined : why}
          aria-label={continuity.resumeName(project)}
          onClick={() => setLooking(true)}
        >
          {continuity.resume}
        </SubmitButton>
      )}
      {lost.length > 0 && (
        <Said
          title={continuity.notRestored}
          text={continuity.notRestoredText}
          said={lost}
          onClose={() => setLost([])}
        />
      )}
      {missing.length > 0 && (
        <Said
          title={continuity.missingToStart}
          text={continuity.missingToStartText}
          said={missing}
          onClose={() => setMissing([])}
        />
      )}
    </>
  )
}

interface SaidProps {
  readonly title: string
  readonly text: string
  readonly said: readonly (Missing | NotRestored)[]
  readonly onClose: () => void
}

function Said({ title, text, said: things, onClose }: SaidProps) {
  const { continuity } = useWords()
  const translate = useSaid()
  return (
    <InputDialog title={title} open onClose={onClose}>
      <DialogBody>
        <p>{text}</p>
        <ul className="flex list-disc flex-col gap-1 pl-5 [overflow-wrap:anywhere]">
          {things.map(({ what, detail, notice }) => (
            <li key={`${what} ${detail}`}>{translate(detail, notice)}</li>
          ))}
        </ul>
      </DialogBody>
      <DialogFoot>
        <Button look="primary" data-first onClick={onClose}>
          {continuity.goOn}
        </Button>
      </DialogFoot>
    </InputDialog>
  )
}
