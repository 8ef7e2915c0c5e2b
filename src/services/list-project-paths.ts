/** The paths that projects have, each as it was given. */
import { projectPaths } from '../store/queries/projects.ts'
import { defineQuery } from '../store/store.ts'

export const listProjectPaths = defineQuery({
  name: 'list-project-paths',
  run: (reader, _: Record<never, never>): Promise<string[]> => projectPaths(reader),
})
