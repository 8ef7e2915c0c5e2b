/** SE3: the scope that each route of the HTTP interface needs, and why. */
import type { Rights } from '../../../src/domain/access/rights.ts'
import type { Routes } from '../../../src/protocol/routes.ts'

export interface Right {
  readonly scope: Rights['scope']
  readonly because: string
  readonly operations: readonly (keyof Routes)[]
}

export const rights: readonly Right[] = [
  {
    scope: 'nobody',
    because:
      'a probe tells only that we live; who signs in has nothing to show yet, and is limited',
    operations: ['login', 'getLogin', 'getHealth', 'getReadiness'],
  },
  {
    scope: 'anybody',
    because: 'it is about the caller alone, or the same for all',
    operations: [
      'logout',
      'getMe',
      'createSignInCode',
      'createTicket',
      'listDevices',
      'removeDevice',
      'getOpenApi',
      'getDocs',
      'getDocsStyle',
    ],
  },
  {
    scope: 'read',
    because:
      'it looks and changes nothing; secrets are masked, consoles and worktrees are their person’s own',
    operations: [
      ...([
        'listPeople',
        'listProjects',
        'getProject',
        'getAssignment',
        'listAgents',
        'getAgent',
        'listAgentSessions',
        'listProcesses',
      ] as const),
      ...([
        'getProcess',
        'listCoordinators',
        'listMessages',
        'listChannels',
        'listImportedSessions',
        'listChannelChats',
        'listChannelPeople',
        'listConversations',
      ] as const),
      ...([
        'getConversation',
        'getThread',
        'previewAgent',
        'getHistory',
        'readArchive',
        'getFlags',
        'search',
        'listChapters',
        'listChapterMessages',
      ] as const),
      ...([
        'listNotes',
        'getNote',
        'listUserSessions',
        'getUserSession',
        'listTurns',
        'listWorktrees',
        'getWorktree',
      ] as const),
      ...([
        'getWorktreeDiff',
        'getWorktreePatch',
        'getWorktreeLosses',
        'getSetUp',
        'listWorkSessions',
        'getWorkSession',
      ] as const),
      ...([
        'listInterrupted',
        'getLineage',
        'listApproaches',
        'listProjectApproaches',
        'listArtifacts',
        'getArtifact',
      ] as const),
      ...([
        'listTasks',
        'getTask',
        'listPendingApprovals',
        'listApprovals',
        'readApproval',
        'readApprovalByNumber',
        'listAllowances',
      ] as const),
      ...([
        'listConversationTurns',
        'getConversationTurn',
        'getToolOutput',
        'getConversationContext',
        'findFiles',
      ] as const),
      ...(['getTurnDiff', 'getConversationOptions', 'listModelUsage'] as const),
      ...([
        'getReview',
        'listComments',
        'listViewed',
        'planLanding',
        'listLandings',
        'listHosts',
      ] as const),
      ...([
        'watchEvents',
        'getSnapshot',
        'getMetrics',
        'getDiskUse',
        'listEditorSettings',
        'getCutover',
      ] as const),
    ],
  },
  {
    scope: 'read',
    because:
      'it marks what the caller has read and archived, for the caller alone; a title (SL2), a project and sharing (IM10) need `write` as well',
    operations: ['markSeen', 'changeConversation'],
  },
  {
    scope: 'write',
    because:
      'it says something to a configured agent, or has one started where somebody who manages has put it',
    operations: [
      'startChat',
      'warmConversation',
      'beginConversation',
      'endChat',
      'goOnInChat',
      'postMessage',
      'assignAgent',
      'unassignAgent',
      'releaseAgent',
    ],
  },
  {
    scope: 'write',
    because: 'it changes what conversations hold; where their files lie is ours to say',
    operations: [
      ...([
        'getOrCreateConversation',
        'deleteConversation',
        'closeConversation',
        'addMessage',
        'setHistory',
        'setConversationSummary',
      ] as const),
      ...([
        'truncateHistory',
        'resetConversation',
        'importConversation',
        'saveConversation',
        'setFlags',
        'beginTurn',
        'stopTurns',
        'goOnInConversation',
        'withdrawMessage',
        'moveMessage',
        'continueWithAgent',
      ] as const),
      ...(['rewindToTurn', 'undoRewind', 'forkFromTurn'] as const),
      ...(['addComment', 'changeComment', 'deleteComment', 'sendComments'] as const),
      ...(['setViewed', 'setReviewed', 'land', 'resolveConflict', 'undoLanding'] as const),
      'cutOverConversation',
      ...(['takePastSession', 'deleteImportedSessions'] as const),
    ],
  },
  {
    scope: 'write',
    because: 'it changes the contents of a project; artifacts are names without a path',
    operations: [
      ...([
        'createWorkSession',
        'endWorkSession',
        'dismissWorkSession',
        'previewResume',
        'resumeWorkSession',
        'saveCheckpoint',
        'recordApproach',
      ] as const),
      ...([
        'changeApproach',
        'changeApproachOfProject',
        'putArtifact',
        'deleteArtifact',
        'createTask',
        'changeTask',
      ] as const),
    ],
  },
  {
    scope: 'write',
    because: 'it asks for a decision and makes none',
    operations: ['createApproval', 'resubmitApproval'],
  },
  {
    scope: 'write',
    because:
      'it is about one’s own console and its worktrees, inside a repository that was chosen by who manages',
    operations: [
      'createUserSession',
      'spawnAgent',
      'promptRole',
      'terminateUserSession',
      'commitWorktree',
      'mergeWorktree',
      'removeWorktree',
    ],
  },
  {
    scope: 'write',
    because:
      'names and intervals; the path and what is in managedSettings need `manage` as well (tested below)',
    operations: ['createProject', 'changeProject', 'restoreWorkSession'],
  },
  {
    scope: 'approve',
    because: 'it decides for an agent, or takes back what was decided',
    operations: [
      'decideApproval',
      'decideApprovalByNumber',
      'takeBackDecision',
      'takeBackDecisionByNumber',
      'answerQuestion',
      'revokeAllowance',
      'setConversationOption',
    ],
  },
  {
    scope: 'manage',
    because:
      'it chooses a program, its environment or what runs in each fresh worktree, or shows which programs there are',
    operations: [
      'createAgent',
      'changeAgent',
      'deleteAgent',
      'listDetectedAgents',
      'probeSandbox',
      'changeSetUp',
    ],
  },
  {
    scope: 'manage',
    because:
      'it starts the program of an agent, or tells what that program says of the account it uses',
    operations: [
      'inspectAgent',
      'signInAgent',
      'getSignIn',
      'signOutAgent',
      'prepareAgent',
      'getPreparation',
      'answerPreparation',
      'cancelPreparation',
    ],
  },
  {
    scope: 'manage',
    because: 'it gives an agent a secret, or names the secrets there are',
    operations: ['listSecrets', 'setSecret', 'removeSecret', 'listSecretUses'],
  },
  {
    scope: 'manage',
    because: 'it says where work is sent',
    operations: ['setRemote'],
  },
  {
    scope: 'write',
    because: 'it is one’s own token for a host; a project’s needs `manage` (tested with it)',
    operations: ['setHost', 'removeHost'],
  },
  {
    scope: 'manage',
    because: 'it chooses a path on the machine to read from',
    operations: ['resumeFromFile', 'listFolders', 'listRepositories'],
  },
  {
    scope: 'manage',
    because: 'it gives or takes rights, or leads strangers to an agent',
    operations: [
      ...([
        'addPerson',
        'changePerson',
        'renewPerson',
        'removePerson',
        'listTokens',
        'createToken',
        'revokeToken',
        'replacePasskey',
      ] as const),
      ...(['setChannelRoute', 'createPairingCode', 'changeChannelChat'] as const),
      ...(['sendTestMessage', 'signOutChannelPerson'] as const),
    ],
  },
  {
    scope: 'manage',
    because: 'it ends what others work with',
    operations: ['deleteProject', 'stopProcess', 'takeOverCoordinator'],
  },
  {
    scope: 'manage',
    because: 'it reads files of the user that a machine’s coordinator runs as',
    operations: ['listPastSessions', 'takePastSessions'],
  },
  {
    scope: 'manage',
    because: 'it is a rule of the whole installation, under which every conversation is cut',
    operations: ['setCutover'],
  },
  {
    scope: 'coordinator',
    because:
      'only who runs processes knows that one has ended, or who manages the machines by hand',
    operations: ['reportProcessExit'],
  },
]
