/** Now: what needs the person first, then the projects. */
import { Link } from '@tanstack/react-router'
import { useHome, useMay } from '../live/queries.ts'
import { useWords } from '../messages/messages.tsx'
import { buttonClass } from '../parts/button.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Page, Rows, Section } from '../parts/page.tsx'
import { FirstProject } from './first-project.tsx'
import { ProjectRow } from './project-row.tsx'

export function NowPage() {
  const words = useWords()
  const home = useHome()
  const mayWrite = useMay('write')
  const projects = home?.projects ?? []
  return (
    <Page title={words.now.title}>
      <Bands />
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

/** One quiet line each while there is nothing to say. */
function Bands() {
  const { now } = useWords()
  const bands = [
    [now.waiting, now.waitingNone],
    [now.interrupted, now.interruptedNone],
    [now.running, now.runningNone],
  ] as const
  return (
    <div className="divide-y divide-line border-y border-line">
      {bands.map(([title, none]) => (
        <section key={title} className="flex min-h-11 flex-wrap items-center gap-x-4 py-2.5">
          <h2 className="w-36 font-semibold max-sm:w-full">{title}</h2>
          <p className="text-faint">{none}</p>
        </section>
      ))}
    </div>
  )
}
