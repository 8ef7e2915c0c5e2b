/**
 * List of the commands. Each is loaded on demand, because loading all takes longer than most of
 * them run.
 */
import type { CommandSpec, NamedCommand } from './command.ts'

/** In the order of the help. */
const commands: Readonly<Record<string, () => Promise<CommandSpec>>> = {
  up: async () => (await import('./system/server.ts')).up,
  server: async () => (await import('./system/server.ts')).server,
  coordinator: async () => (await import('./processes/coordinator.ts')).coordinator,
  open: async () => (await import('./system/open.ts')).open,
  status: async () => (await import('./system/status.ts')).status,
  projects: async () => (await import('./projects/projects.ts')).projects,
  chat: async () => (await import('./conversations/chat.ts')).chat,
  run: async () => (await import('./consoles/run.ts')).run,
  consoles: async () => (await import('./consoles/consoles.ts')).consoles,
  attach: async () => (await import('./consoles/attach.ts')).attachCommand,
  sessions: async () => (await import('./conversations/sessions.ts')).threads,
  conversations: async () => (await import('./conversations/conversations.ts')).conversations,
  diff: async () => (await import('./conversations/turn-files.ts')).diffCommand,
  rewind: async () => (await import('./conversations/turn-files.ts')).rewindCommand,
  fork: async () => (await import('./conversations/turn-files.ts')).forkCommand,
  continue: async () => (await import('./conversations/continue.ts')).continueCommand,
  review: async () => (await import('./review/review.ts')).reviewCommand,
  land: async () => (await import('./review/land.ts')).landCommand,
  hosts: async () => (await import('./review/hosts.ts')).hosts,
  worktrees: async () => (await import('./worktrees/worktrees.ts')).worktrees,
  search: async () => (await import('./conversations/search.ts')).search,
  notes: async () => (await import('./conversations/notes.ts')).notes,
  cutover: async () => (await import('./conversations/cutover.ts')).cutover,
  tasks: async () => (await import('./work/tasks.ts')).tasks,
  work: async () => (await import('./work/work.ts')).work,
  resume: async () => (await import('./work/resume.ts')).resume,
  approvals: async () => (await import('./approvals/approvals.ts')).approvals,
  agents: async () => (await import('./agents/agents.ts')).agents,
  secrets: async () => (await import('./agents/secrets.ts')).secrets,
  processes: async () => (await import('./processes/processes.ts')).processCommands,
  coordinators: async () => (await import('./processes/processes.ts')).coordinatorCommands,
  channels: async () => (await import('./channels/channels.ts')).channelCommands,
  people: async () => (await import('./access/people.ts')).people,
  token: async () => (await import('./access/token.ts')).token,
  devices: async () => (await import('./access/devices.ts')).devices,
  acp: async () => (await import('./conversations/acp.ts')).acp,
  mcp: async () => (await import('./system/mcp.ts')).mcp,
  'demo-acp': async () => (await import('./system/demo-acp.ts')).demoAcp,
  'demo-mcp': async () => (await import('./system/demo-mcp.ts')).demoMcp,
  backup: async () => (await import('./system/backup.ts')).backup,
  restore: async () => (await import('./system/restore.ts')).restore,
  migrate: async () => (await import('./system/migrate.ts')).migrate,
  export: async () => (await import('./system/export.ts')).exportCommand,
  import: async () => (await import('./conversations/import.ts')).importCommand,
  rebuild: async () => (await import('./system/rebuild.ts')).rebuild,
  doctor: async () => (await import('./system/doctor.ts')).doctor,
  completion: async () => (await import('./system/completion.ts')).completion,
}

export const isCommand = (word: string): boolean => Object.hasOwn(commands, word)

/** Loads one command, or all of them. `up` is the default. */
export const loadCommands = (only?: string): Promise<NamedCommand[]> =>
  Promise.all(
    Object.entries(commands)
      .filter(([name]) => only === undefined || name === only)
      .map(async ([name, load]) => ({ ...(await load()), name, isDefault: name === 'up' })),
  )
