/**
 * What the server and its coordinators themselves say of an agent, a process or a turn. A sentence is kept and sent as it is said here,
 * in English; whoever shows it finds it again by its form, and says it in another language. What agents and other programs say is no
 * sentence of ours and stays as it is. Pure. One that was said before may not change: rows and files have it.
 */
export const sentences = {
  exitCode: 'It ended with exit code {code}',
  endedBySignal: 'It was ended by {signal}',
  wasGone: 'It was gone when its coordinator came back',
  neverSignedIn: 'It ended without an error, but never signed in',
  inMidWork: 'It ended without an error, but in the middle of its work',
  notSignedIn: 'It did not sign in within {seconds} seconds',
  failedOnceLast: 'It failed once within {seconds} s. Last: {last}',
  failedOftenLast: 'It failed {count} times within {seconds} s. Last: {last}',
  failedOnce: 'It failed once within {seconds} s',
  failedOften: 'It failed {count} times within {seconds} s',
  agentDeleted: '{agent} cannot be started any more: it was deleted',

  processEndedItself: 'Its process has ended by itself',
  processEnded: 'Its process has ended',
  holdfastStopped: 'Holdfast was stopped',
  coordinatorAnew: 'Its coordinator was started anew',
  takenOver: 'Somebody took over from its coordinator',
  startWithdrawn: 'Its start was withdrawn',
  notReadyInTime: 'It was not ready in time',

  noProgram: 'There is no program {file} on this machine.',
  noProgramOnPath: "There is no program {file} on this machine's PATH.",
  mayNotRun: '{file} may not be run by the user Holdfast runs as.',
  tooLongToStart: 'The arguments and variables of {file} are too long.',
  noRoom: 'This machine has no room for another process ({code}).',
  notStartedBecause: 'It could not be started: {why}',
  programNotStarted: '{file} could not be started: {why}',

  setUpEnded: 'The set-up command of the project ({file}) ended with {code}.',
  setUpSignal: 'The set-up command of the project ({file}) was ended by a signal.',
  setUpTooLong: 'The set-up command of the project ({file}) took too long and was ended.',
  setUpStopped: 'The set-up command of the project ({file}) was stopped.',
  setUpNotRun: 'The set-up command of the project ({file}) could not be run.',
  noFolderHere: 'The project has no folder on this machine.',
  workspaceTaken: 'The workspace {workspace} is taken by something else; choose another.',
  bareRepository: '{folder} is a bare repository, without files to work on.',
  noCommit: 'The git repository in {folder} has no commit yet.',
  othersRepository: 'The git repository in {folder} belongs to another user, so git does not open it.',
  noRepository: '{folder} is not a git repository.',
  gitCannotOpen: 'git cannot open {folder}: {why}',

  signInFirst: '{why} Sign in with the agent’s own program first: {ways}.',
  otherAcp: 'The agent speaks version {theirs} of ACP, Holdfast speaks {ours}.',
  noUsableId: 'The agent opened a session without a usable id.',
  cannotBringBack: 'The agent cannot bring an earlier session back.',
  endedBeforeAnswer: 'The agent ended before it answered to {what}.',
  noAnswerWithin: 'The agent did not answer to {what} within {seconds} s.',
  notReadyWithin: 'It was not ready within {seconds} s.',
  cannotBeSpokenTo: 'The agent cannot be spoken to now.',
  wroteTooMuch: 'The agent wrote far too much that is no message.',
  turnNotGivenBack: 'The agent has not given its last turn back. Try again later, or terminate it and start it again.',
  noPictures: 'This agent takes no pictures.',
  noReason: 'The agent gave no reason',
  promptRefused: 'the prompt: {why}',
  thePrompt: 'the prompt',
  didNotWork: 'It did not work: {why}',

  stoppedByPerson: 'stopped by a person',
  userSessionEnded: 'session terminated',
  projectDeleted: 'project deleted',
  replaced: 'replaced',

  workError: 'The work was interrupted by an error.',
  workProcessExited: 'The process of the agent has exited before the work was done.',
  workConnectionLost: 'The connection to the agent was lost.',
  workMachineLost: 'The machine that ran the agent was given up.',
  workAbandoned: 'The agent has left before the work was done.',
  taskFailedBecause: 'Task {task} failed: {why}',
  taskFailed: 'Task {task} failed.',
  agentNotInProject: '{agent} is no agent of this project any more; it was to do {tasks}',
  cannotGoOnItself: '{agent} cannot go on as {role} by itself: {why}',

  uncommittedFiles: 'Files that are not committed: {count}. Commit them first.',
  noBranch: 'There is no branch {branch}.',
  branchMovedBecause: '{branch} has moved meanwhile: {why}',
  branchMoved: '{branch} has moved meanwhile.',
  branchInUse: '{branch} is checked out in {folder}, with files that are not committed.',
  agentWorksThere: 'An agent of ours works in it, or is about to.',
  processesThere: 'Processes live in it: {pids}.',
  somebodyWorks: 'Somebody works in it.',
  askedTooMuch: 'This machine is asked too much at once.',
  copiesTooMany: 'more than {count} files are named',
  copyMissing: 'it is not in the project’s folder',
  copyNoFile: 'it is not a file',
  copyTooLarge: 'it is larger than {size} MiB',
  copyThere: 'it is there already',
  copyNotIgnored: 'git does not ignore it',
  copyFailed: 'it could not be copied ({code})',

  telegramUnreachable: 'Telegram cannot be reached ({code}). It is tried again; check the network and telegram.api_root.',
  telegramSilent: 'Telegram did not answer ({why}). It is tried again.',
  telegramToken:
    'Telegram does not know this token. Get the right one from @BotFather, set HOLDFAST_TELEGRAM_TOKEN (or telegram.token), and start again.',
  telegramElsewhere: "Another program takes this bot's messages ({why}). Stop it, or make a bot of your own with @BotFather.",
  telegramBusy: 'Telegram wants us to wait: too much was sent in a short time.',
  telegramClosed: 'Telegram does not let us write there ({why}).',
  telegramRefused: 'Telegram refused it ({why}).',
  telegramTrouble: 'Telegram has trouble of its own ({code}: {why}). It is tried again.',
  tooManyWait: 'More than {count} messages wait to be sent; the newest were left out. They are in the conversation.',
} as const

