/**
 * Work that is taken up from its files on the machine of the server (CK7), by who may choose a
 * path.
 */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Resumed } from '../../../src/protocol/work/resume.ts'
import { client, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { notify } from '../parts/notices.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'

export function ContinueFromFile() {
  const { fromFile } = useWords().continuity
  const translate = useSaid()
  const navigate = useNavigate()
  const mayManage = useMay('manage')
  const [path, setPath] = useState('')
  const { waiting, error, send } = useSending<Resumed>()
  const go = async (event: FormEvent) => {
    event.preventDefault()
    const body = { path: path.trim() }
    const resumed = await send(body, (options) =>
      client.post('/api/sessions/resume-file', { body, ...options }),
    )
    if (!resumed) return
    for (const { detail, notice } of [...resumed.missing, ...resumed.notRestored])
      notify(translate(detail, notice))
    const { id: workSessionId, projectId } = resumed.session
    await navigate({
      to: '/projects/$projectId/history/$workSessionId',
      params: { projectId, workSessionId },
    })
  }
  if (!mayManage) return null
  return (
    <details>
      <summary className="cursor-pointer text-quiet hover:text-ink">{fromFile.title}</summary>
      <form className="flex flex-col items-start gap-2 py-2" onSubmit={(event) => void go(event)}>
        <TextField
          label={fromFile.path}
          hint={fromFile.hint}
          value={path}
          onValue={setPath}
          mono
          className="w-full"
        />
        <ProblemNote error={error} />
        <SubmitButton waiting={waiting} disabled={path.trim() === ''}>
          {fromFile.go}
        </SubmitButton>
      </form>
    </details>
  )
}
