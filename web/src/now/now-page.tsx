/** Now: what needs the person first, then the projects. */
import { Link } from '@tanstack/react-router'
import { useHome, useMay } from '../live/queries.ts'
import { useWords } from '../messages/messages.tsx'
import { buttonClass } from '../parts/button.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Page, Rows, Section } from '../parts/page.tsx'
import { FirstProject } from './first-project.tsx'
import { ProjectRow } from './project-row.tsx'
import { WaitingForYou } from './waiting-for-you.tsx'

export function NowPage() {
  const words = useWords()
  const home = useHome()
  const mayWrite = useMay('write')
  const projects = home?.projects ?? []
  return (
    <Page title={words.now.title}>
      <WaitingForYou />
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
              <ProjectRow key={project.id} project={project} agents={home?.agents ?? []} />
            ))}
          </Rows>
        </Section>
      )}
    </Page>
  )
}
