/** All use cases by name: everything that the store's writer can be asked to run. */
import type { UseCase } from '../store/store.ts'
import { addPerson, changePersonRole, removePerson, renewPerson } from './access/change-person.ts'
import { createToken } from './access/create-token.ts'
import { revokeToken } from './access/revoke-token.ts'
import { createSignInCode, signIn, signOut } from './access/sign-in.ts'
import { authenticateAgent, logoutAgent } from './agent-sessions/authenticate-agent.ts'
import { reportProcessExit } from './agent-sessions/report-process-exit.ts'
import { postponeAgentSession, recordSweep, sweepAgentSession } from './agent-sessions/sweep-agent-session.ts'
import { takeNextAction } from './agent-sessions/take-next-action.ts'
import { touchAgentSession } from './agent-sessions/touch-agent-session.ts'
import { changeAgent, deleteAgent, replacePasskey } from './agents/change-agent.ts'
import { createAgent } from './agents/create-agent.ts'
import { claimSealingKey, sealEnvironments } from './agents/seal-environments.ts'
import { removeSecret, setSecret } from './agents/secrets.ts'
import { revokeAllowance } from './approvals/allowance-record.ts'
import { answerPermission, answerQuestion, expirePermission } from './approvals/answer-permission.ts'
import { createApproval, decideApproval, resubmitApproval } from './approvals/decide-approval.ts'
import { requestApproval } from './approvals/request-approval.ts'
import { requestFolder } from './approvals/request-folder.ts'
import { changeChannelChat, createPairingCode, setChannelRoute } from './channels/change-channel.ts'
import { handleUnpairedSender } from './channels/handle-unpaired-sender.ts'
import { holdChannel, recordChannelState } from './channels/hold-channel.ts'
import { runChatCommand } from './channels/run-chat-command.ts'
import { beginSending, recordSent } from './channels/send-outgoing.ts'
import { takeChannelMessage } from './channels/take-channel-message.ts'
import { createUserSession, terminateUserSession, touchUserSessions } from './consoles/change-user-session.ts'
import { configureAgent } from './consoles/configure-agent.ts'
import { giveUpRoleAgent } from './consoles/give-up-role-agent.ts'
import { sleepRoleAgent, wakeRoleAgent } from './consoles/sleep-role-agent.ts'
import { spawnRoleAgent } from './consoles/spawn-role-agent.ts'
import { terminateRoleAgent } from './consoles/terminate-role-agent.ts'
import { addMessage } from './conversations/add-message.ts'
import { getOrCreateConversation, markSeen, setFlags, setTitle } from './conversations/change-conversation.ts'
import { closeConversation } from './conversations/close-conversation.ts'
import {
  addChaptersToNote,
  closeChapters,
  cutOverConversation,
  markNoteWritten,
  setCutoverRule,
} from './conversations/cut-over-conversation.ts'
import { deleteConversation } from './conversations/delete-conversation.ts'
import { endChat } from './conversations/end-chat.ts'
import { importConversation } from './conversations/import-conversation.ts'
import { makeSearchable } from './conversations/make-searchable.ts'
import { expirePanel, touchAllPanels, touchPanels } from './conversations/panels.ts'
import { postMessage, sendMessage } from './conversations/post-message.ts'
import { setHistory } from './conversations/set-history.ts'
import { setConversationSummary, setSummary } from './conversations/set-summary.ts'
import { startChat } from './conversations/start-chat.ts'
import { resetConversation, truncateHistory } from './conversations/truncate-history.ts'
import { withdrawMessage } from './conversations/withdraw-message.ts'
import { forgetCoordinatorRequest, requestFromCoordinator } from './processes/coordinator-requests.ts'
import { orderLaunch, orderStop, releaseAgent } from './processes/order-launch.ts'
import { markUnreachable, registerCoordinator, takeOverCoordinator } from './processes/register-coordinator.ts'
import { storeFacts } from './processes/store-facts.ts'
import { sweepLaunch } from './processes/sweep-launch.ts'
import { offerLaunch, takeLaunch } from './processes/take-launch.ts'
import { assignAgent, unassignAgent } from './projects/assign-agent.ts'
import { beginWithDemo } from './projects/begin-with-demo.ts'
import { changeProject, deleteProject } from './projects/change-project.ts'
import { createProject } from './projects/create-project.ts'
import { holdLease, releaseLease } from './system/leases.ts'
import { sweepExpired, trimStream } from './system/sweep-expired.ts'
import { answerChat } from './turns/answer-chat.ts'
import { beginTurn, startWaitingRole } from './turns/begin-turn.ts'
import { cancelTurn, stopTurns, withdrawPrompt } from './turns/cancel-turn.ts'
import { configureChat } from './turns/chat-options.ts'
import { dispatchTurn } from './turns/dispatch-turn.ts'
import { endLimit } from './turns/end-limit.ts'
import { askFork, askMachine, askRewind, askUndo, finishOperation } from './turns/file-operations.ts'
import { handOverMessages } from './turns/hand-over-messages.ts'
import { completeFiles, dropDisownedFiles, forgetOldFiles } from './turns/keep-files.ts'
import { sendPrompt } from './turns/send-prompt.ts'
import { setContinueAfterLimit } from './turns/set-continue-after-limit.ts'
import { noteTools } from './turns/settle-turn.ts'
import { changeApproach, importApproaches, recordAgentApproach, recordApproach } from './work/change-approach.ts'
import { changeTask, updateTask } from './work/change-task.ts'
import { createTask } from './work/create-task.ts'
import { createWorkSession } from './work/create-work-session.ts'
import { dismissWorkSession, endWorkSession } from './work/end-work-session.ts'
import { restoreWorkSession } from './work/restore-work-session.ts'
import { resumeWorkSession } from './work/resume-work-session.ts'
import { saveCheckpoint, saveDueCheckpoint, saveMyCheckpoint } from './work/save-checkpoint.ts'
import { addUploadPart, beginUpload, deleteArtifact, dropUpload, storeArtifact } from './work/upload-artifact.ts'
import { changeSetUp } from './worktrees/change-set-up.ts'

