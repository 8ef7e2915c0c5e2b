/** A project: its name and the tabs of its parts. */
import { Link, Outlet } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { Page, useTitle } from '../parts/page.tsx'
import { Gone } from '../shell/not-found.tsx'
import { useProject } from './use-project.ts'

const tabClass =
  '-mb-px flex h-9 items-center border-b-2 border-transparent px-1 text-quiet transition-colors hover:text-ink ' +
  'aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink max-md:h-11'

export function ProjectPage() {
  const words = useWords()
  const project = useProject()
  if (!project) return <MissingProject />
  const params = { projectId: project.id }
  return (
    <Page
      title={project.name}
      tabs={
        <nav aria-label={words.project.tabs} className="flex gap-4">
          <Link to="/projects/$projectId" params={params} activeOptions={{ exact: true }} className={tabClass}>
            {words.project.overview}
          </Link>
          <Link to="/projects/$projectId/settings" params={params} className={tabClass}>
            {words.project.settings}
          </Link>
        </nav>
      }
    >
      <Outlet />
    </Page>
  )
}

function MissingProject() {
  const words = useWords()
  useTitle(words.projects.missing)
  return <Gone title={words.projects.missing} text={words.projects.missingText} />
}
