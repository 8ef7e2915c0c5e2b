/** The project that the address names; undefined when it is gone. */
import { useParams } from '@tanstack/react-router'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { useHome } from '../live/queries.ts'

export function useProject(): Project | undefined {
  const { projectId } = useParams({ from: '/shell/projects/$projectId' })
  return useHome()?.projects.find((project) => project.id === projectId)
}
