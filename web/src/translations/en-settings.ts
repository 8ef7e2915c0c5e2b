/** The settings of a project (NA10) in English. */
import type { SettingKey } from '../../../src/protocol/projects/settings.ts'

interface SettingWords {
  readonly name: string
  readonly about: string
}

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
  readonly keys: Record<SettingKey, SettingWords>
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
    'chat.wait_interval_seconds': {
      name: 'Pause between looks for messages',
      about: 'How long an idle agent is told to wait before it asks again.',
    },
    'chat.soft_timeout_minutes': {
      name: 'Quiet time before an agent is asked to leave',
      about: 'Counted from its last answer; unread messages keep it.',
    },
    'chat.hard_timeout_minutes': {
      name: 'Quiet time before an agent is stopped',
      about:
        'Without any call or activity its process is ended. Never below the time before it is asked to leave.',
    },
    'chat.workplace': {
      name: 'New conversations work in',
      about:
        'In the project’s folder one conversation works at a time; with a worktree of its own none waits for another.',
    },
    'chat.summarize_after_chars': {
      name: 'Summarise conversations after',
      about: 'Longer conversations are handed over with a summary of their beginning.',
    },
    'agent_session.ttl_minutes': {
      name: 'An agent’s sign-in lasts',
      about: 'Counted from its last call of any kind.',
    },
    'process_exit.grace_seconds': {
      name: 'Grace after a process has ended',
      about: 'Time in which a call proves that the agent is alive after all.',
    },
    'agent.start_timeout_seconds': {
      name: 'Time to start',
      about: 'An agent that is not ready by then has failed.',
    },
    'user_session.detached_hours': {
      name: 'A console without a viewer stays for',
      about: 'Agents work on while nobody watches; after this they are ended.',
    },
    'checkpoint.interval_minutes': {
      name: 'Checkpoint every',
      about: 'How much work can be lost at most when a machine dies.',
    },
    'resume.budget_tokens': {
      name: 'Size of the context on resume',
      about: 'What an agent is told about earlier work is cut to this.',
    },
    'permission.deadline_minutes': {
      name: 'A permission waits for',
      about: 'Without an answer by then it counts as refused.',
    },
    'turn.max_minutes': {
      name: 'Longest turn',
      about: 'A prompt that is not answered by then is ended.',
    },
    'files.keep_days': {
      name: 'Files of turns are kept for',
      about:
        'So long a conversation can be rewound to a turn, or forked from it. 0: as long as the conversation.',
    },
    'worktree.remove_after_days': {
      name: 'Worktrees are removed after',
      about: 'So long after their last use, and only when nothing in them would be lost. 0: never.',
    },
    'permission.policy': {
      name: 'When an agent asks for permission',
      about: 'What is answered without asking a person.',
    },
    'restart.max': {
      name: 'Restarts before giving up',
      about: 'Within the window below.',
    },
    'restart.window_seconds': {
      name: 'Window for counting restarts',
      about: 'Older restarts are forgotten.',
    },
    'land.check': {
      name: 'Check before work is landed',
      about: 'A command that must succeed in the worktree; it runs with the agent’s isolation.',
    },
    'land.protected': {
      name: 'Protected branches',
      about: 'Names with commas between. Work reaches them by a pull request alone.',
    },
    'land.ssh': {
      name: 'Push with the ssh of the machine',
      about: 'Also what others than owners land. It signs in as whoever runs Holdfast there.',
    },
    'land.co_author': {
      name: 'Name the agent as co-author',
      about: 'In commits that you land.',
    },
    'agent.runs_on': {
      name: 'Machines that may run the agents',
      about:
        'The label of a coordinator; agents are started only where it is. An agent may ask for one of its own besides.',
    },
  },
}
