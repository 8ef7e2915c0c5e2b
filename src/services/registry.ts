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
import * as authenticateAgent from './flows/agent-sessions/authenticate-agent.ts'
import * as replacePasskey from './flows/agent-sessions/replace-passkey.ts'
import * as sweepAgentSession from './flows/agent-sessions/sweep-agent-session.ts'
import * as answerPermission from './flows/approvals/answer-permission.ts'
import * as heldDecisions from './flows/approvals/held-decisions.ts'
import * as requestApproval from './flows/approvals/request-approval.ts'
import * as requestFolder from './flows/approvals/request-folder.ts'
import * as changeChannelChat from './flows/channels/change-channel-chat.ts'
import * as pressButton from './flows/channels/press-button.ts'
import * as takeIncoming from './flows/channels/take-incoming.ts'
import * as changeUserSession from './flows/consoles/change-user-session.ts'
import * as endRoleAgent from './flows/consoles/end-role-agent.ts'
import * as spawnRoleAgent from './flows/consoles/spawn-role-agent.ts'
import * as beginThread from './flows/conversations/begin-thread.ts'
import * as closeSession from './flows/conversations/close-session.ts'
import * as continueWithAgent from './flows/conversations/continue-with-agent.ts'
import * as deleteConversation from './flows/conversations/delete-conversation.ts'
import * as placeDraft from './flows/conversations/place-draft.ts'
import * as promptSession from './flows/conversations/prompt-session.ts'
import * as startChat from './flows/conversations/start-chat.ts'
import * as warmThread from './flows/conversations/warm-thread.ts'
import * as fileOperations from './flows/files/file-operations.ts'
import * as finishOperation from './flows/files/finish-operation.ts'
import * as promptToResolve from './flows/files/prompt-to-resolve.ts'
import * as sendComments from './flows/files/send-comments.ts'
import * as deleteImported from './flows/imports/delete-imported.ts'
import * as placeImported from './flows/imports/place-imported.ts'
import * as takePastPiece from './flows/imports/take-past-piece.ts'
import * as addMessage from './flows/messages/add-message.ts'
import * as answerChat from './flows/messages/answer-chat.ts'
import * as handOverMessages from './flows/messages/hand-over-messages.ts'
import * as moveMessage from './flows/messages/move-message.ts'
import * as postMessage from './flows/messages/post-message.ts'
import * as withdrawMessage from './flows/messages/withdraw-message.ts'
import * as beginLaunch from './flows/processes/begin-launch.ts'
import * as giveRoom from './flows/processes/give-room.ts'
import * as orderStop from './flows/processes/order-stop.ts'
import * as reportProcessExit from './flows/processes/report-process-exit.ts'
import * as storeFacts from './flows/processes/store-facts.ts'
import * as beginWithDemo from './flows/projects/begin-with-demo.ts'
import * as deleteAgent from './flows/projects/delete-agent.ts'
import * as deleteProject from './flows/projects/delete-project.ts'
import * as unassignAgent from './flows/projects/unassign-agent.ts'
import * as beginTurn from './flows/turns/begin-turn.ts'
import * as cancelTurn from './flows/turns/cancel-turn.ts'
import * as endLimit from './flows/turns/end-limit.ts'
import * as goOn from './flows/turns/go-on.ts'
import * as sendPrompt from './flows/turns/send-prompt.ts'
import * as settleTurn from './flows/turns/settle-turn.ts'
import * as dispatchTurn from './flows/work/dispatch-turn.ts'
import * as takeNextAction from './flows/work/take-next-action.ts'
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
import * as pulledFiles from './turns/pulled-files.ts'
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
  placeDraft,
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
  finishOperation,
  giveRoom,
  goOn,
  handOverMessages,
  heldDecisions,
  holdChannel,
  importConversation,
  keepFiles,
  pulledFiles,
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
