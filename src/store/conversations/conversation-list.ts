/**
 * The list of conversations, the newest last turn first: all, or those of a project, of an agent or
 * of both, each through an index of its own.
 */
import { sql } from 'kysely'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { open } from '../turns/turns.ts'
import type { ConversationRow } from './conversations.ts'

export interface WantedConversations {
  readonly channel?: string | undefined
  readonly projectId?: string | undefined
  /** The one that answers at present. */
  readonly agentId?: string | undefined
  /** The account whose consoles are included. Null for all. */
  readonly accountId: string | null
  /** Only those that an agent works in or is about to. */
  readonly live?: boolean
  /** Whose archive is meant. */
  readonly personId: string
  /** Only what the person archived, or only what not. Left out: both. */
  readonly archived?: boolean | undefined
}

type Wanted = Pick<WantedConversations, 'archived'> & {
  readonly ofProject: boolean
  readonly ofAgent: boolean
  readonly ofChannel: boolean
  readonly live: boolean
}

interface Params extends PageParams {
  readonly projectId: string
  readonly agentId: string
  /** They enclose the keys of a channel. */
  readonly from: string
  readonly to: string
  readonly accountId: string | null
  readonly isOwner: number
  readonly personId: string
}

const kindOfTwo = sql.lit<ConversationRow['kind']>('agent')

const listStatement = ({ ofProject, ofAgent, ofChannel, live, archived }: Wanted) =>
  statement<Params>()((db, p) =>
    pageOf(
      db
        .selectFrom('conversations')
        .selectAll()
        .where('draft', '=', 0)
        .$if(ofProject, (found) => found.where('project_id', '=', p.projectId))
        .$if(ofAgent, (found) =>
          found.where('agent_id', '=', p.agentId).where('kind', '<>', kindOfTwo),
        )
        .$if(ofChannel, (found) => found.where('key', '>=', p.from).where('key', '<', p.to))
        // A console without an account came back from files: nobody knows whose it was.
        .where((eb) =>
          eb.or([
            eb.and([eb('account_id', 'is', null), eb('kind', '<>', 'console')]),
            eb('account_id', '=', p.accountId),
            eb(eb.val(p.isOwner), '=', 1),
          ]),
        )
        .$if(live, (found) =>
          found.where('key', 'in', (eb) =>
            eb.selectFrom('turns').select('conversation_key').where('state', 'in', open),
          ),
        )
        .$if(archived !== undefined, (found) =>
          found.where((eb) => {
            const isArchived = eb.exists(
              eb
                .selectFrom('seen_conversations')
                .select('seen_conversations.seq')
                .where('seen_conversations.person_id', '=', p.personId)
                .whereRef('seen_conversations.conversation_key', '=', 'conversations.key')
                .whereRef('seen_conversations.archived_seq', '>=', 'conversations.last_seq'),
            )
            return archived ? isArchived : eb.not(isArchived)
          }),
        ),
      p,
      'last_turn_at',
      'key',
    ),
  )

const statements = new Map<string, ReturnType<typeof listStatement>>()

/** Each combination is compiled once. */
function statementFor(wanted: Wanted): ReturnType<typeof listStatement> {
  const name = JSON.stringify(Object.values(wanted))
  const found = statements.get(name) ?? listStatement(wanted)
  statements.set(name, found)
  return found
}

export async function conversationsPage(
  reader: Reader,
  page: PageParams,
  wanted: WantedConversations,
): Promise<ConversationRow[]> {
  const { channel, accountId, projectId, agentId, personId, archived, live = false } = wanted
  const combination = {
    ofProject: projectId !== undefined,
    ofAgent: agentId !== undefined,
    ofChannel: channel !== undefined,
    live,
    archived: archived ?? undefined,
  }
  return reader.all(statementFor(combination), {
    ...page,
    from: `${channel}:`,
    // `;` follows `:` in every collation.
    to: `${channel};`,
    projectId: projectId ?? '',
    agentId: agentId ?? '',
    accountId,
    isOwner: accountId === null ? 1 : 0,
    personId,
  })
}
