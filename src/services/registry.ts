/** Every use case that writes, by name: what the store's writer may be asked to run. Nothing else writes. */
import type { UseCase } from '../store/store.ts'
import { addMessage } from './add-message.ts'
import { addPerson } from './add-person.ts'
import { addUploadPart } from './add-upload-part.ts'
import { answerChat } from './answer-chat.ts'
import { answerPermission } from './answer-permission.ts'
import { askCoordinator } from './ask-coordinator.ts'
import { assignAgent } from './assign-agent.ts'
import { authenticateAgent } from './authenticate-agent.ts'
import { beginInRole } from './begin-in-role.ts'
import { beginSending } from './begin-sending.ts'
import { beginTurn } from './begin-turn.ts'
import { beginUpload } from './begin-upload.ts'
import { beginWithDemo } from './begin-with-demo.ts'
import { cancelTurn } from './cancel-turn.ts'
import { changeAgent } from './change-agent.ts'
import { changeApproach } from './change-approach.ts'
import { changeChannelChat } from './change-channel-chat.ts'
import { changeProject } from './change-project.ts'
import { changeRole } from './change-role.ts'
import { changeSetUp } from './change-set-up.ts'
import { changeTask } from './change-task.ts'
import { chooseGoOn } from './choose-go-on.ts'
import { claimSealingKey } from './claim-sealing-key.ts'
import { closeChapters } from './close-chapters.ts'
import { closeConversation } from './close-conversation.ts'
import { configureAgent } from './configure-agent.ts'
import { createAgent } from './create-agent.ts'
import { createApproval } from './create-approval.ts'
import { createPairingCode } from './create-pairing-code.ts'
import { createProject } from './create-project.ts'
import { createSignInCode } from './create-sign-in-code.ts'
import { createTask } from './create-task.ts'
import { createToken } from './create-token.ts'
import { createUserSession } from './create-user-session.ts'
import { createWorkSession } from './create-work-session.ts'
import { cutOverConversation } from './cut-over-conversation.ts'
import { decideApproval } from './decide-approval.ts'
import { deleteAgent } from './delete-agent.ts'
import { deleteArtifact } from './delete-artifact.ts'
import { deleteConversation } from './delete-conversation.ts'
import { deleteProject } from './delete-project.ts'
import { dismissWorkSession } from './dismiss-work-session.ts'
import { dispatchTurn } from './dispatch-turn.ts'
import { dropUpload } from './drop-upload.ts'
import { endChat } from './end-chat.ts'
import { endLimit } from './end-limit.ts'
import { endWorkSession } from './end-work-session.ts'
import { expirePermission } from './expire-permission.ts'
import { forgetQuestion } from './forget-question.ts'
import { getOrCreateConversation } from './get-or-create-conversation.ts'
import { giveUpRoleAgent } from './give-up-role-agent.ts'
import { greetCoordinator } from './greet-coordinator.ts'
import { handOverMessages } from './hand-over-messages.ts'
import { hearStranger } from './hear-stranger.ts'
import { holdChannel } from './hold-channel.ts'
import { holdLease } from './hold-lease.ts'
import { importConversation } from './import-conversation.ts'
import { lapsePanel } from './lapse-panel.ts'
import { logoutAgent } from './logout-agent.ts'
import { makeSearchable } from './make-searchable.ts'
import { markNote } from './mark-note.ts'
import { markUnreachable } from './mark-unreachable.ts'
import { noteApproach } from './note-approach.ts'
import { noteChannel } from './note-channel.ts'
import { noteChapters } from './note-chapters.ts'
import { noteSent } from './note-sent.ts'
import { noteSweep } from './note-sweep.ts'
import { obeyChatCommand } from './obey-chat-command.ts'
import { offerLaunch } from './offer-launch.ts'
import { orderLaunch } from './order-launch.ts'
import { orderStop } from './order-stop.ts'
import { postMessage } from './post-message.ts'
import { postponeAgentSession } from './postpone-agent-session.ts'
import { recordApproach } from './record-approach.ts'
import { releaseAgent } from './release-agent.ts'
import { releaseLease } from './release-lease.ts'
import { removePerson } from './remove-person.ts'
import { renewPerson } from './renew-person.ts'
import { replacePasskey } from './replace-passkey.ts'
import { reportProcessExit } from './report-process-exit.ts'
import { requestApproval } from './request-approval.ts'
import { resetConversation } from './reset-conversation.ts'
import { restoreWorkSession } from './restore-work-session.ts'
import { resubmitApproval } from './resubmit-approval.ts'
import { resumeWorkSession } from './resume-work-session.ts'
import { revokeAllowance } from './revoke-allowance.ts'
import { revokeToken } from './revoke-token.ts'
import { saveCheckpoint } from './save-checkpoint.ts'
import { saveDueCheckpoint } from './save-due-checkpoint.ts'
import { saveMyCheckpoint } from './save-my-checkpoint.ts'
import { sealEnvironments } from './seal-environments.ts'
import { seeAllPanels } from './see-all-panels.ts'
import { seePanels } from './see-panels.ts'
import { seeUserSessions } from './see-user-sessions.ts'
import { sendMessage } from './send-message.ts'
import { sendPrompt } from './send-prompt.ts'
import { setChannelRoute } from './set-channel-route.ts'
import { setConversationSummary } from './set-conversation-summary.ts'
import { setCutoverRule } from './set-cutover-rule.ts'
import { setFlags } from './set-flags.ts'
import { setHistory } from './set-history.ts'
import { setSummary } from './set-summary.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { sleepRoleAgent } from './sleep-role-agent.ts'
import { spawnRoleAgent } from './spawn-role-agent.ts'
import { startChat } from './start-chat.ts'
import { storeArtifact } from './store-artifact.ts'
import { sweepAgentSession } from './sweep-agent-session.ts'
import { sweepExpired } from './sweep-expired.ts'
import { sweepLaunch } from './sweep-launch.ts'
import { takeChannelMessage } from './take-channel-message.ts'
import { takeFacts } from './take-facts.ts'
import { takeInApproaches } from './take-in-approaches.ts'
import { takeLaunch } from './take-launch.ts'
import { takeNextAction } from './take-next-action.ts'
import { takeOverCoordinator } from './take-over-coordinator.ts'
import { terminateRoleAgent } from './terminate-role-agent.ts'
import { terminateUserSession } from './terminate-user-session.ts'
import { touchAgentSession } from './touch-agent-session.ts'
import { trimStream } from './trim-stream.ts'
import { truncateHistory } from './truncate-history.ts'
import { unassignAgent } from './unassign-agent.ts'
import { updateTask } from './update-task.ts'
import { wakeRoleAgent } from './wake-role-agent.ts'
import { withdrawPrompt } from './withdraw-prompt.ts'

