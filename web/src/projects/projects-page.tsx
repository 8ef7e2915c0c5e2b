/** All projects: what runs in each, its folder and agents, and Resume for interrupted work. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { runningByProject } from '../../../src/client/running.ts'
import { canResume, interrupted } from '../live/continuity.ts'
import { useHome, useMay } from '../live/queries.ts'
import { useRunning } from '../now/running.ts'
import { buttonClass } from '../parts/button.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Page, Rows } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'
import { ProjectRow } from './project-row.tsx'

export function ProjectsPage() {
  const words = useWords()
  const home = useHome()
  const mayWrite = useMay('write')
  const counts = runningByProject(useRunning() ?? [])
  const toResume = useQuery(interrupted).data
  return (
    <Page
      title={words.projects.title}
      room="rows"
      actions={
        mayWrite && (
          <Link to="." search={{ new: 'project' }} className={buttonClass()}>
            <PlusIcon />
            {words.projects.new}
          </Link>
        )
      }
    >
      <Rows label={words.projects.title}>
        {home?.projects.map((project) => (
          <ProjectRow
            key={project.id}
            project={project}
            agents={home.agents}
            running={counts.get(project.id) ?? 0}
            toResume={toResume?.find((each) => each.projectId === project.id && canResume(each))}
          />
        ))}
      </Rows>
    </Page>
  )
}
