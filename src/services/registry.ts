/** All use cases by name: everything that the store's writer can be asked to run. */
import type { UseCase, UseCases } from '../store/store.ts'
import * as changeAccess from './access/change-access.ts'
import * as passes from './access/passes.ts'
import * as signIn from './access/sign-in.ts'
import * as changeAgent from './agents/change-agent.ts'
import * as secrets from './agents/secrets.ts'
import * as allowanceRecord from './approvals/allowance-record.ts'
import * as changeChannel from './channels/change-channel.ts'
import * as drafts from './channels/drafts.ts'
import * as holdChannel from './channels/hold-channel.ts'
import * as sendOutgoing from './channels/send-outgoing.ts'
import * as configureAgent from './consoles/configure-agent.ts'
import * as changeConversation from './conversations/change-conversation.ts'
import * as chapters from './conversations/chapters.ts'
import * as importConversation from './conversations/import-conversation.ts'
import * as makeSearchable from './conversations/make-searchable.ts'
import * as markConversation from './conversations/mark-conversation.ts'
import * as threadNames from './conversations/thread-names.ts'
import * as addMessage from './flows/add-message.ts'
import * as answerChat from './flows/answer-chat.ts'
import * as answerPermission from './flows/answer-permission.ts'
import * as authenticateAgent from './flows/authenticate-agent.ts'
import * as beginLaunch from './flows/begin-launch.ts'
import * as beginThread from './flows/begin-thread.ts'
import * as beginTurn from './flows/begin-turn.ts'
import * as beginWithDemo from './flows/begin-with-demo.ts'
import * as cancelTurn from './flows/cancel-turn.ts'
import * as changeChannelChat from './flows/change-channel-chat.ts'
import * as changeUserSession from './flows/change-user-session.ts'
import * as closeSession from './flows/close-session.ts'
import * as continueWithAgent from './flows/continue-with-agent.ts'
import * as deleteAgent from './flows/delete-agent.ts'
import * as deleteConversation from './flows/delete-conversation.ts'
import * as deleteImported from './flows/delete-imported.ts'
import * as deleteProject from './flows/delete-project.ts'
import * as dispatchTurn from './flows/dispatch-turn.ts'
import * as endLimit from './flows/end-limit.ts'
import * as endRoleAgent from './flows/end-role-agent.ts'
import * as fileOperations from './flows/file-operations.ts'
import * as giveRoom from './flows/give-room.ts'
import * as goOn from './flows/go-on.ts'
import * as handOverMessages from './flows/hand-over-messages.ts'
import * as heldDecisions from './flows/held-decisions.ts'
import * as moveMessage from './flows/move-message.ts'
import * as orderStop from './flows/order-stop.ts'
import * as placeImported from './flows/place-imported.ts'
import * as postMessage from './flows/post-message.ts'
import * as pressButton from './flows/press-button.ts'
import * as promptSession from './flows/prompt-session.ts'
import * as promptToResolve from './flows/prompt-to-resolve.ts'
import * as replacePasskey from './flows/replace-passkey.ts'
import * as reportProcessExit from './flows/report-process-exit.ts'
import * as requestApproval from './flows/request-approval.ts'
import * as requestFolder from './flows/request-folder.ts'
import * as sendComments from './flows/send-comments.ts'
import * as sendPrompt from './flows/send-prompt.ts'
import * as settleTurn from './flows/settle-turn.ts'
import * as spawnRoleAgent from './flows/spawn-role-agent.ts'
import * as startChat from './flows/start-chat.ts'
import * as storeFacts from './flows/store-facts.ts'
import * as sweepAgentSession from './flows/sweep-agent-session.ts'
import * as takeIncoming from './flows/take-incoming.ts'
import * as takeNextAction from './flows/take-next-action.ts'
import * as takePastPiece from './flows/take-past-piece.ts'
import * as unassignAgent from './flows/unassign-agent.ts'
import * as warmThread from './flows/warm-thread.ts'
import * as withdrawMessage from './flows/withdraw-message.ts'
import * as coordinatorRequests from './processes/coordinator-requests.ts'
import * as launchRecord from './processes/launch-record.ts'
import * as changeProject from './projects/change-project.ts'
import * as carryComments from './review/carry-comments.ts'
import * as changeComment from './review/change-comment.ts'
import * as hosts from './review/hosts.ts'
import * as landingRecord from './review/landing-record.ts'
import * as viewedFiles from './review/viewed-files.ts'
import * as leases from './system/leases.ts'
import * as sweepExpired from './system/sweep-expired.ts'
import * as chatOptions from './turns/chat-options.ts'
import * as keepFiles from './turns/keep-files.ts'
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
  beginLaunch,
  beginThread,
  beginTurn,
  beginWithDemo,
  cancelTurn,
  changeAccess,
  changeAgent,
  changeApproach,
  changeChannel,
  drafts,
  changeChannelChat,
  carryComments,
  changeComment,
  viewedFiles,
  landingRecord,
  hosts,
  promptSession,
  promptToResolve,
  sendComments,
  changeConversation,
  changeProject,
  changeTask,
  changeUserSession,
  chapters,
  chatOptions,
  closeSession,
  configureAgent,
  coordinatorRequests,
  continueWithAgent,
  deleteAgent,
  deleteConversation,
  deleteImported,
  deleteProject,
  dispatchTurn,
  endLimit,
  endRoleAgent,
  endWorkSession,
  fileOperations,
  giveRoom,
  goOn,
  handOverMessages,
  heldDecisions,
  holdChannel,
  importConversation,
  keepFiles,
  launchRecord,
  leases,
  makeSearchable,
  markConversation,
  threadNames,
  orderStop,
  passes,
  moveMessage,
  placeImported,
  postMessage,
  pressButton,
  replacePasskey,
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
  spawnRoleAgent,
  startChat,
  storeFacts,
  sweepAgentSession,
  sweepExpired,
  takeIncoming,
  takeNextAction,
  takePastPiece,
  unassignAgent,
  uploadArtifact,
  warmThread,
  withdrawMessage,
  worktreeRecord,
]

const isUseCase = (value: unknown): value is UseCase<unknown, unknown> =>
  value instanceof Object && 'run' in value && 'name' in value && !('reads' in value)

export const useCases: UseCases = Object.fromEntries(
  files
    .flatMap((file) => Object.values(file))
    .flatMap((value) => (isUseCase(value) ? [[value.name, value]] : [])),
)
