/** Now: what needs the person first, what runs, then the projects. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { runningByProject } from '../../../src/client/running.ts'
import { canResume, interrupted } from '../live/continuity.ts'
import { useHome, useMay } from '../live/queries.ts'
import { buttonClass } from '../parts/button.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Page, Rows, Section } from '../parts/page.tsx'
import { FirstDay } from '../system/day-begins.tsx'
import { useWords } from '../translations/messages.tsx'
import { AtWork } from './at-work.tsx'
import { FirstProject } from './first-project.tsx'
import { GettingStarted } from './getting-started.tsx'
import { Interrupted } from './interrupted.tsx'
import { ProjectRow } from './project-row.tsx'
import { useRunning } from './running.ts'
import { StartWork } from './start-work.tsx'
import { WaitingForYou } from './waiting-for-you.tsx'

export function NowPage() {
  const words = useWords()
  const home = useHome()
  const mayWrite = useMay('write')
  const projects = home?.projects ?? []
  const running = useRunning()
  const counts = runningByProject(running ?? [])
  const toResume = useQuery(interrupted).data
  return (
    <Page title={words.now.title} room="rows">
      {home && <StartWork home={home} />}
      {home && <GettingStarted home={home} />}
      <div className="flex flex-col gap-6">
        <WaitingForYou />
        <AtWork running={running} />
        <Interrupted />
      </div>
      <FirstDay />
      {projects.length === 0 ? (
        <FirstProject />
      ) : (
        <Section
          title={words.projects.title}
          note={projects.length}
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
            {projects.map((project) => (
              <ProjectRow
                key={project.id}
                project={project}
                agents={home?.agents ?? []}
                running={counts.get(project.id) ?? 0}
                toResume={toResume?.find(
                  (each) => each.projectId === project.id && canResume(each),
                )}
              />
            ))}
          </Rows>
        </Section>
      )}
    </Page>
  )
}
