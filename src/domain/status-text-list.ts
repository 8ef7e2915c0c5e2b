/**
 * The notices of the server and its coordinators about agents, processes, turns and work. Imports
 * nothing: only a page in another language loads it.
 */

/**
 * Rows of earlier builds have these as text alone, by which old-sentences.ts recognises them: they
 * must not change.
 */
export const earlierSentences = {
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
  noSandbox:
    'This agent runs in a sandbox, and there is none on this machine ({problem}). Install it: {install}',
  workplaceTooWide: 'A sandbox would show all of {folder}. Give the project a folder of its own.',
  workplaceIsLink:
    '{folder} is a link to {place}, and a sandbox follows none. Give the project the folder itself.',
  otherWorkplace: 'Its sandbox is made for another workplace.',
  sandboxProcesses:
    'It was ended: its sandbox reached its limit of {most} processes and threads ({setting}).',
  sandboxMemory: 'It was ended: its sandbox reached its limit of {most} MB of memory ({setting}).',
  sandboxWorkplace:
    'It was ended: it wrote {most} MB to its workplace ({setting}), or filled the disk. What it wrote is still there.',
  sandboxTmp: 'A temporary folder of its sandbox is full: {most} MB ({setting}).',
  otherOwner: 'Its sandbox holds the transcripts of somebody else.',
  settingsNotPlain:
    '{place} is a link or of another kind, so the transcripts in it cannot be kept apart. Put a plain one in its place.',
  stateNotInHome:
    'The own home of this agent cannot begin with {path} (`allow.state`): it can with what lies in {home}, never with all of it or with data of a server.',
  stateNotPlain:
    'The own home of this agent cannot begin with {path} (`allow.state`): it is not there, or is a link or behind one. Name what is there, by its own path.',
  stateTooLarge:
    'The own home of this agent would begin with more than {most} MB or {files} files and folders (`allow.state`). Name less.',
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
  othersRepository:
    'The git repository in {folder} belongs to another user, so git does not open it.',
  noRepository: '{folder} is not a git repository.',
  gitCannotOpen: 'git cannot open {folder}: {why}',

  signInFirst: '{why} Sign in with the agent’s own program first: {ways}.',
  otherAcp: 'The agent speaks version {theirs} of ACP, Holdfast speaks {ours}.',
  noUsableId: 'The agent opened a session without a usable id.',
  loadLoses: 'The agent loses a session when it loads it, so it is not asked to.',
  loadedNothing: 'The agent loaded a session that holds nothing.',
  cannotBringBack: 'The agent cannot bring an earlier session back.',
  folderHasGone:
    'The folder of its earlier session has gone; give the project a folder to keep it.',
  endedBeforeAnswer: 'The agent ended before it answered to {what}.',
  noAnswerWithin: 'The agent did not answer to {what} within {seconds} s.',
  notReadyWithin: 'It was not ready within {seconds} s.',
  hostsRefused: '{why} Its sandbox refused it {hosts} meanwhile. To allow: `{command}`',
  cannotBeSpokenTo: 'The agent cannot be spoken to now.',
  wroteTooMuch: 'The agent wrote far too much that is no message.',
  turnNotGivenBack:
    'The agent has not given its last turn back. Try again later, or terminate it and start it again.',
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
  probablyError:
    'This is probably an error of its model and not an answer. Send it again to retry.',
  endedDenied: 'What it asked for was denied ({what}), and it ended its turn.',
  endedUnanswered: 'Nobody answered in time what it asked for ({what}), and it ended its turn.',
  endedMaxTokens: 'The answer reached the most tokens the model may say and stops here.',
  endedMaxTurns:
    'The agent reached the most model requests of one turn and stopped before it was done.',
  endedRefusal: 'The agent refused to go on.',
  endedAfterTools: 'It ran: {tools}',
  stoppedBy: 'Stopped by {who}.',
  processGoneTwice:
    'The process of the agent ended twice while it worked on this. It is not given to it again by itself; send it again to try once more.',
  otherConversation: 'It makes room for another conversation.',
  mixesConversations:
    'Conversations of one process knew each other’s text, so each gets a process of its own.',
  projectMoved: 'The project has another folder now.',
  takesNoPrompt:
    'The agent takes no prompt, also after its session was opened again and it was started again: {why} Look at what its process wrote, then start it again.',
  folderAllowed: 'It is started again, so that it sees a folder that was allowed.',
  contextUseless: 'The agent did not answer any more, so it is started again.',
  contextBroken:
    'Its own session does not work any more: a request that changes nothing fails too ({why}). It is opened again with the next message.',
  contextReopened:
    'Its own session was opened again, because it took no prompt any more. It keeps what it knows.',
  contextReplaced:
    'It was started again with a new session of its own, because it took no prompt any more. It was told what was said here; what it knew besides is gone.',
  contextForgotten:
    'Its own session could not be brought back ({why}). It was told what was said here; what it knew besides is gone.',

  workError: 'The work was interrupted by an error.',
  workProcessExited: 'The process of the agent has exited before the work was done.',
  workConnectionLost: 'The connection to the agent was lost.',
  workMachineLost: 'The machine that ran the agent was given up.',
  workAbandoned: 'The agent has left before the work was done.',
  taskFailedBecause: 'Task {task} failed: {why}',
  taskFailed: 'Task {task} failed.',
  approachesRefused:
    'What was written into {file} was not taken in: {why}. The file is left as it is; mend it or delete it.',
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
  inConsoleOfOther: '{agent} worked in the console of somebody else, and goes on there only',

  uncommittedFiles: 'Files that are not committed: {count}. Commit them first.',
  noBranch: 'There is no branch {branch}.',
  branchMovedBecause: '{branch} has moved meanwhile: {why}',
  branchMoved: '{branch} has moved meanwhile.',
  branchOfOther: '{branch} is checked out in a worktree of another session, which is not yours.',
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

  telegramUnreachable:
    'Telegram cannot be reached ({code}). It is tried again; check the network and telegram.api_root.',
  telegramSilent: 'Telegram did not answer ({why}). It is tried again.',
  telegramToken:
    'Telegram does not know this token. Get the right one from @BotFather, set HOLDFAST_TELEGRAM_TOKEN (or telegram.token), and start again.',
  telegramElsewhere:
    "Another program takes this bot's messages ({why}). Stop it, or make a bot of your own with @BotFather.",
  telegramBusy: 'Telegram wants us to wait: too much was sent in a short time.',
  telegramClosed: 'Telegram does not let us write there ({why}).',
  telegramRefused: 'Telegram refused it ({why}).',
  telegramTrouble: 'Telegram has trouble of its own ({code}: {why}). It is tried again.',
  tooManyWait:
    'More than {count} messages wait to be sent; the newest were left out. They are in the conversation.',
} as const

