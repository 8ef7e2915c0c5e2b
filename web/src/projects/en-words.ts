/** What each setting of a project is for, in English. */
import type { SettingKey } from '../../../src/protocol/projects/settings.ts'

export type SettingTexts = Readonly<Record<SettingKey, string>>

export const settingTexts: SettingTexts = {
  'chat.wait_interval_seconds': 'How long an idle agent is told to wait before it asks again.',
  'chat.soft_timeout_minutes': 'Counted from its last answer; unread messages keep it.',
  'chat.hard_timeout_minutes':
    'Without any call or activity its process is ended. Never below the time before it is asked to leave.',
  'chat.workplace':
    'In the project’s folder one conversation works at a time; with a worktree of its own none waits for another.',
  'chat.summarize_after_chars':
    'Longer conversations are handed over with a summary of their beginning.',
  'agent_session.ttl_minutes': 'Counted from its last call of any kind.',
  'process_exit.grace_seconds': 'Time in which a call proves that the agent is alive after all.',
  'agent.start_timeout_seconds': 'An agent that is not ready by then has failed.',
  'user_session.detached_hours': 'Agents work on while nobody watches; after this they are ended.',
  'checkpoint.interval_minutes': 'How much work can be lost at most when a machine dies.',
  'resume.budget_tokens': 'What an agent is told about earlier work is cut to this.',
  'permission.deadline_minutes': 'Without an answer by then it counts as refused.',
  'turn.max_minutes': 'A prompt that is not answered by then is ended.',
  'files.keep_days':
    'So long a conversation can be rewound to a turn, or forked from it. 0: as long as the conversation.',
  'worktree.remove_after_days':
    'So long after their last use, and only when nothing in them would be lost. 0: never.',
  'permission.policy': 'What is answered without asking a person.',
  'restart.max': 'Within the window below.',
  'restart.window_seconds': 'Older restarts are forgotten.',
  'land.check': 'A command that must succeed in the worktree; it runs with the agent’s isolation.',
  'land.protected': 'Names with commas between. Work reaches them by a pull request alone.',
  'land.ssh': 'Also what others than owners land. It signs in as whoever runs Holdfast there.',
  'land.co_author': 'In commits that you land.',
  'agent.runs_on':
    'The label of a coordinator; agents are started only where it is. An agent may ask for one of its own besides.',
}
