/** All use cases by name: everything that the store's writer can be asked to run. */
import type { UseCase, UseCases } from '../store/store.ts'
import * as changeAccess from './access/change-access.ts'
import * as passes from './access/passes.ts'
import * as signIn from './access/sign-in.ts'
import * as authenticateAgent from './agent-sessions/authenticate-agent.ts'
import * as reportProcessExit from './agent-sessions/report-process-exit.ts'
import * as sweepAgentSession from './agent-sessions/sweep-agent-session.ts'
import * as takeNextAction from './agent-sessions/take-next-action.ts'
import * as changeAgent from './agents/change-agent.ts'
import * as secrets from './agents/secrets.ts'
import * as allowanceRecord from './approvals/allowance-record.ts'
import * as answerPermission from './approvals/answer-permission.ts'
import * as requestApproval from './approvals/request-approval.ts'
import * as requestFolder from './approvals/request-folder.ts'
import * as changeChannel from './channels/change-channel.ts'
import * as holdChannel from './channels/hold-channel.ts'
import * as incoming from './channels/incoming.ts'
import * as sendOutgoing from './channels/send-outgoing.ts'
import * as changeUserSession from './consoles/change-user-session.ts'
import * as configureAgent from './consoles/configure-agent.ts'
import * as endRoleAgent from './consoles/end-role-agent.ts'
import * as sleepRoleAgent from './consoles/spawn-role-agent.ts'
import * as addMessage from './conversations/add-message.ts'
import * as changeConversation from './conversations/change-conversation.ts'
import * as chapters from './conversations/chapters.ts'
import * as importConversation from './conversations/import-conversation.ts'
import * as makeSearchable from './conversations/make-searchable.ts'
import * as postMessage from './conversations/post-message.ts'
import * as startChat from './conversations/start-chat.ts'
import * as withdrawMessage from './conversations/withdraw-message.ts'
import * as coordinatorRequests from './processes/coordinator-requests.ts'
import * as launchRecord from './processes/launch-record.ts'
import * as storeFacts from './processes/store-facts.ts'
import * as takeLaunch from './processes/take-launch.ts'
import * as changeProject from './projects/change-project.ts'
import * as leases from './system/leases.ts'
import * as sweepExpired from './system/sweep-expired.ts'
import * as answerChat from './turns/answer-chat.ts'
import * as beginTurn from './turns/begin-turn.ts'
import * as cancelTurn from './turns/cancel-turn.ts'
import * as chatOptions from './turns/chat-options.ts'
import * as dispatchTurn from './turns/dispatch-turn.ts'
import * as endLimit from './turns/end-limit.ts'
import * as fileOperations from './turns/file-operations.ts'
import * as handOverMessages from './turns/hand-over-messages.ts'
import * as keepFiles from './turns/keep-files.ts'
import * as sendPrompt from './turns/send-prompt.ts'
import * as settleTurn from './turns/settle-turn.ts'
import * as changeApproach from './work/change-approach.ts'
import * as changeTask from './work/change-task.ts'
import * as endWorkSession from './work/end-work-session.ts'
import * as restoreWorkSession from './work/restore-work-session.ts'
import * as resumeWorkSession from './work/resume-work-session.ts'
import * as uploadArtifact from './work/upload-artifact.ts'
import * as worktreeRecord from './worktrees/worktree-record.ts'

const files: readonly object[] = [
  addMessage,
  allowanceRecord,
  answerChat,
  answerPermission,
  authenticateAgent,
  beginTurn,
  cancelTurn,
  changeAccess,
  passes,
  changeAgent,
  changeApproach,
  changeChannel,
  changeConversation,
  changeProject,
  changeTask,
  changeUserSession,
  chapters,
  chatOptions,
  configureAgent,
  coordinatorRequests,
  dispatchTurn,
  endLimit,
  endRoleAgent,
  endWorkSession,
  fileOperations,
  handOverMessages,
  holdChannel,
  importConversation,
  incoming,
  keepFiles,
  launchRecord,
  leases,
  makeSearchable,
  postMessage,
  reportProcessExit,
  requestApproval,
  requestFolder,
  restoreWorkSession,
  resumeWorkSession,
  secrets,
  sendOutgoing,
  sendPrompt,
  settleTurn,
  signIn,
  sleepRoleAgent,
  startChat,
  storeFacts,
  sweepAgentSession,
  sweepExpired,
  takeLaunch,
  takeNextAction,
  uploadArtifact,
  withdrawMessage,
  worktreeRecord,
]

const isUseCase = (value: unknown): value is UseCase<unknown, unknown> =>
  value instanceof Object && 'run' in value && 'name' in value

export const useCases: UseCases = Object.fromEntries(
  files
    .flatMap((file) => Object.values(file))
    .flatMap((value) => (isUseCase(value) ? [[value.name, value]] : [])),
)
