/** Deletes a project: says what is lost and what stays, and asks once. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { withoutProject } from '../live/home.ts'
import { changeHome, client } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { notify } from '../parts/notices.tsx'
import { Section } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'

export function DeleteProject({ project }: { project: Project }) {
  const words = useWords()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const params = { projectId: project.id }
  const onDone = async () => {
    await navigate({ to: '/' })
    changeHome((home) => withoutProject(home, project.id))
    notify(words.projects.deleted(project.name))
  }

  return (
    <Section title={words.project.danger}>
      <div className="flex flex-wrap items-center justify-between gap-3 border-y border-line py-3">
        <p className="text-quiet">{words.project.dangerText}</p>
        <Button look="danger" onClick={() => setAsking(true)}>
          {words.project.deleteButton}
        </Button>
      </div>
      <ConfirmSending
        open={asking}
        onClose={() => setAsking(false)}
        title={words.project.deleteTitle(project.name)}
        act={words.act.delete}
        content={params}
        request={(options) => client.delete('/api/projects/{projectId}', { params, ...options })}
        onDone={onDone}
      >
        <p>{words.project.deleteLost}</p>
        <p>
          {project.path ? words.project.deleteStays(project.path) : words.project.deleteStaysNoPath}
        </p>
      </ConfirmSending>
    </Section>
  )
}