/** A form may be worded better; its code and the names of its parameters stay. */
export const sentences = {
  ...earlierSentences,

  // Worded better than in those rows.
  wasGone: 'It was no longer running when its coordinator came back',
  inMidWork: 'It ended without an error before its work was done',
  keysNotOpened:
    '{names} of {agent} cannot be opened: they were sealed with a different key. Set them again with `agents edit`, or restore that key.',
  agentDeleted: '{agent} was deleted and cannot be started',
  coordinatorAnew: 'Its coordinator was restarted',
  takenOver: 'Another coordinator took over',
  noSandbox:
    'This agent runs in a sandbox, but this machine has none ({problem}). Install it: {install}',
  otherOwner: 'Its sandbox holds the transcripts of another user.',
  mayNotRun: 'The user that runs Holdfast may not run {file}.',
  loadLoses: 'The agent loses a session when it loads it, so it is not asked to load one.',
  loadedNothing: 'The agent loaded an empty session.',
  cannotBringBack: 'The agent cannot restore an earlier session.',
  folderHasGone:
    'The folder of its earlier session no longer exists; set a folder for the project to keep it.',
  endedBeforeAnswer: 'The agent ended before it answered {what}.',
  noAnswerWithin: 'The agent did not answer {what} within {seconds} s.',
  hostsRefused: '{why} Its sandbox blocked {hosts} in the meantime. To allow: `{command}`',
  cannotBeSpokenTo: 'The agent cannot be prompted now.',
  wroteTooMuch: 'The agent wrote too much output that is not a message.',
  turnNotGivenBack:
    'The agent has not finished its last turn. Try again later, or terminate it and start it again.',
  noPictures: 'This agent does not accept images.',
  endedDenied: 'Its request was denied ({what}), and it ended its turn.',
  endedUnanswered: 'Nobody answered its request in time ({what}), and it ended its turn.',
  endedMaxTokens: 'The answer reached the token limit of the model and stops here.',
  endedMaxTurns:
    'The agent reached the limit of model requests for one turn and stopped before it was done.',
  endedRefusal: 'The agent refused to continue.',
  processGoneTwice:
    'The process of the agent ended twice while it worked on this. It is not retried automatically; send it again to try once more.',
  otherConversation: 'Stopped to make room for another conversation.',
  takesNoPrompt:
    'The agent accepts no prompt, even after its session was reopened and it was restarted: {why} Check the output of its process, then start it again.',
  folderAllowed: 'Restarted, so that it sees a folder that was allowed.',
  contextUseless: 'The agent stopped answering, so it is restarted.',
  contextBroken:
    'Its session no longer works: even a request that changes nothing fails ({why}). It is reopened with the next message.',
  contextReopened:
    'Its session was reopened, because it accepted no more prompts. Its memory is intact.',
  contextReplaced:
    'It was restarted with a new session, because it accepted no more prompts. It was told what was said here; anything else it knew is gone.',
  contextForgotten:
    'Its session could not be restored ({why}). It was told what was said here; anything else it knew is gone.',
  workMachineLost: 'The machine that ran the agent was lost.',
  workAbandoned: 'The agent left before the work was done.',
  workProcessExited: 'The process of the agent exited before the work was done.',
  approachesRefused:
    'Changes to {file} were not imported: {why}. The file was left as it is; fix it or delete it.',
  approachesChanged:
    '{ids} in {file} was changed or removed by hand, which is not imported. The file was left as it is; restore it, or delete the file.',
  agentNotInProject: '{agent} no longer belongs to this project; it was assigned {tasks}',
  taskNeeded: 'The rest waits for task {task}. Start it again or complete it.',
  nobodyAssigned: 'Task {task} is not assigned. Assign it to an agent.',
  agentByHand: '{agent} has no start command. Start it yourself.',
  noMachineFor: 'No connected machine can start {agent}.',
  cannotGoOnItself: '{agent} cannot continue as {role} automatically: {why}',
  inConsoleOfOther: '{agent} worked in the console of another user and can continue only there',
  uncommittedFiles: 'Uncommitted files: {count}. Commit them first.',
  branchMovedBecause: '{branch} has moved in the meantime: {why}',
  branchMoved: '{branch} has moved in the meantime.',
  branchInUse: '{branch} is checked out in {folder}, with uncommitted files.',
  agentWorksThere: 'An agent is working in it, or is about to.',
  processesThere: 'Processes are running in it: {pids}.',
  somebodyWorks: 'It is in use.',
  askedTooMuch: 'This machine is handling too many requests.',
  copyThere: 'it already exists',
  telegramUnreachable:
    'Telegram cannot be reached ({code}). Retrying; check the network and telegram.api_root.',
  telegramSilent: 'Telegram did not answer ({why}). Retrying.',
  telegramToken:
    'Telegram does not know this token. Get the right one from @BotFather, set HOLDFAST_TELEGRAM_TOKEN (or telegram.token), and restart.',
  telegramElsewhere:
    "Another program receives this bot's messages ({why}). Stop it, or make a bot of your own with @BotFather.",
  telegramBusy: 'Telegram asks to wait: too much was sent in a short time.',
  telegramClosed: 'Telegram does not allow sending there ({why}).',
  telegramRefused: 'Telegram rejected it ({why}).',
  telegramTrouble: 'Telegram reported an error ({code}: {why}). Retrying.',
  tooManyWait:
    'More than {count} messages are waiting to be sent; the newest were skipped. They are in the conversation.',

  platformUnreachable:
    '{platform} cannot be reached ({code}). Retrying; check the network and {setting}.',
  platformSilent: '{platform} did not answer ({why}). Retrying.',
  platformToken:
    '{platform} does not accept this token ({why}). Set the right one as {setting}, and restart.',
  platformMissesRight:
    'The app lacks a right on {platform} ({why}). Add it as the guide says, and restart.',
  platformBusy: '{platform} asks to wait: too much was sent in a short time.',
  platformClosed: '{platform} does not allow sending there ({why}).',
  platformRefused: '{platform} rejected it ({why}).',
  platformTrouble: '{platform} reported an error ({why}). Retrying.',
  platformFlood: 'More messages arrived at once than can be handled. Reconnecting.',

  userRequested: 'user requested',
  gatewayWithoutModel:
    '{agent} must be told which model to ask for behind a gateway. Name it with `agents edit ID --gateway-model NAME`.',
  coordinatorOfBefore:
    'The coordinator on {machine} is of an earlier build and cannot make the place of this session. Restart it there',
  gatewayWithoutSecret:
    'The gateway of {agent} needs the secret {name}, which this project does not have. Set it with `holdfast secrets set {name}`, or change the gateway with `agents edit`.',
  withoutTools:
    '{agent} has not connected to Holdfast’s tools, so it cannot record what it tried, make tasks or ask for approval; see the output of its process',
  acpSessionGone: 'The agent no longer has its session.',
  openElsewhere:
    'Its session is open in another program and cannot be copied, so it was told what was said.',
  copyOfOpenElsewhere:
    'Its session is open in another program, so the agent goes on here in a copy of it.',
  signInWays:
    '{why}\nIt offers these ways to sign in, on its page and by holdfast agents login {agent}:\n{ways}',
  nobodyConnected: 'nobody was connected',
  givenUp: 'It could not be sent within a day. It is in the conversation.',
  messageTooEarly: 'A message arrived before the connection was established',
  channelFailed: 'It failed: {why}',
  turnTooLong: 'The turn exceeded its limit of {seconds} s and was stopped.',
  turnTooLongMinutes: 'The turn exceeded its limit of {minutes} min and was stopped.',
  launchIdNoName: 'The launch id cannot be used as the name of a folder.',
  coreWorktreeElsewhere: 'its core.worktree points elsewhere',
  notCheckout: 'it is not a checkout of this repository',
  gitTooManyPrograms: 'The git configuration in {folder} names too many programs.',
  gitPrintedTooMuch: 'git {command} printed too much.',
  gitEndedWith: 'git {command} ended with {code}.',
  gitNotRun: 'git could not be run in {folder} ({code}).',
  pipeInTheWay: '{file} is a pipe, for which git would wait. Remove it.',
  gitStoodStill: 'git {command} hung and was stopped.',
  notOnDisk: 'What was landed in {folder} could not be brought to disk: {why}',
  remoteBranchInUse: '{branch} is checked out in {folder}, and is not pushed over.',
  refsInTable: 'its refs are stored in a table (reftable), which Holdfast cannot read',
  fileNotMade: '{file} could not be created ({code}).',
  indexLocked: '{file} exists: another git is running there. If none is, remove it.',
  needsFilter:
    '{file} (and {more} more) has a filter in .gitattributes, such as one for large files, and Holdfast runs no filters. Let the agent commit, or use git there by hand.',
  notFiltered:
    '{file} (and {more} more) has a filter in .gitattributes, which Holdfast does not run: the files are as they were committed. For git-lfs: {command}',
  rebaseTooLong: '{count} commits are too many to rebase; the limit is {most}.',
  gitTooSlow: 'git {command} did not finish within {seconds} s.',
  gitFailed: 'git {command} failed: {why}',
  notWorktreeTop: '{folder} is not the top folder of a worktree.',
  notOurWorktree: '{folder} is not a worktree that Holdfast made.',
  folderNotThere: '{folder} no longer exists.',
  notWhereWorkspaces: '{folder} is not a workspace of Holdfast.',
  folderNotEmpty: '{folder} is not empty, and its contents exist nowhere else.',
  plainNotEmpty: 'A plain directory that is not empty, and its contents exist nowhere else.',
  requestNotKnown: 'The coordinator of this machine does not support this.',
  pastGone: 'This session is no longer in the files of its agent.',
  answerTooLarge: 'The answer is too large.',
  fileNotJson: 'it is not JSON',
  noList: '{kind} is not a list',
  commitsUnreadable: 'The commits of the agent cannot be read.',
  commitsDamaged: 'The commits of the agent are damaged: {why}',
  stagedRefused:
    'What the agent staged was rejected: its index has names outside the workplace, or is damaged.',
  repositoryElsewhere:
    'The repository of {folder} is {place}, which does not name this folder. If it belongs to it: `git --git-dir {place} config core.worktree {folder}`',
  objectsElsewhere:
    'The repository of {folder} borrows objects from {place}, which its sandbox does not see. Allow that folder, or end it with `git repack -a -d`.',
  branchMovedByOther:
    'Its branch was moved by someone else in the meantime. The commits of the agent are on {branch}.',
  fileAltered: '{file} has changed since an agent worked there. Check it, then fix it.',
  filesChange: 'The files keep changing.',
  repositoryGone: 'The repository of these files no longer exists.',
  pathEmpty: 'The path is empty.',
  pathTooLong: 'The path is longer than {most} bytes.',
  pathControl: 'The path contains a control character.',
  pathNoText: 'The path is not valid text.',
  pathNotYours:
    '{path} is neither below the project’s folder nor below the console’s: name a path below them; below `projects.roots`, where they are set, who manages may choose one.',
  pathOfSystem: '{path} belongs to the system or to the data folder: no agent works there.',
  pathNoFolder: '{path} is not a folder.',
  folderNamed: 'It works in the chosen folder, without a worktree.',
  pathAbsolute: 'The path must not begin at a root or a drive.',
  pathTooDeep: 'The path is deeper than {most} folders.',
  pathUpwards: 'The path must not lead upwards.',
  pathGit: 'The path must not name .git, which is reserved for git.',
  pathNameTooLong: 'A name in the path is longer than {most} bytes.',
  pathNameReserved: 'The name {name} is reserved on some systems.',
  pathLeadsOut: 'The path leads out of its folder.',
  pathDeadLink: 'The path goes through a broken link.',
  pathFile: 'A part of the path is a file, not a folder.',
  settingsUsual: 'Its settings are the defaults: {why}',
  noPathHere: 'It has no path here: {why}',
  pathNotAbsolute: '{path} is not absolute',
  noProjectFile: 'There was no project.json: it is named {id} and has no path',
  chatsNotInFiles:
    'Chats, people, tokens and agents are not in these files; add and assign the agents again',
  approvalRenumbered: 'Approval {id} is {now} here, because its number was taken',
  noApproachesFile: 'There was no approaches.json: what was tried is not known',
  noHistoryFile:
    'There was no work_session.json: approvals, earlier checkpoints, where it was resumed from, and the words of its tasks are lost',
  agentNotHere: 'There is no agent {agent} here; its tasks wait until there is',
  artifactNoFile: '{name}: its file is not there',
} as const

export type SentenceCode = keyof typeof sentences
export type Sentences = Readonly<Record<SentenceCode, string>>