export const useCases = {
  'add-message': addMessage,
  'add-person': addPerson,
  'add-upload-part': addUploadPart,
  'answer-chat': answerChat,
  'answer-permission': answerPermission,
  'answer-question': answerQuestion,
  'request-from-coordinator': requestFromCoordinator,
  'assign-agent': assignAgent,
  'authenticate-agent': authenticateAgent,
  'begin-sending': beginSending,
  'start-waiting-role': startWaitingRole,
  'ask-rewind': askRewind,
  'ask-undo': askUndo,
  'ask-fork': askFork,
  'ask-machine': askMachine,
  'finish-operation': finishOperation,
  'complete-files': completeFiles,
  'drop-disowned-files': dropDisownedFiles,
  'forget-old-files': forgetOldFiles,
  'begin-turn': beginTurn,
  'begin-upload': beginUpload,
  'begin-with-demo': beginWithDemo,
  'cancel-turn': cancelTurn,
  'mark-seen': markSeen,
  'set-title': setTitle,
  'stop-turns': stopTurns,
  'withdraw-message': withdrawMessage,
  'change-agent': changeAgent,
  'change-approach': changeApproach,
  'change-channel-chat': changeChannelChat,
  'change-project': changeProject,
  'change-person-role': changePersonRole,
  'change-set-up': changeSetUp,
  'change-task': changeTask,
  'close-chapters': closeChapters,
  'close-conversation': closeConversation,
  'set-continue-after-limit': setContinueAfterLimit,
  'configure-agent': configureAgent,
  'configure-chat': configureChat,
  'note-tools': noteTools,
  'create-agent': createAgent,
  'create-approval': createApproval,
  'create-pairing-code': createPairingCode,
  'create-project': createProject,
  'create-sign-in-code': createSignInCode,
  'create-task': createTask,
  'create-token': createToken,
  'create-user-session': createUserSession,
  'create-work-session': createWorkSession,
  'cut-over-conversation': cutOverConversation,
  'decide-approval': decideApproval,
  'delete-agent': deleteAgent,
  'delete-artifact': deleteArtifact,
  'delete-conversation': deleteConversation,
  'delete-project': deleteProject,
  'dispatch-turn': dispatchTurn,
  'drop-upload': dropUpload,
  'end-chat': endChat,
  'dismiss-work-session': dismissWorkSession,
  'end-work-session': endWorkSession,
  'expire-permission': expirePermission,
  'forget-coordinator-request': forgetCoordinatorRequest,
  'get-or-create-conversation': getOrCreateConversation,
  'end-limit': endLimit,
  'give-up-role-agent': giveUpRoleAgent,
  'register-coordinator': registerCoordinator,
  'hand-over-messages': handOverMessages,
  'hold-lease': holdLease,
  'make-searchable': makeSearchable,
  'handle-unpaired-sender': handleUnpairedSender,
  'hold-channel': holdChannel,
  'import-conversation': importConversation,
  'expire-panel': expirePanel,
  'logout-agent': logoutAgent,
  'mark-note-written': markNoteWritten,
  'mark-unreachable': markUnreachable,
  'record-agent-approach': recordAgentApproach,
  'add-chapters-to-note': addChaptersToNote,
  'record-channel-state': recordChannelState,
  'record-sent': recordSent,
  'record-sweep': recordSweep,
  'run-chat-command': runChatCommand,
  'offer-launch': offerLaunch,
  'order-launch': orderLaunch,
  'order-stop': orderStop,
  'post-message': postMessage,
  'postpone-agent-session': postponeAgentSession,
  'record-approach': recordApproach,
  'release-agent': releaseAgent,
  'release-lease': releaseLease,
  'remove-person': removePerson,
  'remove-secret': removeSecret,
  'renew-person': renewPerson,
  'replace-passkey': replacePasskey,
  'report-process-exit': reportProcessExit,
  'request-approval': requestApproval,
  'request-folder': requestFolder,
  'reset-conversation': resetConversation,
  'restore-work-session': restoreWorkSession,
  'resubmit-approval': resubmitApproval,
  'resume-work-session': resumeWorkSession,
  'revoke-allowance': revokeAllowance,
  'revoke-token': revokeToken,
  'save-checkpoint': saveCheckpoint,
  'save-due-checkpoint': saveDueCheckpoint,
  'save-my-checkpoint': saveMyCheckpoint,
  'touch-all-panels': touchAllPanels,
  'touch-panels': touchPanels,
  'touch-user-sessions': touchUserSessions,
  'send-message': sendMessage,
  'send-prompt': sendPrompt,
  'set-channel-route': setChannelRoute,
  'set-conversation-summary': setConversationSummary,
  'seal-environments': sealEnvironments,
  'claim-sealing-key': claimSealingKey,
  'set-cutover-rule': setCutoverRule,
  'set-flags': setFlags,
  'set-history': setHistory,
  'set-secret': setSecret,
  'set-summary': setSummary,
  'sign-in': signIn,
  'sign-out': signOut,
  'sleep-role-agent': sleepRoleAgent,
  'spawn-role-agent': spawnRoleAgent,
  'start-chat': startChat,
  'store-artifact': storeArtifact,
  'sweep-agent-session': sweepAgentSession,
  'sweep-expired': sweepExpired,
  'sweep-launch': sweepLaunch,
  'take-channel-message': takeChannelMessage,
  'store-facts': storeFacts,
  'import-approaches': importApproaches,
  'take-launch': takeLaunch,
  'take-next-action': takeNextAction,
  'take-over-coordinator': takeOverCoordinator,
  'terminate-role-agent': terminateRoleAgent,
  'terminate-user-session': terminateUserSession,
  'touch-agent-session': touchAgentSession,
  'trim-stream': trimStream,
  'truncate-history': truncateHistory,
  'unassign-agent': unassignAgent,
  'update-task': updateTask,
  'wake-role-agent': wakeRoleAgent,
  'withdraw-prompt': withdrawPrompt,
} as const satisfies Record<string, UseCase<never, unknown>>
