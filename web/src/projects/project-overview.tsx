/** A project's facts and its assigned agents. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { loadOnce } from '../lazy-route.tsx'
import { client } from '../live/queries.ts'
import { CopyId } from '../parts/copy.tsx'
import { Fact, Facts, Section } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { useWords } from '../translations/messages.tsx'
import { ProjectAgents } from './project-agents.tsx'
import { useProject } from './use-project.ts'

/** Loaded with the project: the first visit does without. */
const ProjectSessions = lazy(
  loadOnce(async () => ({
    default: (await import('./project-sessions.tsx')).ProjectSessions,
  })),
)

const Places = lazy(
  loadOnce(async () => ({ default: (await import('../worktrees/places.tsx')).Places })),
)

export function ProjectOverview() {
  const words = useWords()
  const project = useProject()
  if (!project) return null
  return (
    <>
      {project.agentIds.length > 0 && (
        <Suspense>
          <ProjectSessions projectId={project.id} />
        </Suspense>
      )}
      <Suspense>
        <Places projectId={project.id} />
      </Suspense>
      <ProjectAgents project={project} />
      <Section title={words.project.about}>
        <Facts>
          <Fact name={words.projects.path}>
            {project.path ? (
              <>
                <span className="font-mono text-sm">{project.path}</span>
                <FolderState projectId={project.id} path={project.path} />
              </>
            ) : (
              <span className="text-faint">{words.projects.noPath}</span>
            )}
          </Fact>
          <Fact name={words.project.id}>
            <span className="-ml-1">
              <CopyId id={project.id} what={words.project.id} />
            </span>
          </Fact>
          <Fact name={words.project.createdAt}>
            <Ago at={project.createdAt} />
          </Fact>
          <Fact name={words.project.changedAt}>
            <Ago at={project.updatedAt} />
          </Fact>
        </Facts>
      </Section>
    </>
  )
}

/** SE11: what is wrong with the folder as it is now, where something is. */
function FolderState({ projectId, path }: { projectId: string; path: string }) {
  const { worktrees: words } = useWords()
  const params = { projectId }
  const queryKey = ['folder', projectId, path]
  const found = useQuery({
    queryKey,
    queryFn: () => client.get('/api/projects/{projectId}', { params }),
    staleTime: 0,
  })
  const state = found.data?.folder ?? 'found'
  return state === 'found' ? null : <p className="text-sm text-warn">{words.folderStates[state]}</p>
}
