/** Lists the tasks of a project, newest first, page by page (HT1); those of one status or work session when asked. */
import type { Page, PageQuery } from '../protocol/page.ts'
import type { Task } from '../protocol/task.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { selectProject } from '../store/queries/projects.ts'
import { type TasksFilter, tasksPage } from '../store/queries/tasks.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

export const listTasks = defineQuery({
  name: 'list-tasks',
  run: async (reader, { limit, cursor, ...filter }: PageQuery & TasksFilter): Promise<Page<Task>> => {
    const { projectId } = filter
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    return cutPage(await tasksPage(reader, filter, pageParams({ limit, cursor })), limit)
  },
})