export type SentenceCode = keyof typeof sentences
export type Sentences = Readonly<Record<SentenceCode, string>>

type NamesIn<Form extends string> = Form extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type Particulars<Code extends SentenceCode> = Readonly<Record<NamesIn<(typeof sentences)[Code]>, string | number>>

const inserted = (form: string, particulars: Readonly<Record<string, string | number>>): string =>
  form.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(particulars[name] ?? ''))

export function say<Code extends SentenceCode>(
  code: Code,
  ...[particulars]: NamesIn<(typeof sentences)[Code]> extends never ? [] : [Particulars<Code>]
): string {
  return inserted(sentences[code], particulars ?? {})
}

interface Understood {
  readonly code: SentenceCode
  readonly particulars: Readonly<Record<string, string>>
}

const codes = Object.keys(sentences) as SentenceCode[]
let forms: readonly (readonly [SentenceCode, RegExp])[] | undefined

/** Made when the first is looked for: most readers never meet one. */
const formOf = (sentence: string): RegExp =>
  new RegExp(
    `^${sentence.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>.+?)`)}$`,
  )

const longestLine = 4000

/** Which sentence of ours a line is; undefined for what others have said. */
export function understood(line: string): Understood | undefined {
  if (line.length > longestLine) return undefined
  forms ??= codes.map((code) => [code, formOf(sentences[code])] as const)
  for (const [code, form] of forms) {
    const found = form.exec(line)
    if (found) return { code, particulars: { ...found.groups } }
  }
  return undefined
}

/** Those that have the exit in them. */
const aboutExit: ReadonlySet<string | undefined> = new Set(['exitCode', 'endedBySignal'])

export const tellsExit = (line: string | null): boolean => line !== null && aboutExit.has(understood(line)?.code)

/** A sentence within a sentence within a sentence is no sentence of ours. */
const deepest = 3

/** The first line in other words, as far as it is ours; what an agent wrote stands in the lines after it. null: in English. */
export function saidIn(words: Sentences | null, text: string, depth = 0): string {
  if (words === null) return text
  const [first = '', ...rest] = text.split('\n')
  const ours = depth < deepest ? understood(first) : undefined
  if (!ours) return text
  const particulars = Object.entries(ours.particulars).map(([name, value]) => [name, saidIn(words, value, depth + 1)] as const)
  return [inserted(words[ours.code], Object.fromEntries(particulars)), ...rest].join('\n')
}
