/** Refusals shared by several use cases. */

import type { PersonScope } from '../domain/access/scopes.ts'
import { Refusal } from '../domain/errors.ts'
import { inField, type NoticeText } from '../domain/notices.ts'
import type { SettingProblem } from '../domain/projects/settings.ts'
import { refusalText } from '../domain/refusal-texts.ts'

export const noSuchProject = (projectId: string): Refusal =>
  new Refusal('not_found', refusalText('noProject', { id: projectId }), { projectId })

export const noSuchAgent = (agentId: string): Refusal =>
  new Refusal('agent_not_found', refusalText('noAgent', { id: agentId }), { agentId })

/** NA10: names the key and the accepted values. */
export const invalidSetting = ({ detail, ...fields }: SettingProblem): Refusal =>
  new Refusal('invalid_setting', detail, fields)

/** SE3: a credential gives at most what its maker has. */
export const scopeExceeded = (scope: PersonScope): Refusal =>
  new Refusal('missing_scope', refusalText('cannotGive', { scope }), { scope })

export const invalidField = (field: string, why: NoticeText): Refusal =>
  new Refusal('invalid_request', inField(field, why), { field })

/** SE7: a masked value stands for a stored one, and there is none. */
export const maskWithoutValue = (name: string): Refusal =>
  invalidField(`env.${name}`, refusalText('notMasked'))

export const noSuchConversation = (key: string): Refusal =>
  new Refusal('not_found', refusalText('noConversation', { key }), { key })

export const noSuchNote = (day: string): Refusal =>
  new Refusal('not_found', refusalText('noNote', { day }), { day })

/** HT4: the same client id with other content. */
export const clientIdReused = (clientId: string): Refusal =>
  new Refusal('idempotency_key_reused', refusalText('clientIdUsed', { id: clientId }), { clientId })

export const noSuchWorkSession = (workSessionId: string): Refusal =>
  new Refusal('not_found', refusalText('noWorkSession', { id: workSessionId }), { workSessionId })

export const noSuchTask = (taskId: string): Refusal =>
  new Refusal('not_found', refusalText('noTask', { id: taskId }), { taskId })

export const noSuchApproval = (approvalId: number): Refusal =>
  new Refusal('not_found', refusalText('noApproval', { id: approvalId }), { approvalId })

export const noSuchLaunch = (launchId: string): Refusal =>
  new Refusal('not_found', refusalText('noLaunch', { id: launchId }), { launchId })

export const noSuchCoordinator = (coordinatorId: string): Refusal =>
  new Refusal('not_found', refusalText('noCoordinator', { id: coordinatorId }), { coordinatorId })

export const noSuchApproach = (approachId: string): Refusal =>
  new Refusal('not_found', refusalText('noApproach', { id: approachId }), { approachId })

export const noSuchArtifact = (name: string): Refusal =>
  new Refusal('not_found', refusalText('noArtifact', { name }), { name })

/** A chat session has no work session. */
export const noWorkSession = (): Refusal =>
  new Refusal('wrong_state', refusalText('notAtWork'), { state: 'chat' })

/** The upload was swept, or never begun. */
export const noSuchUpload = (): Refusal => new Refusal('not_found', refusalText('noUpload'))

export const noSuchUserSession = (userSessionId: string): Refusal =>
  new Refusal('user_session_not_found', refusalText('noUserSession', { id: userSessionId }), {
    userSessionId,
  })
