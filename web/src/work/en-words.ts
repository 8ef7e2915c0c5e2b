/** The words of what a resume would do, in English. */

const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`

export const preview = {
  title: 'Resume this work?',
  start: 'Start',
  cannot: 'Cannot start',
  missing: 'Missing',
  tasks: 'Tasks',
  noTasks: 'None is left.',
  nobody: 'No agent',
  begins: (title: string, percent: number) =>
    percent > 0 ? `continues with ${title}, ${percent} %` : `begins with ${title}`,
  further: (count: number) => `then ${count} more`,
  counts: {
    completed: (count: number) => `${count} done, and stay as they are`,
    continuing: (count: number) => `${count} continue where they stopped`,
    ready: (count: number) => `${count} are ready`,
    waiting: (count: number) => `${count} start when others are done`,
    failed: (count: number) => `${count} failed, and stay so until somebody tries them again`,
  },
  learned: (known: { verified: number; failed: number; decisions: number }) =>
    'They are told first how the work stood, ' +
    `${many(known.verified, 'way that worked', 'ways that worked')}, ` +
    `${known.failed} that failed and ${many(known.decisions, 'decision', 'decisions')}.`,
  resume: (agents: number) => `Resume ${many(agents, 'agent', 'agents')}`,
  takeUp: 'Resume, and wait for it',
  help: {
    agent: 'Assign an agent',
    machine: 'Look at the machines',
    task: 'Open the tasks',
    role: 'Open the consoles',
  },
}
