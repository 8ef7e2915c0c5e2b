/** The empty state of Now: makes the first project right there. */
import { useMay } from '../live/queries.ts'
import { Empty } from '../parts/page.tsx'
import { ProjectForm } from '../projects/project-form.tsx'
import { useWords } from '../translations/messages.tsx'

export function FirstProject() {
  const words = useWords()
  const mayWrite = useMay('write')
  return (
    <Empty title={words.projects.firstTitle}>
      <p className="max-w-prose text-quiet">{words.projects.firstText}</p>
      {mayWrite ? (
        <div className="w-full max-w-md">
          <ProjectForm />
        </div>
      ) : (
        <p className="text-quiet">{words.project.mayNot}</p>
      )}
    </Empty>
  )
}