export const useCases = {
  'add-message': addMessage,
  'add-person': addPerson,
  'add-upload-part': addUploadPart,
  'answer-chat': answerChat,
  'answer-permission': answerPermission,
  'ask-coordinator': askCoordinator,
  'assign-agent': assignAgent,
  'authenticate-agent': authenticateAgent,
  'begin-sending': beginSending,
  'begin-in-role': beginInRole,
  'begin-turn': beginTurn,
  'begin-upload': beginUpload,
  'begin-with-demo': beginWithDemo,
  'cancel-turn': cancelTurn,
  'change-agent': changeAgent,
  'change-approach': changeApproach,
  'change-channel-chat': changeChannelChat,
  'change-project': changeProject,
  'change-role': changeRole,
  'change-set-up': changeSetUp,
  'change-task': changeTask,
  'close-chapters': closeChapters,
  'close-conversation': closeConversation,
  'choose-go-on': chooseGoOn,
  'configure-agent': configureAgent,
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
  'forget-question': forgetQuestion,
  'get-or-create-conversation': getOrCreateConversation,
  'end-limit': endLimit,
  'give-up-role-agent': giveUpRoleAgent,
  'greet-coordinator': greetCoordinator,
  'hand-over-messages': handOverMessages,
  'hold-lease': holdLease,
  'make-searchable': makeSearchable,
  'hear-stranger': hearStranger,
  'hold-channel': holdChannel,
  'import-conversation': importConversation,
  'lapse-panel': lapsePanel,
  'logout-agent': logoutAgent,
  'mark-note': markNote,
  'mark-unreachable': markUnreachable,
  'note-approach': noteApproach,
  'note-chapters': noteChapters,
  'note-channel': noteChannel,
  'note-sent': noteSent,
  'note-sweep': noteSweep,
  'obey-chat-command': obeyChatCommand,
  'offer-launch': offerLaunch,
  'order-launch': orderLaunch,
  'order-stop': orderStop,
  'post-message': postMessage,
  'postpone-agent-session': postponeAgentSession,
  'record-approach': recordApproach,
  'release-agent': releaseAgent,
  'release-lease': releaseLease,
  'remove-person': removePerson,
  'renew-person': renewPerson,
  'replace-passkey': replacePasskey,
  'report-process-exit': reportProcessExit,
  'request-approval': requestApproval,
  'reset-conversation': resetConversation,
  'restore-work-session': restoreWorkSession,
  'resubmit-approval': resubmitApproval,
  'resume-work-session': resumeWorkSession,
  'revoke-allowance': revokeAllowance,
  'revoke-token': revokeToken,
  'save-checkpoint': saveCheckpoint,
  'save-due-checkpoint': saveDueCheckpoint,
  'save-my-checkpoint': saveMyCheckpoint,
  'see-all-panels': seeAllPanels,
  'see-panels': seePanels,
  'see-user-sessions': seeUserSessions,
  'send-message': sendMessage,
  'send-prompt': sendPrompt,
  'set-channel-route': setChannelRoute,
  'set-conversation-summary': setConversationSummary,
  'seal-environments': sealEnvironments,
  'claim-sealing-key': claimSealingKey,
  'set-cutover-rule': setCutoverRule,
  'set-flags': setFlags,
  'set-history': setHistory,
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
  'take-facts': takeFacts,
  'take-in-approaches': takeInApproaches,
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
