/** The words of processes, agent sessions, coordinators and installed agents in English. */

import type { ProcessEndReason } from '../../../src/protocol/processes/process.ts'
import { firstRun } from './en-first-run.ts'

const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`
const two = (count: number): string => String(count).padStart(2, '0')

/** 42 s, 3 min 07 s, 2 h 05 min, 3 d 4 h */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 24
    ? `${hours} h ${two(minutes % 60)} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

export const processes = {
  title: 'Processes',
  none: 'No agent process runs.',
  ended: 'Ended',
  endedNone: 'None has ended yet.',
  older: 'Show older ones',
  states: {
    waiting: 'Waiting its turn',
    starting: 'Starting',
    running: 'Running',
    held: 'Held',
    ended: 'Ended',
  },
  stopping: 'Stopping',
  unreachable: 'Not heard of',
  lasted: (duration: string) => `after ${duration}`,
  neverRan: 'never ran',
  pid: 'Process id',
  launch: 'Launch',
  launchId: 'launch id',
  agent: 'Agent',
  project: 'Project',
  state: 'State',
  ordered: 'Ordered',
  started: 'Started',
  endedAt: 'Ended at',
  coordinator: 'Coordinator',
  exit: 'Exit',
  exitCode: (code: number) => `code ${code}`,
  signal: (signal: string) => `signal ${signal}`,
  why: 'Why',
  details: (agent: string) => `Details of ${agent}`,
  output: 'What it wrote',
  outputNone: 'It has written nothing.',
  outputGone: (days: number) => `What it wrote was kept for ${days} days.`,
  outputKept: 'The last 32 KB are kept; secrets are masked.',
  missing: 'There is no such launch',
  missingText: 'It may be of another installation, or the address is mistyped.',
  stop: 'Stop',
  stopName: (agent: string) => `Stop ${agent}`,
  stopTitle: (agent: string, project: string) => `Stop ${agent} in ${project}?`,
  stopText:
    'It is asked to end, with everything it has started, and ended by force after five seconds.',
  stopKept:
    'Kept: every message and task. What it has not answered is handed to the next one, which is started if there is still work.',
  stopped: (agent: string) => `${agent} is being stopped`,
  release: 'Release',
  releaseName: (agent: string) => `Release ${agent}`,
  released: (agent: string) => `${agent} is tried again`,
  reasons: {
    exited: 'Ended by itself',
    crashed: 'Crashed',
    start_failed: 'Could not be started',
    start_timeout: 'Did not sign in in time',
    idle: 'Was idle for too long',
    finished: 'Had nothing more to do',
    stopped_by_person: 'Was stopped by a person',
    shutdown: 'Holdfast was stopped',
    leftover: 'Was left behind by a coordinator that died',
    coordinator_lost: 'Its coordinator was taken over',
    withdrawn: 'Was not needed any more',
  } satisfies Record<ProcessEndReason, string>,
}

export const agentSessions = {
  title: 'Agent sessions',
  none: 'No agent is signed in.',
  purposes: { chat: 'Chat', task: 'Task' },
  states: { active: 'Active', terminating: 'Leaving', ended: 'Ended' },
  byOthers: 'started by others',
}

export const coordinators = {
  title: 'Coordinators',
  none: 'No coordinator has joined: agents are not started.',
  noneHint: 'Start Holdfast with `holdfast up`, or join this machine with `holdfast coordinator`.',
  states: { connected: 'Connected', unreachable: 'Unreachable', stopped: 'Stopped' },
  count: (count: number) => many(count, 'process', 'processes'),
  for: (duration: string) => `for ${duration}`,
  heard: 'last heard',
  version: (version: string) => `version ${version}`,
  takeOver: 'Take over',
  takeOverName: (machine: string) => `Take over from ${machine}`,
  takeOverTitle: (machine: string) => `Take over from ${machine}?`,
  takeOverText:
    'Its processes are counted as lost and their sessions end. The work is given to a coordinator that can be reached. Should this one come back, it is refused and ends what it still runs.',
  takeOverWait:
    'Silence is not death: a machine that sleeps goes on when it wakes. Take over only if it will not.',
  takenOver: (machine: string) => `${machine} was taken over`,
}

export const running = {
  title: 'At work',
  none: 'No agent is at work.',
  looking: 'Looking…',
  count: (count: number) => `${count} running`,
  task: 'At a task',
  console: 'In a console',
  signingIn: 'Signing in',
  asks: (what: string) => `Waiting for you: ${what}`,
  working: 'Working',
  idle: 'Idle',
  stop: (title: string) => `Stop: ${title}`,
  waitsForFolder: 'Waits until the folder is free',
  subAgents: (n: number) => (n === 1 ? '1 sub-agent' : `${n} sub-agents`),
  steps: { none: 'Working', text: 'Writes', thought: 'Thinks', tool: 'Working' },
}

