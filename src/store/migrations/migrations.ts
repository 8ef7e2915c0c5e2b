/** Every migration, in order. Forward only; a released one is never changed. */
import { spine } from './0001-spine.ts'
import { agentsThatPull } from './0002-agents-that-pull.ts'
import { processes } from './0003-processes.ts'
import { tasksBeforeWork } from './0004-tasks-before-work.ts'
import { userSessions } from './0005-user-sessions.ts'
import { continuity } from './0006-continuity.ts'
import { rolesAtWork } from './0007-roles-at-work.ts'
import { spokenChats } from './0008-spoken-chats.ts'
import type { Migration } from './migration.ts'

export const migrations: readonly Migration[] = [
  spine,
  agentsThatPull,
  processes,
  tasksBeforeWork,
  userSessions,
  continuity,
  rolesAtWork,
  spokenChats,
]

export const newestVersion = migrations.length
