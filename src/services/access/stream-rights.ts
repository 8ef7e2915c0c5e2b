/** What following a stream needs, and whose its kind is. */
import type { Rights } from '../../domain/access/rights.ts'
import type { StreamKind } from '../../domain/stream-name.ts'

export const streamRights: Readonly<Record<StreamKind, Rights>> = {
  home: { scope: 'read', on: 'nobody' },
  project: { scope: 'read', on: 'project' },
  conversation: { scope: 'read', on: 'conversation' },
  turns: { scope: 'read', on: 'conversation' },
  'user-session': { scope: 'anybody', on: 'user-session' },
  coordinator: { scope: 'link', on: 'caller' },
  note: { scope: 'server', on: 'nobody' },
}
