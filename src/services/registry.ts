/** Every use case that writes, by name: what the store's writer may be asked to run. Nothing else writes. */
import type { UseCase } from '../store/store.ts'
import { addPerson } from './add-person.ts'
import { assignAgent } from './assign-agent.ts'
import { changeAgent } from './change-agent.ts'
import { changeProject } from './change-project.ts'
import { createAgent } from './create-agent.ts'
import { createProject } from './create-project.ts'
import { createSignInCode } from './create-sign-in-code.ts'
import { createToken } from './create-token.ts'
import { deleteAgent } from './delete-agent.ts'
import { deleteProject } from './delete-project.ts'
import { removePerson } from './remove-person.ts'
import { replacePasskey } from './replace-passkey.ts'
import { revokeToken } from './revoke-token.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { sweepExpired } from './sweep-expired.ts'
import { unassignAgent } from './unassign-agent.ts'

export const useCases = {
  'add-person': addPerson,
  'assign-agent': assignAgent,
  'change-agent': changeAgent,
  'change-project': changeProject,
  'create-agent': createAgent,
  'create-project': createProject,
  'create-sign-in-code': createSignInCode,
  'create-token': createToken,
  'delete-agent': deleteAgent,
  'delete-project': deleteProject,
  'remove-person': removePerson,
  'replace-passkey': replacePasskey,
  'revoke-token': revokeToken,
  'sign-in': signIn,
  'sign-out': signOut,
  'sweep-expired': sweepExpired,
  'unassign-agent': unassignAgent,
} as const satisfies Record<string, UseCase<never, unknown>>
