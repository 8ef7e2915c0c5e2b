/** The words of interrupted and resumed work, approaches, checkpoints and artifacts in English. */
import type { WaitsFor } from '../../../src/protocol/work/work-session.ts'

const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`

export const continuity = {
  interrupted: 'Interrupted',
  interruptedNone: 'No work was interrupted.',
  interruptedMore: (count: number) => `Show ${count} more`,
  resume: 'Resume',
  resumeName: (project: string) => `Resume the work in ${project}`,
  resumeNothing: 'There is nothing to resume here.',
  setAside: 'Set aside',
  setAsideText: 'It could not be resumed twice in a row, so it is not tried any more.',
  goesOn: (project: string) => `The work in ${project} goes on`,
  notRestored: 'Not everything could be restored',
  notRestoredText: 'The work goes on without this:',
  goOn: 'Go on',
  missingToStart: 'Nothing starts yet',
  missingToStartText: 'The work is taken up, and waits for this:',
  dismiss: 'Dismiss',
  dismissName: (project: string) => `Dismiss the interrupted work in ${project}`,
  dismissed: (project: string) =>
    `Dismissed. The work in ${project} can still be resumed from its sessions`,
  dismissedMark: 'dismissed',
  waitsFor: 'Waits for',
  waitsForOne: (
    each: WaitsFor,
    task: string | null = 'taskId' in each ? each.taskId : null,
  ): string => {
    if (each.what === 'approval') return `approval ${each.approvalId}`
    if (each.what === 'task') return task === null ? 'a task' : `task ${task}`
    return task === null ? each.agentId : `${each.agentId}, for ${task}`
  },
  resumedSince: 'Resumed since',

  picture: 'Who was resumed from whom',
  pictureOf: (summary: string) => `Work session: ${summary}`,
  legend: {
    checkpoint: 'checkpoint',
    approval: 'approval',
    interrupted: 'interrupted',
    completed: 'completed',
    running: 'running',
  },
  checkpointAt: (reason: string, time: string) => `${reason}, ${time}`,
  checkpointReasons: {
    task_completed: 'a task was completed',
    approval_decided: 'an approval was decided',
    approach_recorded: 'an approach was recorded',
    error: 'an error',
    periodic: 'saved by itself',
    ended: 'the work ended',
    asked: 'saved on request',
  },

  fromFile: {
    title: 'Continue from a file',
    path: 'Path on the machine of the server',
    hint: 'Of a state_checkpoint.json or its folder, below the projects of the data folder or in the folder of a project.',
    go: 'Continue',
  },

  days: {
    begins: 'A new day of chat begins',
    at: (hour: string, zone: string) => `A new day of chat begins at ${hour} ${zone}`,
    text: 'At that hour the chats of the day become its note, and agents begin the new day afresh. Nothing is lost.',
    off: 'Never: days are not closed',
    configured: 'as the configuration says',
    takeZone: (zone: string) => `Use ${zone}`,
    keep: 'Keep it',
    turnOff: 'Switch off',
    turnOn: 'Switch on',
  },

  one: 'Work session',
  missing: 'There is no such work session',
  missingText: 'It may be one of another project.',
  back: 'All work sessions',
  began: 'Began',
  ended: 'Ended',
  state: 'State',
  from: 'Resumed from',
  as: 'Resumed as',
  summary: 'How it stands',
  lastError: 'Last error',
  fileProblem: 'Its files',
  tasks: 'Tasks',
  noTasks: 'No tasks.',
  approvals: 'Approvals',
  noApprovals: 'Nobody was asked.',
  checkpoints: 'Checkpoints',
  noCheckpoints: 'Nothing was saved yet.',
  artifacts: 'Artifacts',
  noArtifacts: 'It has made nothing that was kept.',
  download: (name: string) => `Download ${name}`,
  save: 'Save checkpoint',
  saved: 'The state is saved',
  savedAt: (path: string) => `Saved in ${path}`,

  approaches: 'Approaches',
  kinds: { verified: 'Verified', failed: 'Failed', untried: 'Untried' },
  noneOf: {
    verified: 'Nothing has been verified yet.',
    failed: 'Nothing has failed yet.',
    untried: 'Nothing waits to be tried.',
  },
  noApproaches: 'Nothing was learned yet',
  noApproachesText:
    'Agents record here what worked, what failed and what could be tried. Whoever takes the work up is told.',
  avoid: 'Avoid',
  next: 'Try next',
  reusable: 'Reusable',
  priority: (priority: string) => `priority ${priority}`,
  lessons: 'Lessons',
  why: 'Why it failed',
  error: 'Error',
  evidence: 'Evidence',
  details: 'Details',
  wasUntried: 'was untried before',
  changes: (count: number) => many(count, 'change', 'changes'),
}