export const detected = {
  missing: 'Not installed',
  missingHint: 'Installed on the server’s machine, in Holdfast’s own folder.',
  installOf: (name: string) => `the command that installs ${name}`,
  title: 'Installed on this machine',
  hint: 'Added with one press, and started when there is work.',
  add: 'Add',
  addName: (agent: string) => `Add ${agent}`,
  added: (agent: string) => `${agent} is added`,
  already: (ids: string) => `added as ${ids}`,
  version: (version: string) => `version ${version}`,
  noVersion: 'version unknown',
  untried: 'not tried yet',
  triedOut: 'Tried out',
  cannot: {
    start: 'cannot be started',
    sign_in: 'is not signed in',
    prompt: 'does not answer',
    output: 'shows no output of commands',
    permission: 'never asks for permission',
    tool: 'cannot use our tools',
    usage: 'reports no tokens',
    cancel: 'cannot be cancelled',
    list: 'does not list its sessions',
    fork: 'cannot be forked',
    load: 'cannot be resumed',
    apart: 'mixes conversations of one process, so each gets a process of its own',
    end: 'leaves processes behind',
    workplace: 'does not run in the sandbox “workplace”',
    strict: 'does not run in the sandbox “strict”',
    known: 'sends what Holdfast does not know',
  },
  canAll: 'can do everything',
  signIn: (command: string, key: string | undefined) =>
    `Sign in once on that machine: ${command}${key === undefined ? '' : `, or add it with ${key}`}`,
}

export const agentSignIn = {
  title: 'Sign in',
  text: 'Starts the agent on the server’s machine and asks how a person can sign in.',
  not: 'Not signed in.',
  next: (command: string, key: string | undefined) =>
    `Run once on its machine: ${command}${key === undefined ? '' : `, or give it ${key}`}. Or ask it for its ways.`,
  ask: 'Ask it how',
  ways: 'Ways to sign in',
  none: 'It offers no way to sign in.',
  do: 'Sign in',
  by: (way: string) => `Sign in by ${way}`,
  commandOf: (way: string) => `the command for ${way}`,
  out: 'Sign out',
  states: {
    waiting: 'Waiting for you to sign in…',
    signed_in: 'It is signed in.',
    failed: 'It is not signed in.',
  },
}

export const now = {
  firstRun,
  importing: { title: 'Import sessions', link: 'Import the sessions you already have…' },
  title: 'Now',
  waiting: 'Waiting for you',
  waitingNone: 'Nothing waits for you.',
  what: 'What should be done?',
  inProject: 'Project',
  byAgent: 'Agent',
  workplace: 'Workplace',
  anyWorkplace: 'As the project says',
  addAgent: 'Add an agent…',
  newSession: 'New session',
  start: 'Start',
  startInBackground: 'Start in the background',
  cancel: 'Cancel',
  keptAsDraft: 'Closing keeps the draft',
  allOfThem: 'All sessions',
  newIn: (project: string) => `New session in ${project}`,
  quiet: (count: number) => `${count} quiet ${count === 1 ? 'project' : 'projects'}`,
  total: (count: number) => `${count} ${count === 1 ? 'session' : 'sessions'}`,
  search: 'Search',
  recent: 'Recent sessions',
  begun: 'The session has begun.',
  noAgent: (project: string) => `${project} has no agent yet.`,
  noProject: 'A session needs a project: a folder and an agent.',
  allProjects: 'All projects',
  shownProjects: 'Shown projects',
  groups: { failed: 'Failed', finished: 'Finished', working: 'At work' },
  of: (one: number, all: number) => `${one} of ${all}`,
  showAll: (count: number) => `Show all ${count}`,
  clear: 'Clear',
  clearAll: 'Clear all',
  dismiss: 'Dismiss',
  archive: 'Archive',
  archiveName: (title: string) => `Archive ${title}`,
  bringBack: 'Bring back',
  bringBackName: (title: string) => `Bring back ${title}`,
  broughtBack: 'Brought back',
  state: 'State',
  states: { open: 'Open', archived: 'Archived' },
  everyAgent: 'Every agent',
  days: { today: 'Today', yesterday: 'Yesterday', week: 'Last seven days' },
  stop: 'Stop',
  open: 'Open',
  undo: 'Undo',
  taken: { cleared: 'Cleared', dismissed: 'Dismissed', archived: 'Archived' },
  sentIn: (seconds: number) => `in ${seconds} s`,
  hints: [
    ['j k', 'move'],
    ['1 … 9', 'press the button'],
    ['Enter', 'open'],
    ['u', 'undo'],
    ['n', 'new session'],
    ['?', 'all keys'],
  ],
  /** For somebody who may not decide. */
  waitingForOthers: 'Waiting for a decision',
  waitingForOthersNone: 'Nothing waits for a decision.',
}
