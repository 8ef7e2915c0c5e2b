/** SE3: writing a message in an agent's name needs more than the scope `write`. */
import type { Scope } from '../../domain/access/scopes.ts'
import type { ConversationKind } from '../../domain/conversations/key.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import type { Reader } from '../../store/store.ts'
import { requireManage } from '../access/require-scope.ts'

/** Conversations in which our agents write; others belong to other programs. */
const agentsKinds: ReadonlySet<string> = new Set<ConversationKind>([
  'web',
  'agent',
  'channel',
  'channel-thread',
  'session',
  'fork',
  'console',
  'work',
])

/** Without scopes the caller is a program that has the store itself. */
export async function requireOwnMessages(
  reader: Reader,
  scopes: readonly Scope[] | undefined,
  key: string,
  messages: readonly { readonly role: string }[],
): Promise<void> {
  if (scopes === undefined || messages.every(({ role }) => role === 'user')) return
  const { kind } = await identityOf(reader, key)
  requireManage(scopes, agentsKinds.has(kind) ? 'role' : undefined)
}
