/** The settings of a project (NA10) in English. */
import type { SettingKey } from '../../../src/protocol/projects/settings.ts'

export type SettingsWords = {
  readonly groups: Record<'chat' | 'agent' | 'work' | 'permission', string>
  readonly units: Record<
    'seconds' | 'minutes' | 'hours' | 'days' | 'chars' | 'tokens' | 'times',
    string
  >
  readonly range: (min: string, max: string) => string
  readonly wholeRange: (min: string, max: string) => string
  readonly fallback: (value: string) => string
  readonly notBelow: (name: string, value: string) => string
  readonly labelForm: string
  readonly anyMachine: string
  readonly none: string
  readonly advanced: string
  readonly advancedText: string
  readonly choices: Record<string, string>
  readonly keys: Record<SettingKey, string>
}

export const settings: SettingsWords = {
  groups: {
    chat: 'Chat',
    agent: 'Agents and processes',
    work: 'Work and continuity',
    permission: 'Permissions',
  },
  units: {
    seconds: 'seconds',
    minutes: 'minutes',
    hours: 'hours',
    days: 'days',
    chars: 'characters',
    tokens: 'tokens',
    times: 'times',
  },
  range: (min, max) => `from ${min} to ${max}`,
  wholeRange: (min, max) => `a whole number from ${min} to ${max}`,
  fallback: (value) => `Default: ${value}`,
  advanced: 'Advanced',
  advancedText: 'Timing and limits',
  notBelow: (name, value) => `Not below “${name}” (${value})`,
  labelForm: 'Small letters, digits, “.”, “_” and “-”',
  anyMachine: 'any machine',
  none: 'none',
  choices: {
    ask: 'Ask every time',
    allow_reads: 'Allow reading',
    allow_all: 'Allow everything',
    worktree: 'A worktree of its own',
    checkout: 'The project’s folder',
    yes: 'Yes',
    no: 'No',
  },
  keys: {
    'chat.wait_interval_seconds': 'Pause between looks for messages',
    'chat.soft_timeout_minutes': 'Quiet time before an agent is asked to leave',
    'chat.hard_timeout_minutes': 'Quiet time before an agent is stopped',
    'chat.workplace': 'New conversations work in',
    'chat.summarize_after_chars': 'Summarise conversations after',
    'agent_session.ttl_minutes': 'An agent’s sign-in lasts',
    'process_exit.grace_seconds': 'Grace after a process has ended',
    'agent.start_timeout_seconds': 'Time to start',
    'user_session.detached_hours': 'A console without a viewer stays for',
    'checkpoint.interval_minutes': 'Checkpoint every',
    'resume.budget_tokens': 'Size of the context on resume',
    'permission.deadline_minutes': 'A permission waits for',
    'turn.max_minutes': 'Longest turn',
    'files.keep_days': 'Files of turns are kept for',
    'worktree.remove_after_days': 'Worktrees are removed after',
    'permission.policy': 'When an agent asks for permission',
    'restart.max': 'Restarts before giving up',
    'restart.window_seconds': 'Window for counting restarts',
    'land.check': 'Check before work is landed',
    'land.protected': 'Protected branches',
    'land.ssh': 'Push with the ssh of the machine',
    'land.co_author': 'Name the agent as co-author',
    'agent.runs_on': 'Machines that may run the agents',
  },
}
