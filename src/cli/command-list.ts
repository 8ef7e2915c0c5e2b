/** The commands there are. Each is loaded only when it is needed, because loading all of them takes longer than most of them run. */
import type { CommandSpec } from './command.ts'

/** In the order of the help. */
export const commands: Readonly<Record<string, () => Promise<CommandSpec>>> = {
  up: async () => (await import('./commands/up.ts')).up,
  server: async () => (await import('./commands/server.ts')).server,
  coordinator: async () => (await import('./commands/coordinator.ts')).coordinator,
  open: async () => (await import('./commands/open.ts')).open,
  status: async () => (await import('./commands/status.ts')).status,
  projects: async () => (await import('./commands/projects.ts')).projects,
  chat: async () => (await import('./commands/chat.ts')).chat,
  run: async () => (await import('./commands/run.ts')).run,
  consoles: async () => (await import('./commands/consoles.ts')).consoles,
  attach: async () => (await import('./commands/attach.ts')).attachCommand,
  conversations: async () => (await import('./commands/conversations.ts')).conversations,
  worktrees: async () => (await import('./commands/worktrees.ts')).worktrees,
  search: async () => (await import('./commands/search.ts')).search,
  notes: async () => (await import('./commands/notes.ts')).notes,
  cutover: async () => (await import('./commands/cutover.ts')).cutover,
  tasks: async () => (await import('./commands/tasks.ts')).tasks,
  sessions: async () => (await import('./commands/sessions.ts')).workSessions,
  resume: async () => (await import('./commands/resume.ts')).resume,
  approvals: async () => (await import('./commands/approvals.ts')).approvals,
  agents: async () => (await import('./commands/agents.ts')).agents,
  processes: async () => (await import('./commands/processes.ts')).processes,
  coordinators: async () => (await import('./commands/coordinators.ts')).coordinators,
  channels: async () => (await import('./commands/channels.ts')).channels,
  people: async () => (await import('./commands/people.ts')).people,
  token: async () => (await import('./commands/token.ts')).token,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  'demo-acp': async () => (await import('./commands/demo-acp.ts')).demoAcp,
  'demo-mcp': async () => (await import('./commands/demo-mcp.ts')).demoMcp,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/restore.ts')).restore,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuild,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  completion: async () => (await import('./commands/completion.ts')).completion,
}

export const allCommands = (): Promise<CommandSpec[]> => Promise.all(Object.values(commands).map((load) => load()))
