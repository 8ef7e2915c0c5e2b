/**
 * What the server and its coordinators say about an agent, a process or a turn, in English and by code. Texts of other programs are
 * not among them. A form that was once used must not change, because rows and files of older versions are recognised by it.
 * Imports nothing: only a page in another language loads it.
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
  keysNotOpened:
    '{names} of {agent} cannot be opened: they are sealed with another key than this server has. Give them again with `agents edit`, or put that key in its place.',

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
  folderGone:
    "The project's folder {folder} is not on this machine. Bring it back, or give the project another folder, then start the agent again.",
  worktreeGone:
    'The worktree {folder} of the branch {branch} was moved or deleted. Put it back there; or, to begin a new one from the branch, run `{command}` in the project. Then start the agent again.',
  worktreeMoved:
    'The branch {branch} is checked out in {folder}. Move it back with `{command}` to {place}, or remove it there, then start the agent again.',
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
  folderHasGone: 'The folder of its earlier session has gone; give the project a folder to keep it.',
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

  endedEmpty: 'The agent ended its turn without an answer.',
  endedMaxTokens: 'The answer reached the most tokens the model may say and stops here.',
  endedMaxTurns: 'The agent reached the most model requests of one turn and stopped before it was done.',
  endedRefusal: 'The agent refused to go on.',
  endedAfterTools: 'It ran: {tools}',
  stoppedBy: 'Stopped by {who}.',
  processGoneTwice:
    'The process of the agent ended twice while it worked on this. It is not given to it again by itself; send it again to try once more.',
  otherConversation: 'It makes room for another conversation.',
  takesNoPrompt:
    'The agent takes no prompt, also after its session was opened again and it was started again: {why} Look at what its process wrote, then start it again.',
  contextUseless: 'The agent did not answer any more, so it is started again.',

  workError: 'The work was interrupted by an error.',
  workProcessExited: 'The process of the agent has exited before the work was done.',
  workConnectionLost: 'The connection to the agent was lost.',
  workMachineLost: 'The machine that ran the agent was given up.',
  workAbandoned: 'The agent has left before the work was done.',
  taskFailedBecause: 'Task {task} failed: {why}',
  taskFailed: 'Task {task} failed.',
  approachesRefused: 'What was written into {file} was not taken in: {why}. The file is left as it is; mend it or delete it.',
  approachesChanged:
    'In {file} {ids} was changed or removed by hand, which is not taken in. The file is left as it is; put it back, or delete the file.',
  agentNotInProject: '{agent} is no agent of this project any more; it was to do {tasks}',
  roleNeeded:
    '{agent} worked as {role} in a console, where it cannot continue. Open a console in this project and spawn {agent} as {role} there: it takes up this work.',
  noTaskLeft: 'No task is left. Create one and assign it to an agent.',
  taskNeeded: 'What is left waits for task {task}. Begin it again or complete it.',
  nobodyAssigned: 'Nobody is to do task {task}. Assign it to an agent.',
  agentByHand: '{agent} has no command with which it could be started. Start it yourself.',
  noMachineFor: 'No machine is connected that could start {agent}.',
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
